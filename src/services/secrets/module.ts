import type { HandlePlace } from "../../kernel/handle.ts";
import { withMember } from "../../kernel/parts.ts";
import { type NetworkEvents, networkEvolvers } from "../../surroundings/network/state.ts";
import { claimsOf, renderToken } from "../../surroundings/orchestrator/tokens.ts";
import { deciderIn, type Origins, type ServiceModule } from "../kit/module.ts";
import { nodeUrls } from "./cluster/nodes.ts";
import { type ClusterEvents, clusterEvolvers, clusterUpcasters, type Nodes, stoppedAt } from "./cluster/state.ts";
import { clusterHandle } from "./cluster-handle.ts";
import { secretsHandle } from "./clusters-handle.ts";
import { secretsControls } from "./control.ts";
import { COPY_OF_PART, copyOfIgnored } from "./copies.ts";
import type { SecretsCaller } from "./declare.ts";
import { preparedInput, requestDecider } from "./door.ts";
import { type SecretsEvents, secretsFolds } from "./events.ts";
import { injectClusterFailure } from "./faults/decide.ts";
import { storageFaults } from "./faults/handle.ts";
import { withIgnored, withPart } from "./folding.ts";
import { answerHttp, failureForm, operationOf, type SecretsPlace, unplaced } from "./http.ts";
import { clusterNetworkHandle } from "./network/handle.ts";
import { ACCESS_TOKEN, CLIENT, describedSecrets } from "./openapi.ts";
import { secretsOptions } from "./options.ts";
import type { ClusterName } from "./place.ts";
import { secretsRegistry } from "./registry.ts";
import type { ConnectedWorld } from "./replication/addresses.ts";
import { nextDeliveryMs } from "./replication/flight.ts";
import { type ReplicationEvents, replicationFolds, replicationUpcasters } from "./replication/folds.ts";
import { lossForecast, lossReport } from "./replication/loss/report.ts";
import { REPLICATION_DUE } from "./replication/settle/ship.ts";
import { type Reply, withToken } from "./reply.ts";
import { routesAt } from "./routes.ts";
import { settleClusters } from "./settle.ts";
import { settleSnapshots } from "./snapshots/settle.ts";
import type { Cluster } from "./state.ts";
import { surroundingControls, surroundingHandles } from "./surroundings.ts";
import { secretsTimers } from "./timers.ts";
import { secretsWhy } from "./why.ts";
import { secretsWords } from "./words/neutral.ts";
import { renamedTemplate } from "./words/path.ts";
import { awakeParts, calendarOf, clusterOf } from "./world.ts";

/**
 * Facts after which a cluster may hold an earlier version of its storage, or of a mount: it is restored, or gets what another cluster
 * holds; that happens when roles, filters or what connects clusters change.
 */
const PUTTING_BACK: ReadonlySet<string> = new Set<keyof (SecretsEvents & NetworkEvents)>([
  "SnapshotRestored",
  ...(Object.keys(replicationFolds) as (keyof ReplicationEvents)[]),
  ...(Object.keys(clusterEvolvers) as (keyof ClusterEvents)[]),
  ...(Object.keys(networkEvolvers) as (keyof NetworkEvents)[]),
]);

/** The secrets service. */
export const secretsModule = {
  name: "secrets",
  registry: secretsRegistry,
  state: {
    folds: secretsFolds,
    upcasters: { ...replicationUpcasters, ...clusterUpcasters },
    putsBack: ({ command, events }) =>
      command.name === REPLICATION_DUE || events.some(({ type }) => PUTTING_BACK.has(type)),
    settle: (before, after, meta) => settleSnapshots(before, settleClusters(before, after, meta), meta),
    nextArrivalMs: nextDeliveryMs,
    addCalendars: ({ secrets }, to) => {
      for (const name in secrets) {
        const cluster = secrets[name] as Cluster;
        for (const part of awakeParts(cluster)) to.push(calendarOf(cluster, part));
      }
    },
    calendarPlace: ({ secrets }, index) => {
      let after = index;
      for (const cluster in secrets) {
        const parts = awakeParts(secrets[cluster] as Cluster);
        const part = parts[after];
        if (part !== undefined) return { owner: { cluster }, place: { cluster, part } };
        after -= parts.length;
      }
      throw new RangeError(`no cluster has a calendar of the index ${index}`);
    },
    withCalendar: (world, { cluster, part }, change) => {
      if (cluster === undefined) return undefined;
      const at = { cluster: cluster as ClusterName };
      if (part === "election") {
        return withIgnored(world, at, (ignored) =>
          withMember(
            ignored,
            "election",
            (election) => election && withMember(election, "calendar", change),
            copyOfIgnored,
          ),
        );
      }
      if (part !== "replicated" && part !== "local" && part !== "ignored") return undefined;
      return withPart(world, at, part, (holder) =>
        withMember<Cluster[typeof part], "calendar">(holder, "calendar", change, COPY_OF_PART[part] as never),
      );
    },
  },
  decides: {
    deciderOf: ({ name, caller }) => {
      const cluster = caller?.["cluster"] as ClusterName;
      return (
        requestDecider(name) ??
        deciderIn(secretsTimers, name, cluster) ??
        deciderIn(secretsControls, name, cluster) ??
        deciderIn(surroundingControls, name, cluster)
      );
    },
    failNextRequests: {
      isFor: (service) => typeof service === "object" && service !== null && "cluster" in service,
      decide: injectClusterFailure,
    },
  },
  options: secretsOptions,
  calls: {
    handles: { secrets: secretsHandle, ...surroundingHandles },
    doorTo: (host, { cluster }) =>
      cluster === undefined ? undefined : clusterHandle(host, cluster as ClusterName, "call").as,
    ofNetwork: clusterNetworkHandle,
    ofFaults: storageFaults,
    lossReport,
    lossForecast,
  },
  http: {
    base: "/v1",
    places: ["cluster", "node"],
    origins: ({ secrets }) => Object.keys(secrets).map((name) => originsOf(name, (secrets[name] as Cluster).ignored)),
    placeAt: ({ secrets }, origin) => {
      for (const name in secrets) {
        const place = originsOf(name, (secrets[name] as Cluster).ignored).get(origin);
        if (place !== undefined) return place;
      }
      return undefined;
    },
    answer: (host, place, asked) => answerHttp(host, placeOf(place), asked),
    operationOf: (world, { cluster }, asked) => operationOf(world, cluster as ClusterName, asked),
    unplaced: (host, _place, asked, message) => unplaced(host, asked, message),
    stopped: (world, place) => {
      const { cluster, node } = placeOf(place);
      return stoppedAt(clusterOf(world, cluster).ignored, node);
    },
    failure: failureForm,
  },
  openapi: {
    title: "Secrets service",
    security: { token: { type: "apiKey", in: "header", name: "X-Secrets-Token" } },
    otherSecurity: { [ACCESS_TOKEN]: { type: "http", scheme: "bearer" }, [CLIENT]: { type: "http", scheme: "basic" } },
    described: describedSecrets,
  },
  why: secretsWhy,
  words: { neutral: secretsWords, routesAt, pathOf: renamedTemplate },
  bodyOf: ({ enveloped, bare, unsigned }: Reply<unknown>, signed: boolean) => {
    const body = enveloped ?? bare;
    if (unsigned === undefined) return body;
    return withToken(body, unsigned, signed ? renderToken(unsigned.token) : claimsOf(unsigned.token));
  },
  prepare: ({ state, nowMs, caller }, name, input) => {
    const operation = secretsRegistry.byName.get(name);
    if (operation === undefined) return input;
    return preparedInput({ state, nowMs, caller: caller as SecretsCaller }, operation, input);
  },
} as const satisfies ServiceModule<ConnectedWorld>;

function placeOf({ cluster, node }: HandlePlace): SecretsPlace {
  const name = cluster as ClusterName;
  return node === undefined ? { cluster: name } : { cluster: name, node: Number(node) };
}

/** Remembered: the nodes of a cluster seldom change, and its address never does. */
const known = new WeakMap<Nodes, Origins>();

function originsOf(cluster: string, { url, nodes }: Cluster["ignored"]): Origins {
  let origins = known.get(nodes);
  if (origins === undefined) {
    origins = new Map<string, HandlePlace>([
      [new URL(url).origin, { cluster }],
      ...nodeUrls(url, nodes.count).map((origin, node): [string, HandlePlace] => [
        origin,
        { cluster, node: `${node}` },
      ]),
    ]);
    known.set(nodes, origins);
  }
  return origins;
}
