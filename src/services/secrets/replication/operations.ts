import { command, promised, view } from "../declare.ts";
import { flag, itemList, seconds, text } from "../fields.ts";
import { done, type Envelope, enveloped, rendered, repeatingData } from "../reply.ts";
import { clusterOf } from "../world.ts";
import { spokenClaims } from "../wrapping/jwt.ts";
import { prepareToken } from "./activation/prepare.ts";
import { publicKeyText } from "./activation/public-key.ts";
import { renderActivationToken, renderEncryptedToken } from "./activation/render.ts";
import { dynamicFilter, mountFilter, pathsFilter, secondaryDynamicFilter } from "./filters/operations.ts";
import { guardMode, guardSecondary } from "./guards.ts";
import { merkleCheck, reindex } from "./merkle/operations.ts";
import { operationToken } from "./operation-tokens/operations.ts";
import {
  demotePrimary,
  disableReplication,
  enablePrimary,
  generateSecondaryKey,
  issueSecondaryToken,
  revokeSecondary,
} from "./primary.ts";
import { enableSecondary, promoteSecondary, updatePrimary } from "./secondary.ts";
import type { ReplicationKind } from "./state.ts";
import { statusOf } from "./views.ts";

// Source of all rules in this file: secrets.md, "Replication"; decisions-replication.md, 4.

/** How long an activation token may wait to be used. */
const DEFAULT_TOKEN_SECONDS = 1800;

/** Where the new primary is, and what it is trusted by: the files are not read (decisions-replication.md, 4.2). */
const PRIMARY_FIELDS = { token: text, primary_api_addr: text, ca_file: text, ca_path: text };

const OBSERVED = { evidence: "observed", enterprise: true } as const;

/** The operations that both kinds have under the same names. */
function operationsOf(kind: ReplicationKind) {
  const path = `/v1/sys/replication/${kind}` as const;
  /** What a disaster-recovery secondary does: its gate lets it through, and its operation token is asked for. */
  const bySecondary: typeof OBSERVED & { readonly onDrSecondary?: true } =
    kind === "dr" ? { ...OBSERVED, onDrSecondary: true } : OBSERVED;
  return {
    status: view({
      route: `GET ${path}/status`,
      evidence: "chosen",
      enterprise: true,
      open: true,
      onDrSecondary: true,
      view: (reading) => enveloped(statusOf(reading, kind)),
    }),
    primaryEnable: command({
      route: `POST ${path}/primary/enable`,
      ...OBSERVED,
      guard: guardMode(kind, "enablePrimary"),
      fields: { primary_cluster_addr: text },
      decide: (decision, { primary_cluster_addr = "" }) => {
        enablePrimary(decision, kind, primary_cluster_addr);
        return enveloped(null, { warnings: [WARNINGS.enabled] });
      },
    }),
    primaryDemote: command({
      route: `POST ${path}/primary/demote`,
      ...OBSERVED,
      guard: guardMode(kind, "demote"),
      decide: (decision) => {
        demotePrimary(decision, kind);
        return enveloped(null, { warnings: [WARNINGS.demoted] });
      },
    }),
    primaryDisable: command({
      route: `POST ${path}/primary/disable`,
      ...OBSERVED,
      guard: guardMode(kind, "disablePrimary"),
      decide: (decision) => {
        disableReplication(decision, kind, "disablePrimary");
        return enveloped(null, { warnings: [WARNINGS.disabled] });
      },
    }),
    secondaryToken: promised(
      command({
        route: `POST ${path}/primary/secondary-token`,
        ...OBSERVED,
        sudo: true,
        neverWrapped: true,
        guard: guardMode(kind, "issueToken"),
        fields: { id: text, ttl: seconds, secondary_public_key: text },
        decide: (decision, { id = "", ttl = DEFAULT_TOKEN_SECONDS, secondary_public_key = "" }) => {
          const publicKey = secondary_public_key === "" ? {} : { publicKey: secondary_public_key };
          const issued = issueSecondaryToken(decision, kind, { id, ttlSeconds: ttl, ...publicKey });
          const { seal } = clusterOf(decision.state, decision.caller.cluster).ignored;
          return rendered(
            enveloped(null),
            async (content, speech): Promise<Envelope<{ readonly token: string } | null>> =>
              "open" in issued
                ? {
                    ...content,
                    data: {
                      token: await renderEncryptedToken(
                        spokenClaims(issued.open, speech),
                        issued.publicKey,
                        issued.seed,
                      ),
                    },
                  }
                : {
                    ...content,
                    request_id: "",
                    wrap_info: {
                      token: renderActivationToken(spokenClaims(issued.claims, speech), issued.activation, seal),
                      ...issued.wrapInfo,
                    },
                  },
          );
        },
      }),
    ),
    generatePublicKey: command({
      route: `POST ${path}/secondary/generate-public-key`,
      ...OBSERVED,
      guard: guardMode(kind, "generatePublicKey"),
      decide: (decision) => enveloped({ secondary_public_key: publicKeyText(generateSecondaryKey(decision, kind)) }),
    }),
    revokeSecondary: command({
      route: `POST ${path}/primary/revoke-secondary`,
      ...OBSERVED,
      guard: guardMode(kind, "revokeSecondary"),
      fields: { id: text },
      decide: (decision, { id = "" }) => {
        revokeSecondary(decision, kind, id);
        return done();
      },
    }),
    secondaryEnable: promised(
      command({
        route: `POST ${path}/secondary/enable`,
        ...OBSERVED,
        guard: guardMode(kind, "enableSecondary"),
        prepare: prepareToken(kind),
        fields: PRIMARY_FIELDS,
        decide: (decision, { token = "", primary_api_addr = "", prepared }) => {
          enableSecondary(decision, kind, { token, primaryApiAddr: primary_api_addr, prepared });
          return enveloped(null, { warnings: [WARNINGS.joined] });
        },
      }),
    ),
    secondaryDisable: command({
      route: `POST ${path}/secondary/disable`,
      ...bySecondary,
      guard: guardSecondary(kind, "disableSecondary"),
      fields: { dr_operation_token: text },
      decide: (decision) => {
        disableReplication(decision, kind, "disableSecondary");
        return enveloped(null, { warnings: [WARNINGS.disabled] });
      },
    }),
    updatePrimary: promised(
      command({
        route: `POST ${path}/secondary/update-primary`,
        ...bySecondary,
        guard: guardSecondary(kind, "updatePrimary"),
        prepare: prepareToken(kind),
        fields: { ...PRIMARY_FIELDS, dr_operation_token: text, update_primary_addrs: itemList },
        decide: (decision, { token, primary_api_addr = "", update_primary_addrs, prepared }) => {
          const wanted = { token, primaryApiAddr: primary_api_addr, prepared };
          updatePrimary(decision, kind, { ...wanted, addresses: update_primary_addrs });
          return enveloped(null, { warnings: [WARNINGS.updated] });
        },
      }),
    ),
  };
}

/** A client that expects 204 is wrong: what changes a role answers 200 and a warning (decisions-replication.md, 4). */
const WARNINGS = {
  enabled: "This cluster is being enabled as a primary for replication. It has been enabled when this answer arrives.",
  demoted: "This cluster has been demoted to a replication secondary.",
  disabled: "Replication has been disabled on this cluster.",
  joined:
    "Replication has been enabled: this cluster holds its secondary information, and gets its data from the primary.",
  promoted: "This cluster has been promoted to a replication primary.",
  updated: "The primary of this cluster has been updated.",
};

const PROMOTION_FIELDS = { primary_cluster_addr: text, force: flag };

/** What a promotion leaves of an older flow that key shares drove: it says nothing of the success (decisions-replication.md, 4.5). */
const LEFT_OVERS = { progress: 0, required: 1, complete: false };

/** Replication (decisions-secrets-core.md, D.4; decisions-replication.md). */
export const replicationOperations = {
  status: view({
    route: "GET /v1/sys/replication/status",
    evidence: "observed",
    open: true,
    enterprise: true,
    onDrSecondary: true,
    view: (reading) => enveloped({ dr: statusOf(reading, "dr"), performance: statusOf(reading, "performance") }),
  }),
  dr: {
    ...operationsOf("dr"),
    operationToken,
    reindex,
    merkleCheck,
    promote: command({
      route: "POST /v1/sys/replication/dr/secondary/promote",
      ...OBSERVED,
      onDrSecondary: true,
      guard: guardSecondary("dr", "promote"),
      fields: { ...PROMOTION_FIELDS, dr_operation_token: text },
      decide: (decision, { primary_cluster_addr = "", force = false }) => {
        promoteSecondary(decision, "dr", { primaryClusterAddr: primary_cluster_addr, forced: force });
        return repeatingData(enveloped(LEFT_OVERS, { warnings: [WARNINGS.promoted] }));
      },
    }),
  },
  performance: {
    ...operationsOf("performance"),
    pathsFilter,
    mountFilter,
    dynamicFilter,
    secondaryDynamicFilter,
    promote: command({
      route: "POST /v1/sys/replication/performance/secondary/promote",
      ...OBSERVED,
      guard: guardSecondary("performance", "promote"),
      fields: PROMOTION_FIELDS,
      decide: (decision, { primary_cluster_addr = "", force = false }) => {
        promoteSecondary(decision, "performance", { primaryClusterAddr: primary_cluster_addr, forced: force });
        return enveloped(null, { warnings: [WARNINGS.promoted] });
      },
    }),
  },
};
