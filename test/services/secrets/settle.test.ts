import { describe, expect, test } from "vitest";
import type { LogPosition } from "../../../src/kernel/brand.ts";
import { FoldPass } from "../../../src/kernel/fold.ts";
import { secondaryState } from "../../../src/services/secrets/replication/links.ts";
import { settleClusters } from "../../../src/services/secrets/settle.ts";
import type { Cluster } from "../../../src/services/secrets/state.ts";
import { joined, replicatedWorld } from "../../contract/secrets/replication/replicated-world.ts";

// decisions-replication.md, 6.9: whatever replaces the storage of a cluster counts it in `restores`, and the rest follows.

async function restored(kind: "dr" | "performance", syncDurations: { readonly diff?: string; readonly sync?: string }) {
  const { sim, cluster } = replicatedWorld(["a", "b"], { syncDurations });
  const [a, b] = [cluster("a"), cluster("b")];
  await joined(kind, a, b);
  sim.settle();
  a.as(a.rootToken).kv.write({ path: "x", v: 1 });
  const before = sim.state;
  const was = before.secrets["a"] as Cluster;
  const taken = sim.at(sim.position - 1).state.secrets["a"] as Cluster;
  const is: Cluster = Object.freeze({
    ...was,
    replicated: taken.replicated,
    ignored: Object.freeze({ ...was.ignored, restores: was.ignored.restores + 1 }),
  });
  const after = Object.freeze({ ...before, secrets: Object.freeze({ ...before.secrets, a: is }) });
  const pass = new FoldPass((sim.position + 1) as LogPosition, sim.clock.now());
  const { secrets } = settleClusters(before, after, pass);
  return { nowMs: sim.clock.now(), was, a: secrets["a"] as Cluster, b: secrets["b"] as Cluster, taken };
}

describe.each(["dr", "performance"] as const)("after the storage of a primary was replaced, a %s secondary", (kind) => {
  test("holds what is there now, and the index goes on", async () => {
    const { a, b, was, taken } = await restored(kind, {});
    expect(a.ignored.walIndex).toBe(was.ignored.walIndex + 1);
    expect(a.ignored.wal?.base).toBe(a.ignored.walIndex);
    expect(b.replicated).toBe(taken.replicated);
    expect(b.ignored.links[kind]?.applied).toBe(a.ignored.walIndex);
  });

  test("compares its tree first", async () => {
    const { b, nowMs } = await restored(kind, { diff: "1s", sync: "1s" });
    expect(secondaryState(b.ignored.links[kind], nowMs)).toBe("merkle-diff");
  });
});
