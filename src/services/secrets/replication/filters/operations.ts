import { command, type SecretsReading, view } from "../../declare.ts";
import { itemList, text } from "../../fields.ts";
import { refuse } from "../../rejections.ts";
import { done, enveloped, repeatingData } from "../../reply.ts";
import { clusterOf } from "../../world.ts";
import { guardMode } from "../guards.ts";
import { move } from "../primary.ts";
import { roleOf } from "../roles.ts";
import { excludedBy, type FilterView, writeFilter } from "./decide.ts";
import type { Filter } from "./state.ts";

// Source of all rules in this file: decisions-replication.md, 7.

/** Ids of secondaries. */
const ID = /^[A-Za-z0-9_-]+$/;

const OF_PRIMARY = { enterprise: true, names: ID, guard: guardMode("performance", "filter") } as const;

function filterOperations(endpoint: "paths-filter" | "mount-filter", words: FilterView) {
  const path = `/v1/sys/replication/performance/primary/${endpoint}/:id` as const;
  return {
    read: view({
      ...OF_PRIMARY,
      route: `GET ${path}`,
      evidence: "chosen",
      view: (reading, { id }) => {
        const filter = filterOf(reading, id) ?? refuse("not_found", {});
        return repeatingData(enveloped({ mode: words[filter.mode], paths: [...filter.paths] }));
      },
    }),
    write: command({
      ...OF_PRIMARY,
      route: `POST ${path}`,
      evidence: "chosen",
      fields: { mode: text, paths: itemList },
      decide: (decision, { id, mode = words.allow, paths = [] }) => {
        writeFilter(decision, id, { mode, paths }, words);
        return done();
      },
    }),
    delete: command({
      ...OF_PRIMARY,
      route: `DELETE ${path}`,
      evidence: "chosen",
      decide: (decision, { id }) => {
        if (filterOf(decision, id) !== undefined) {
          move(decision, "performance", "filter");
          decision.record({ type: "FilterDeleted", data: { cluster: decision.caller.cluster, id } });
        }
        return done();
      },
    }),
  };
}

function filterOf({ state, caller }: SecretsReading, id: string): Filter | undefined {
  const role = roleOf(clusterOf(state, caller.cluster), "performance");
  return role.mode === "primary" ? role.filters.get(id) : undefined;
}

export const pathsFilter = filterOperations("paths-filter", { allow: "allow", deny: "deny" });

/** Deprecated; the same filter, under older words. */
export const mountFilter = filterOperations("mount-filter", { allow: "whitelist", deny: "blacklist" });

/** What a filter excludes now. */
export const dynamicFilter = view({
  ...OF_PRIMARY,
  route: "GET /v1/sys/replication/performance/primary/dynamic-filter/:id",
  evidence: "chosen",
  view: (reading, { id }) => {
    const filter = filterOf(reading, id) ?? refuse("not_found", {});
    const { replicated } = clusterOf(reading.state, reading.caller.cluster);
    return repeatingData(enveloped(excludedBy(replicated, filter)));
  },
});

/** The same as the secondary has received it. */
export const secondaryDynamicFilter = view({
  route: "GET /v1/sys/replication/performance/secondary/dynamic-filter/:id",
  evidence: "chosen",
  enterprise: true,
  names: ID,
  guard: guardMode("performance", "updatePrimary"),
  view: ({ state, caller }, { id }) => {
    const cluster = clusterOf(state, caller.cluster);
    const role = roleOf(cluster, "performance");
    const received = cluster.ignored.links.performance?.filtered;
    if (role.mode !== "secondary" || role.secondaryId !== id || received === undefined) return refuse("not_found", {});
    return repeatingData(enveloped(excludedBy(received.source, received.filter)));
  },
});
