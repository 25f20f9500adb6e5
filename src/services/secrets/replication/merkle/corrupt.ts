import * as v from "valibot";
import { readArgument } from "../../../../kernel/arguments.ts";
import type { SecretsRecorder } from "../../declare.ts";
import type { ClusterName } from "../../place.ts";
import { clusterOf } from "../../world.ts";
import { corruptPages } from "./pages.ts";
import { MERKLE_TREES, PAGES } from "./state.ts";

function place(what: string): v.GenericSchema<number, number> {
  const message = `${what} is a whole number from 0 to ${PAGES - 1}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(0, message), v.maxValue(PAGES - 1, message));
}

const damage = v.strictObject(
  {
    tree: v.optional(v.picklist(MERKLE_TREES, `tree is one of ${MERKLE_TREES.join(", ")}`), "replicated"),
    page: place("page"),
    subpages: v.optional(
      v.pipe(
        v.array(place("a subpage"), "subpages are an array of numbers"),
        v.minLength(1, "subpages are named, or left out for the whole page"),
      ),
    ),
  },
  "no such option",
);

/** The options of `sim.faults.corruptStorage`. */
export type CorruptStorageOptions = v.InferInput<typeof damage>;

const corrupted = v.strictObject({ cluster: v.strictObject({ cluster: v.string() }), options: v.unknown() });

/** Lets a page of a tree, or some subpages of it, say something else than what is stored. */
export function corruptStorage(decision: SecretsRecorder, input: unknown, cluster: ClusterName): void {
  const { options } = readArgument(corrupted, "faults.corruptStorage", input);
  const { tree, page, subpages = [] } = readArgument(damage, "faults.corruptStorage", options);
  const { ignored } = clusterOf(decision.state, cluster);
  const known = corruptPages(ignored, tree, decision.nowMs).get(page);
  const isKnown = subpages.length > 0 && subpages.every((subpage) => known?.subpages.includes(subpage));
  if (known?.corrupted || isKnown) return;
  const ascending = [...new Set(subpages)].sort((left, right) => left - right);
  decision.record({ type: "StorageCorrupted", data: { cluster, tree, page, subpages: ascending } });
}
