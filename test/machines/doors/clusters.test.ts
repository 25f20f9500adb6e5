import { clusterMachine } from "../../../machines/cluster.machine.ts";
import { rekeyMachine } from "../../../machines/rekey.machine.ts";
import { sealMachine } from "../../../machines/seal.machine.ts";
import { tokenGenerationMachine } from "../../../machines/token-generation.machine.ts";
import { createSimulator } from "../../../src/index.ts";
import { statusOf } from "../../../src/services/secrets/cluster/state.ts";
import { drPair } from "../../contract/secrets/replication/dr-secondary.ts";
import { describeDoors } from "./doors.ts";

function oneCluster() {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const give = (index: number) => main.as().seal.unseal({ key: main.keyShares[index] ?? "" });
  return { sim, main, give, ignored: () => sim.state.secrets["main"]?.ignored };
}

function threeNodes() {
  const sim = createSimulator({ secrets: { nodes: 3 } });
  const main = sim.secrets.cluster("main");
  const { network } = sim;
  return {
    sim,
    stop: () => network.stop(main),
    start: () => network.start(main),
    stopNode: (node: number) => network.stopNode(main, node),
    startNode: (node: number) => network.startNode(main, node),
    setActiveNode: (node: number) => main.setActiveNode(node),
    status: () => {
      const ignored = sim.state.secrets["main"]?.ignored;
      return ignored && statusOf(ignored);
    },
  };
}

describeDoors(clusterMachine, {
  world: threeNodes,
  stateIn: (w) => w.status(),
  moves: [
    { state: "running", move: "stop", to: "stopped", story: [(w) => w.stop()] },
    { state: "running", move: "start", to: "running", story: [(w) => w.start()] },
    { state: "running", move: "stopNode", guard: "else", to: "running", story: [(w) => w.stopNode(1)] },
    { state: "running", move: "stopNode", guard: "isActive", to: "electing", story: [(w) => w.stopNode(0)] },
    {
      state: "running",
      move: "stopNode",
      guard: "isLast",
      to: "stopped",
      story: [(w) => w.stopNode(1), (w) => w.stopNode(2), (w) => w.stopNode(0)],
    },
    {
      state: "running",
      move: "startNode",
      to: "running",
      story: [(w) => w.stopNode(1), (w) => w.startNode(1)],
    },
    { state: "running", move: "elect", to: "running", story: [(w) => w.setActiveNode(1)] },
    { state: "electing", move: "stop", to: "stopped", story: [(w) => w.stopNode(0), (w) => w.stop()] },
    { state: "electing", move: "start", to: "electing", story: [(w) => w.stopNode(0), (w) => w.start()] },
    {
      state: "electing",
      move: "stopNode",
      guard: "else",
      to: "electing",
      story: [(w) => w.stopNode(0), (w) => w.stopNode(1)],
    },
    {
      state: "electing",
      move: "stopNode",
      guard: "isLast",
      to: "stopped",
      story: [(w) => w.stopNode(0), (w) => w.stopNode(1), (w) => w.stopNode(2)],
    },
    { state: "electing", move: "startNode", to: "electing", story: [(w) => w.stopNode(0), (w) => w.startNode(0)] },
    { state: "electing", move: "elect", to: "running", story: [(w) => w.stopNode(0), (w) => w.setActiveNode(2)] },
    {
      state: "electing",
      move: "elect",
      to: "running",
      story: [(w) => w.stopNode(0), (w) => w.sim.clock.advance("10s")],
    },
    { state: "stopped", move: "stop", to: "stopped", story: [(w) => w.stop(), (w) => w.stop()] },
    { state: "stopped", move: "start", to: "running", story: [(w) => w.stop(), (w) => w.start()] },
    { state: "stopped", move: "stopNode", to: "stopped", story: [(w) => w.stop(), (w) => w.stopNode(0)] },
    { state: "stopped", move: "startNode", to: "running", story: [(w) => w.stop(), (w) => w.startNode(2)] },
    { state: "stopped", move: "elect", to: "stopped", story: [(w) => w.stop(), (w) => w.setActiveNode(2)] },
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

describeDoors(tokenGenerationMachine, {
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

function keyHolders() {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { rekey } = main.as();
  const old = main.keyShares;
  const wrong = ["ab", "cd", "ef"].map((byte) => byte.repeat(33));
  const slice = () => sim.state.secrets["main"]?.ignored.rekey;
  const start = (require_verification = false) =>
    rekey.start({ secret_shares: 3, secret_threshold: 2, require_verification });
  const give = (key = "") => rekey.update({ key, nonce: slice()?.nonce ?? "" });
  const show = (key = slice()?.shares[0] ?? "", nonce = slice()?.verificationNonce ?? "") =>
    rekey.verify({ key, nonce });
  /** Begins an attempt, to which all but one share was given. */
  const nearlyDone = async (verified: boolean) => {
    await start(verified);
    for (const key of old.slice(0, 2)) await give(key);
  };
  const verifying = async () => {
    await nearlyDone(true);
    await give(old[2]);
  };
  const state = () => {
    const rekeying = slice();
    if (rekeying === undefined) return "no_rekey";
    return rekeying.verificationNonce === undefined ? "rekeying" : "verifying";
  };
  return { sim, rekey, old, wrong, slice, start, give, show, nearlyDone, verifying, state };
}

describeDoors(rekeyMachine, {
  world: keyHolders,
  stateIn: ({ state }) => state(),
  moves: [
    { state: "no_rekey", move: "start", to: "rekeying", story: [(w) => w.start()] },
    { state: "no_rekey", move: "cancel", to: "no_rekey", story: [(w) => w.rekey.cancel()] },
    { state: "rekeying", move: "cancel", to: "no_rekey", story: [(w) => w.start(), (w) => w.rekey.cancel()] },
    {
      state: "rekeying",
      move: "giveShare",
      guard: "makesTheKeyUnverified",
      to: "rekeyed",
      ends: "no_rekey",
      story: [(w) => w.nearlyDone(false), (w) => w.give(w.old[2])],
    },
    {
      state: "rekeying",
      move: "giveShare",
      guard: "makesTheKey",
      to: "verifying",
      story: [(w) => w.nearlyDone(true), (w) => w.give(w.old[2])],
    },
    {
      state: "rekeying",
      move: "giveShare",
      guard: "isNewAndNotTheLast",
      to: "rekeying",
      story: [(w) => w.start(), (w) => w.give(w.old[0])],
    },
    { state: "verifying", move: "cancel", to: "no_rekey", story: [(w) => w.verifying(), (w) => w.rekey.cancel()] },
    {
      state: "verifying",
      move: "restartVerification",
      to: "verifying",
      story: [(w) => w.verifying(), (w) => w.rekey.restartVerification()],
    },
    {
      state: "verifying",
      move: "giveNewShare",
      guard: "isNewAndNotTheLast",
      to: "verifying",
      story: [(w) => w.verifying(), (w) => w.show()],
    },
    {
      state: "verifying",
      move: "giveNewShare",
      guard: "makesTheKey",
      to: "rekeyed",
      ends: "no_rekey",
      story: [(w) => w.verifying(), (w) => w.show(), (w) => w.show(w.slice()?.shares[1])],
    },
  ],
  refused: [
    { state: "rekeying", move: "start", story: [(w) => w.start(), (w) => w.start()] },
    { state: "verifying", move: "start", story: [(w) => w.verifying(), (w) => w.start()] },
    { state: "rekeying", move: "giveNewShare", story: [(w) => w.start(), (w) => w.show(w.old[0])] },
    {
      state: "rekeying",
      move: "restartVerification",
      story: [(w) => w.start(), (w) => w.rekey.restartVerification()],
    },
    {
      state: "rekeying",
      move: "giveShare",
      keeps: ["RekeySharesForgotten"],
      story: [(w) => w.nearlyDone(false), (w) => w.give(w.wrong[0])],
    },
    {
      state: "rekeying",
      move: "giveShare",
      story: [(w) => w.nearlyDone(false), (w) => w.give(w.old[0])],
    },
    { state: "verifying", move: "giveShare", story: [(w) => w.verifying(), (w) => w.give(w.old[0])] },
    {
      state: "verifying",
      move: "giveNewShare",
      keeps: ["RekeySharesForgotten"],
      story: [(w) => w.verifying(), (w) => w.show(), (w) => w.show(w.wrong[0])],
    },
    {
      state: "verifying",
      move: "giveNewShare",
      story: [(w) => w.verifying(), (w) => w.show(undefined, "of another attempt")],
    },
  ],
  noDoor: [
    {
      states: ["no_rekey"],
      moves: ["giveShare", "giveNewShare", "restartVerification"],
      why: "Without an attempt there is nothing to ask: it is refused before.",
    },
    {
      states: ["rekeyed"],
      moves: ["start", "cancel", "giveShare", "giveNewShare", "restartVerification"],
      why: "The attempt has gone with what it led to: whoever asks then finds none.",
    },
  ],
});
