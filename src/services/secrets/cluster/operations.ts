import { bytesOf } from "../bytes.ts";
import { command, type SecretsReading, view } from "../declare.ts";
import { booleanOf, flag, statusCode, text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { isDrSecondary } from "../replication/roles.ts";
import { bare, done } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { giveShare, resetUnseal, sealCluster } from "./decide.ts";
import { healthBody, leaderBody, roleOf, sealStatusBody } from "./views.ts";

/** What a client may want to hear instead of the usual status of a node. */
const HEALTH_QUERY = {
  activecode: statusCode,
  standbycode: statusCode,
  performancestandbycode: statusCode,
  drsecondarycode: statusCode,
  sealedcode: statusCode,
  uninitcode: statusCode,
  standbyok: text,
  perfstandbyok: text,
};

type HealthQuery = { readonly [N in keyof typeof HEALTH_QUERY]?: N extends `${string}ok` ? string : number };

/** Health (decisions-secrets-core.md, A.11). */
export const healthOperations = {
  read: view({
    route: "GET /v1/sys/health",
    evidence: "observed",
    open: true,
    whileSealed: true,
    onDrSecondary: true,
    ofNode: true,
    fields: HEALTH_QUERY,
    view: (reading, query) => bare(healthBody(reading), healthStatus(reading, query)),
  }),
};

function healthStatus(reading: SecretsReading, query: HealthQuery): number {
  const cluster = clusterOf(reading.state, reading.caller.cluster);
  const { ignored } = cluster;
  if (ignored.seal.status === "sealed") return query.sealedcode ?? 503;
  if (isDrSecondary(cluster)) return query.drsecondarycode ?? 472;
  const active = query.activecode ?? 200;
  const role = roleOf(reading, ignored);
  switch (role) {
    case "active":
      return active;
    case "performance_standby":
      return isWanted(query.perfstandbyok) ? active : (query.performancestandbycode ?? 473);
    case "standby":
      return isWanted(query.standbyok) ? active : (query.standbycode ?? 429);
    default:
      return role satisfies never;
  }
}

/** Present, and not said to be false. */
function isWanted(word: string | undefined): boolean {
  return word !== undefined && booleanOf(word) !== false;
}

/** Every cluster is born initialized (README.md of the service). */
const OF_INIT = { evidence: "observed", open: true, whileSealed: true, onDrSecondary: true, ofNode: true } as const;

/** The seal, and who leads (decisions-secrets-core.md, D.4). */
export const sealOperations = {
  status: view({
    route: "GET /v1/sys/seal-status",
    evidence: "observed",
    open: true,
    whileSealed: true,
    onDrSecondary: true,
    ofNode: true,
    view: (reading) => bare(sealStatusBody(reading)),
  }),
  seal: command({
    route: "POST /v1/sys/seal",
    evidence: "observed",
    sudo: true,
    decide: (decision) => {
      sealCluster(decision, decision.caller.cluster);
      return done();
    },
  }),
  unseal: command({
    route: "POST /v1/sys/unseal",
    evidence: "observed",
    open: true,
    whileSealed: true,
    onDrSecondary: true,
    fields: { key: text, reset: flag },
    decide: (decision, { key, reset }) => {
      const { cluster } = decision.caller;
      if (reset === true) {
        resetUnseal(decision, cluster);
        return bare(sealStatusBody(decision));
      }
      if (key === undefined || key === "") return refuse("key_share_missing", {});
      const share = bytesOf(key);
      if (share === undefined || share.length < 16 || share.length > 33) return refuse("key_share_malformed", {});
      giveShare(decision, cluster, share);
      return bare(sealStatusBody(decision));
    },
  }),
  initialized: view({
    route: "GET /v1/sys/init",
    ...OF_INIT,
    view: () => bare({ initialized: true }),
  }),
  initialize: view({
    route: "POST /v1/sys/init",
    ...OF_INIT,
    view: () => refuse("already_initialized", {}),
  }),
  leader: view({
    route: "GET /v1/sys/leader",
    evidence: "observed",
    open: true,
    onDrSecondary: true,
    ofNode: true,
    view: (reading) => bare(leaderBody(reading)),
  }),
};
