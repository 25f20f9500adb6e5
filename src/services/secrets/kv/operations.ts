import { Table } from "../../../kernel/table.ts";
import { parseContractDuration } from "../../../languages/duration.ts";
import { bodyCommand, command, type SecretsReading, view } from "../declare.ts";
import { leaseTimesOf } from "../leases/issue.ts";
import { childrenOf, listing } from "../listing.ts";
import type { KvMount } from "../mounts/state.ts";
import { type MountPath, mountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, stored } from "../reply.ts";
import { mountAt } from "../world.ts";
import { keysBelow, refuseRelative, VALUE_PATH, VALUE_PREFIX } from "./paths.ts";
import { type KvData, objectOf } from "./state.ts";

/** Values without versions (decisions-secrets-core.md, D.5). */
export const kvOperations = {
  list: view({
    route: "LIST /v1/:mount/**:prefix",
    engine: "kv",
    evidence: "observed",
    names: VALUE_PREFIX,
    view: (reading, { mount, prefix }) => listing(childrenOf(storeAt(reading, mount).entries, keysBelow(prefix))),
  }),
  read: view({
    route: "GET /v1/:mount/**:path",
    engine: "kv",
    evidence: "observed",
    names: VALUE_PATH,
    view: (reading, { mount, path }) => {
      refuseRelative(path);
      const store = storeAt(reading, mount);
      const data = store.entries.get(path);
      if (data === undefined) return refuse("not_found", {});
      const fields = objectOf(data);
      const own = Object.hasOwn(fields, "ttl") ? parseContractDuration(fields["ttl"]) : undefined;
      // It has a time to live, but no lease: nothing ends it.
      const durationSeconds = own?.ok ? own.seconds : leaseTimesOf(store).defaultSeconds;
      return stored(data, { lease: { leaseId: "", renewable: false, durationSeconds } });
    },
  }),
  write: bodyCommand({
    route: "POST /v1/:mount/**:path",
    engine: "kv",
    evidence: "observed",
    names: VALUE_PATH,
    exists: (reading, { mount, path }) => storeAt(reading, mount).entries.has(path),
    decide: (decision, { mount, path, data }) => {
      refuseRelative(path);
      if (path === "") return refuse("path_missing", {});
      if (isEmpty(data)) return refuse("data_missing", {});
      decision.record({ type: "KvWritten", data: { at: mountPlace(decision.caller, mount), path, data } });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/:mount/**:path",
    engine: "kv",
    evidence: "observed",
    names: VALUE_PATH,
    decide: (decision, { mount, path }) => {
      refuseRelative(path);
      if (storeAt(decision, mount).entries.has(path)) {
        decision.record({ type: "KvDeleted", data: { at: mountPlace(decision.caller, mount), path } });
      }
      return done();
    },
  }),
};

/** Whether a body has no member; what is kept as text has some. */
export function isEmpty(data: KvData): boolean {
  if (typeof data === "string") return false;
  for (const _ in data) return false;
  return true;
}

/** The store of a request. Whether it may be asked for at all is looked at before whether it is there: then it is an empty one. */
function storeAt(
  { state, caller }: SecretsReading,
  path: MountPath,
): Pick<KvMount, "entries" | "defaultLeaseTtlSeconds" | "maxLeaseTtlSeconds"> {
  const mount = mountAt(state, mountPlace(caller, path));
  return mount?.type === "kv" ? mount : NO_STORE;
}

const NO_STORE: Pick<KvMount, "entries" | "defaultLeaseTtlSeconds" | "maxLeaseTtlSeconds"> = Object.freeze({
  entries: Table.of<KvData>(),
  defaultLeaseTtlSeconds: 0,
  maxLeaseTtlSeconds: 0,
});
