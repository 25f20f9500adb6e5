import type { EventFromLogic } from "xstate";
import { replicationClusterMachine } from "../../../machines/replication-cluster.machine.ts";
import type { SecretsClient } from "../../../src/index.ts";
import {
  activationToken,
  joined,
  replicatedWorld,
  rootOf,
} from "../../contract/secrets/replication/replicated-world.ts";
import { describeDoors, type MadeMove, type RefusedMove } from "./doors.ts";

type Machine = ReturnType<typeof replicationClusterMachine>;
type Move = EventFromLogic<Machine>["type"];
type State = "disabled" | "primary" | "secondary";

function three() {
  const { sim, cluster } = replicatedWorld(["a", "b"], { syncDurations: { diff: "10s" } });
  return { sim, a: cluster("a"), b: cluster("b"), mode: () => sim.state.secrets["b"]?.local.performance.mode };
}
type World = ReturnType<typeof three>;
type Calls = SecretsClient["replication"]["performance"];

/** The call that makes each move, and what it sends. */
const CALLS: { readonly [M in Move]: (calls: Calls, token: string) => unknown } = {
  enablePrimary: (calls) => calls.primaryEnable(),
  demote: (calls) => calls.primaryDemote(),
  disablePrimary: (calls) => calls.primaryDisable(),
  issueToken: (calls) => calls.secondaryToken({ id: "c" }),
  revokeSecondary: (calls) => calls.revokeSecondary({ id: "c" }),
  filter: (calls) => calls.pathsFilter.write({ id: "c", mode: "deny" }),
  generatePublicKey: (calls) => calls.generatePublicKey(),
  enableSecondary: (calls, token) => calls.secondaryEnable({ token }),
  promote: (calls) => calls.promote(),
  disableSecondary: (calls) => calls.secondaryDisable(),
  updatePrimary: (calls) => calls.updatePrimary({ token: "" }),
};

/** Where moves lead that a state has. */
const TABLE: { readonly [S in State]: { readonly [M in Move]?: State } } = {
  disabled: { enablePrimary: "primary", generatePublicKey: "disabled", enableSecondary: "secondary" },
  primary: {
    demote: "secondary",
    disablePrimary: "disabled",
    issueToken: "primary",
    revokeSecondary: "primary",
    filter: "primary",
  },
  secondary: {
    generatePublicKey: "secondary",
    promote: "primary",
    disableSecondary: "disabled",
    updatePrimary: "secondary",
  },
};

/** Puts `b` into a state, and gives what makes a move of it. */
const moving =
  (state: State, move: Move, syncedAfter = "1m") =>
  async ({ sim, a, b }: World) => {
    const root = rootOf(b);
    if (state === "primary") b.as(root).replication.performance.primaryEnable();
    else await joined("performance", a, b);
    if (state === "disabled") b.as(rootOf(b)).replication.performance.secondaryDisable();
    sim.clock.advance(syncedAfter);
    const token =
      move === "enableSecondary" && state !== "primary" ? await activationToken("performance", a, "d") : "x";
    const calls = b.as(rootOf(b)).replication.performance;
    return () => CALLS[move](calls, token);
  };

const STATES = ["disabled", "primary", "secondary"] as const;
const MOVES = Object.keys(CALLS) as Move[];

const moves: MadeMove<Machine, World>[] = [];
const refused: RefusedMove<Machine, World>[] = [];
for (const state of STATES) {
  for (const move of MOVES) {
    const to = TABLE[state][move];
    if (to === undefined) refused.push({ state, move, story: moving(state, move) });
    else moves.push({ state, move, to, story: moving(state, move) });
  }
}

describeDoors(replicationClusterMachine, {
  world: three,
  stateIn: ({ mode }) => mode(),
  moves,
  // Its first comparison runs.
  refused: [...refused, { state: "secondary", move: "promote", story: moving("secondary", "promote", "1s") }],
});
