import { clusterMachine } from "../../../machines/cluster.machine.ts";
import { drOperationTokenMachine } from "../../../machines/dr-operation-token.machine.ts";
import { sealMachine } from "../../../machines/seal.machine.ts";
import { createSimulator } from "../../../src/index.ts";
import { drPair } from "../../contract/secrets/replication/dr-secondary.ts";
import { describeDoors } from "./doors.ts";

function oneCluster() {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const give = (index: number) => main.as().seal.unseal({ key: main.keyShares[index] ?? "" });
  return { sim, main, give, ignored: () => sim.state.secrets["main"]?.ignored };
}

describeDoors(clusterMachine, {
  world: oneCluster,
  stateIn: ({ ignored }) => (ignored()?.running ? "running" : "stopped"),
  moves: [
    {
      state: "running",
      move: "stop",
      to: "stopped",
      story:
        ({ sim, main }) =>
        () =>
          sim.network.stop(main),
    },
    {
      state: "running",
      move: "start",
      to: "running",
      story:
        ({ sim, main }) =>
        () =>
          sim.network.start(main),
    },
    {
      state: "stopped",
      move: "stop",
      to: "stopped",
      story: [(w) => w.sim.network.stop(w.main), (w) => w.sim.network.stop(w.main)],
    },
    {
      state: "stopped",
      move: "start",
      to: "running",
      story: [(w) => w.sim.network.stop(w.main), (w) => w.sim.network.start(w.main)],
    },
  ],
});

describeDoors(sealMachine, {
  world: oneCluster,
  stateIn: ({ ignored }) => ignored()?.seal.status,
  moves: [
    {
      state: "unsealed",
      move: "seal",
      to: "sealed",
      story:
        ({ main }) =>
        () =>
          main.as(main.rootToken).seal.seal(),
    },
    {
      state: "unsealed",
      move: "giveShare",
      to: "unsealed",
      story:
        ({ give }) =>
        () =>
          give(0),
    },
    {
      state: "unsealed",
      move: "unseal",
      to: "unsealed",
      story:
        ({ main }) =>
        () =>
          main.unseal(),
    },
    { state: "sealed", move: "seal", to: "sealed", story: [(w) => w.main.seal(), (w) => w.main.seal()] },
    {
      state: "sealed",
      move: "giveShare",
      guard: "opens",
      to: "unsealed",
      story: [(w) => w.main.seal(), (w) => w.give(0), (w) => w.give(1), (w) => w.give(2)],
    },
    {
      state: "sealed",
      move: "giveShare",
      guard: "isIncomplete",
      to: "sealed",
      story: [(w) => w.main.seal(), (w) => w.give(0), (w) => w.give(1)],
    },
    {
      state: "sealed",
      move: "reset",
      to: "sealed",
      story: [(w) => w.main.seal(), (w) => w.give(0), (w) => w.main.as().seal.unseal({ reset: true })],
    },
    { state: "sealed", move: "unseal", to: "unsealed", story: [(w) => w.main.seal(), (w) => w.main.unseal()] },
  ],
  refused: [
    {
      state: "unsealed",
      move: "reset",
      story:
        ({ main }) =>
        () =>
          main.as().seal.unseal({ reset: true }),
    },
    {
      state: "sealed",
      move: "giveShare",
      keeps: ["KeySharesForgotten"],
      story: [
        (w) => w.main.seal(),
        (w) => w.give(0),
        (w) => w.give(1),
        (w) => w.main.as().seal.unseal({ key: "ab".repeat(33) }),
      ],
    },
  ],
});

async function drSecondary() {
  const { sim, b } = await drPair();
  const { operationToken } = b.as().replication.dr;
  /** Begins an attempt, to which so many shares were given, and gives what gives another. */
  const begun = async (given: number) => {
    const { nonce } = await operationToken.start();
    const give = (key: string | undefined = b.keyShares[given], ofAttempt = nonce) =>
      operationToken.update({ key: key ?? "", nonce: ofAttempt });
    for (const key of b.keyShares.slice(0, given)) await give(key);
    return give;
  };
  const attempt = () => (sim.state.secrets["b"]?.ignored.generation === undefined ? "no_attempt" : "attempt_started");
  return { sim, b, operationToken, begun, attempt };
}

describeDoors(drOperationTokenMachine, {
  world: drSecondary,
  stateIn: ({ attempt }) => attempt(),
  moves: [
    {
      state: "no_attempt",
      move: "start",
      to: "attempt_started",
      story:
        ({ operationToken }) =>
        () =>
          operationToken.start(),
    },
    {
      state: "no_attempt",
      move: "cancel",
      to: "no_attempt",
      story:
        ({ operationToken }) =>
        () =>
          operationToken.cancel(),
    },
    {
      state: "attempt_started",
      move: "cancel",
      to: "no_attempt",
      story: [(w) => w.begun(1), (w) => w.operationToken.cancel()],
    },
    {
      state: "attempt_started",
      move: "giveShare",
      guard: "makesTheKey",
      to: "complete",
      ends: "no_attempt",
      story: async ({ begun }) => begun(2),
    },
    {
      state: "attempt_started",
      move: "giveShare",
      guard: "isNewAndNotTheLast",
      to: "attempt_started",
      story: async ({ begun }) => begun(1),
    },
  ],
  refused: [
    {
      state: "no_attempt",
      move: "giveShare",
      story: ({ b, operationToken }) => {
        const [key = ""] = b.keyShares;
        return () => operationToken.update({ key, nonce: "" });
      },
    },
    { state: "attempt_started", move: "start", story: [(w) => w.begun(1), (w) => w.operationToken.start()] },
    {
      state: "attempt_started",
      move: "giveShare",
      story: async ({ begun }) => {
        const give = await begun(1);
        return () => give(undefined, "of another attempt");
      },
    },
    {
      state: "attempt_started",
      move: "giveShare",
      story: async ({ b, begun }) => {
        const give = await begun(2);
        return () => give(b.keyShares[0]);
      },
    },
    {
      state: "attempt_started",
      move: "giveShare",
      keeps: ["DrOperationTokenSharesForgotten"],
      story: async ({ begun }) => {
        const give = await begun(2);
        return () => give("ab".repeat(33));
      },
    },
  ],
  noDoor: [
    {
      states: ["complete"],
      moves: ["start", "cancel", "giveShare"],
      why: "The attempt has gone with its token: whoever asks then finds none.",
    },
  ],
});
