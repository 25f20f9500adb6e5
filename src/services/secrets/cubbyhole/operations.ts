import { bearerOf } from "../access.ts";
import { bodyCommand, command, type SecretsReading, view } from "../declare.ts";
import { isEmpty } from "../kv/operations.ts";
import { keysBelow, refuseRelative, VALUE_PATH, VALUE_PREFIX } from "../kv/paths.ts";
import { childrenOf, listing } from "../listing.ts";
import { pairPrefix as tokenKey } from "../pair-key.ts";
import { refuse } from "../rejections.ts";
import { done, stored } from "../reply.ts";
import type { TokenId } from "../tokens/state.ts";
import { clusterOf } from "../world.ts";

/** What a token keeps for itself, whatever the namespace of the request (decisions-secrets-core.md, D.5). */
export const cubbyholeOperations = {
  list: view({
    route: "LIST /v1/cubbyhole/**:prefix",
    evidence: "observed",
    names: VALUE_PREFIX,
    view: (reading, { prefix }) => {
      const { token, entries } = cubbyholeOf(reading);
      const all = tokenKey(token);
      const below = {
        firstFrom: (from: string): readonly [string, unknown] | undefined => {
          for (const [key, data] of entries.entries({ from: all + from })) {
            return key.startsWith(all) ? [key.slice(all.length), data] : undefined;
          }
          return undefined;
        },
      };
      return listing(childrenOf(below, keysBelow(prefix)));
    },
  }),
  read: view({
    route: "GET /v1/cubbyhole/**:path",
    evidence: "observed",
    names: VALUE_PATH,
    view: (reading, { path }) => {
      refuseRelative(path);
      const { token, entries } = cubbyholeOf(reading);
      const data = entries.get(tokenKey(token) + path);
      return data === undefined ? refuse("not_found", {}) : stored(data);
    },
  }),
  write: bodyCommand({
    route: "POST /v1/cubbyhole/**:path",
    evidence: "observed",
    names: VALUE_PATH,
    exists: ({ state, caller }, { path }) =>
      clusterOf(state, caller.cluster).local.cubbyholes.has(tokenKey((caller.token ?? "") as TokenId) + path),
    decide: (decision, { path, data }) => {
      refuseRelative(path);
      const { token } = cubbyholeOf(decision);
      if (path === "") return refuse("cubbyhole_path_missing", {});
      if (isEmpty(data)) return refuse("cubbyhole_data_missing", {});
      decision.record({ type: "CubbyholeWritten", data: { cluster: decision.caller.cluster, token, path, data } });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/cubbyhole/**:path",
    evidence: "observed",
    names: VALUE_PATH,
    decide: (decision, { path }) => {
      refuseRelative(path);
      const { token, entries } = cubbyholeOf(decision);
      if (entries.has(tokenKey(token) + path)) {
        decision.record({ type: "CubbyholeDeleted", data: { cluster: decision.caller.cluster, token, path } });
      }
      return done();
    },
  }),
};

function cubbyholeOf(reading: SecretsReading) {
  const { id, token } = bearerOf(reading);
  if (token.type === "batch") return refuse("cubbyhole_of_batch_token", {});
  return { token: id, entries: clusterOf(reading.state, reading.caller.cluster).local.cubbyholes };
}
