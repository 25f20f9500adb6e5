import { secondaryLinkMachine } from "../../../machines/secondary-link.machine.ts";
import {
  activationToken,
  join,
  joined,
  replicatedWorld,
  rootOf,
} from "../../contract/secrets/replication/replicated-world.ts";
import { LOCAL } from "../../contract/secrets/snapshot-world.ts";
import { describeDoors } from "./doors.ts";

/** `b` joins `a` as a performance secondary: 10 s of comparing, and 20 s of fetching where something differs. */
function pair() {
  const { sim, cluster, operationToken } = replicatedWorld(["a", "b", "c"], {
    syncDurations: { diff: "10s", sync: "20s" },
    walBuffer: 8,
  });
  const [a, b, c] = [cluster("a"), cluster("b"), cluster("c")];
  const write = (count = 1) => {
    const { kv } = a.as(rootOf(a));
    for (let entry = 0; entry < count; entry++) kv.write({ path: `e${entry}`, data: entry });
  };
  const of = (handle = b) => handle.as(rootOf(handle)).replication.performance;
  const enter = () => joined("performance", a, b);
  const attached = async (to = a) => {
    const token = await activationToken("performance", to, "again");
    const calls = of();
    return () => calls.updatePrimary({ token });
  };
  const streaming = async () => {
    write();
    await enter();
    sim.clock.advance("1m");
  };
  /** It streams, and snapshots of both are there. */
  const saved = async () => {
    await streaming();
    for (const handle of [a, b]) {
      const { snapshots } = handle.as(rootOf(handle));
      snapshots.write({ name: "s", interval: "1h", ...LOCAL });
      sim.clock.advance("1h");
      snapshots.delete({ name: "s" });
    }
  };
  const restore = (handle = b) => {
    const [stored] = sim.stores.list("", { cluster: handle });
    return () => handle.restoreSnapshot(stored?.url ?? "");
  };
  /** A secondary itself is not restored: it stands alone first. */
  const restoredAlone = () => {
    of().secondaryDisable();
    return restore();
  };
  const cut = () => sim.network.cut(a, b);
  const detach = () => of().updatePrimary({ token: "" });
  const revoke = () => of(a).revokeSecondary({ id: "b" });
  /** It led, and is a secondary of nobody. */
  const demoted = () => {
    of().promote();
    of().primaryDemote();
  };
  /** Brings the link into a state. */
  const into = {
    "stream-wals": saved,
    cut: async () => {
      await saved();
      cut();
    },
    refused: async () => {
      await saved();
      revoke();
    },
    detached: async () => {
      await saved();
      await detach();
    },
    restored: async () => {
      await saved();
      cut();
      restoredAlone()();
    },
    // What it is attached to anew differs from what it holds by then.
    "merkle-diff": async () => {
      await saved();
      cut();
      write(20);
      sim.network.heal();
    },
    "merkle-sync": async () => {
      await into["merkle-diff"]();
      sim.clock.advance("15s");
    },
  };
  const status = () => sim.state.secrets["b"]?.ignored.links.performance?.status;
  const heal = () => sim.network.heal();
  const look = () => b.as().replication.performance.status();
  return {
    sim,
    a,
    b,
    c,
    write,
    of,
    enter,
    attached,
    streaming,
    restore,
    restoredAlone,
    cut,
    heal,
    detach,
    revoke,
    demoted,
    into,
    saved,
    status,
    look,
    operationToken,
  };
}
type World = ReturnType<typeof pair>;
type Kept = keyof World["into"];

const detaching = (state: Kept) => ({
  state,
  move: "detach" as const,
  to: "detached" as const,
  story: async ({ into, detach }: World) => {
    await into[state]();
    return detach;
  },
});
const attaching = (state: Kept) => ({
  state,
  move: "attach" as const,
  to: "cut" as const,
  ends: "merkle-diff" as const,
  story: async ({ into, attached }: World) => {
    await into[state]();
    return attached();
  },
});
const restoring = (state: Kept, ends: "restored" | "refused" | "merkle-diff") => ({
  state,
  move: "restore" as const,
  to: "restored" as const,
  ends,
  story: async ({ into, restoredAlone }: World) => {
    await into[state]();
    return restoredAlone();
  },
});
const breaking = (state: Kept) => ({
  state,
  move: "breakOff" as const,
  to: "cut" as const,
  story: async ({ into, cut }: World) => {
    await into[state]();
    return cut;
  },
});

describeDoors(secondaryLinkMachine, {
  world: pair,
  stateIn: ({ status }) => status(),
  settles: true,
  moves: [
    {
      state: "idle",
      move: "connect",
      to: "merkle-diff",
      story: async ({ saved, demoted, restoredAlone }) => {
        await saved();
        demoted();
        return restoredAlone();
      },
    },
    { state: "idle", move: "restore", to: "restored", ends: "merkle-diff", story: ({ enter }) => enter },
    detaching("restored"),
    {
      ...attaching("restored"),
      story: async ({ saved, demoted, attached }) => {
        await saved();
        demoted();
        return attached();
      },
    },
    restoring("restored", "restored"),
    {
      state: "restored",
      move: "connect",
      guard: "canBeStreamed",
      to: "stream-wals",
      // `c` is a performance secondary of `a`, and `b` takes its place.
      story: async ({ sim, a, b, c, operationToken }) => {
        await joined("performance", a, c, "c");
        sim.clock.advance("1m");
        await joined("dr", c, b);
        sim.clock.advance("1m");
        const dr_operation_token = operationToken(b);
        return () => b.as().replication.dr.promote({ dr_operation_token });
      },
    },
    { state: "restored", move: "connect", guard: "else", to: "merkle-diff", story: ({ enter }) => enter },
    {
      state: "restored",
      move: "refuse",
      to: "refused",
      story: async ({ into, restoredAlone }) => {
        await into.refused();
        return restoredAlone();
      },
    },
    detaching("cut"),
    {
      ...attaching("cut"),
      // `a`, which it was connected to, leads no more.
      story: async ({ sim, a, c, of, saved, attached }) => {
        await saved();
        await join("performance", a, c, "c");
        sim.clock.advance("1m");
        of(a).primaryDemote();
        of(c).promote();
        return attached(c);
      },
    },
    restoring("cut", "restored"),
    {
      state: "cut",
      move: "connect",
      guard: "canBeStreamed",
      to: "stream-wals",
      story: [(w) => w.into.cut(), (w) => w.heal()],
    },
    {
      state: "cut",
      move: "connect",
      guard: "else",
      to: "merkle-diff",
      story: [(w) => w.into.cut(), (w) => w.write(20), (w) => w.heal()],
    },
    { state: "cut", move: "refuse", to: "refused", story: [(w) => w.streaming(), (w) => w.revoke()] },
    detaching("refused"),
    attaching("refused"),
    restoring("refused", "refused"),
    {
      state: "refused",
      move: "connect",
      to: "merkle-diff",
      story: async ({ a, into, restore }) => {
        await into.refused();
        return restore(a);
      },
    },
    {
      state: "refused",
      move: "refuse",
      to: "refused",
      story: [(w) => w.into.refused(), (w) => w.sim.network.cut(w.b, w.c)],
    },
    detaching("detached"),
    attaching("detached"),
    restoring("detached", "merkle-diff"),
    detaching("stream-wals"),
    attaching("stream-wals"),
    breaking("stream-wals"),
    {
      state: "stream-wals",
      move: "fallBehind",
      to: "merkle-diff",
      story: [(w) => w.streaming(), (w) => w.sim.network.setLag(w.a, w.b, "1m"), (w) => w.write(20)],
    },
    detaching("merkle-diff"),
    attaching("merkle-diff"),
    breaking("merkle-diff"),
    { state: "merkle-diff", move: "fallBehind", to: "merkle-diff", story: ({ enter }) => enter },
    {
      state: "merkle-diff",
      move: "compared",
      to: "merkle-sync",
      // It follows from time, and no commit notes it.
      ends: "merkle-diff",
      story: [(w) => w.into["merkle-sync"](), (w) => w.look()],
    },
    {
      state: "merkle-diff",
      move: "synced",
      to: "stream-wals",
      story: async ({ sim, saved, attached }) => {
        await saved();
        await (await attached())();
        return () => sim.clock.advance("10s");
      },
    },
    detaching("merkle-sync"),
    attaching("merkle-sync"),
    breaking("merkle-sync"),
    {
      state: "merkle-sync",
      move: "synced",
      to: "stream-wals",
      story: [(w) => w.into["merkle-sync"](), (w) => w.sim.clock.advance("15s")],
    },
  ],
  refused: [
    { state: "merkle-diff", move: "compared", goesOn: true, story: [(w) => w.into["merkle-diff"](), (w) => w.look()] },
  ],
  noDoor: [
    {
      states: ["idle"],
      moves: ["refuse", "breakOff", "fallBehind", "compared", "synced", "detach", "attach"],
      why: "There is no link: one is made as restored, or connects.",
    },
    {
      states: ["restored", "cut", "refused", "detached"],
      moves: ["breakOff", "fallBehind", "compared", "synced"],
      why: "Nothing is compared, breaks or falls behind that is not connected.",
    },
    { states: ["detached"], moves: ["connect", "refuse"], why: "It has no address: nobody can answer." },
    {
      states: ["stream-wals", "merkle-diff", "merkle-sync"],
      moves: ["connect", "refuse", "restore"],
      why: "Whoever is connected is cut first, and is not restored as long as it is a secondary.",
    },
    { states: ["stream-wals"], moves: ["compared", "synced"], why: "No comparison runs." },
    {
      states: ["merkle-sync"],
      moves: ["fallBehind", "compared"],
      why: "It fetches what its primary has at the end, however far that is; the comparison is over.",
    },
  ],
});
