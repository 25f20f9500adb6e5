import { secretIdMachine } from "../../../machines/secret-id.machine.ts";
import { joined, replicatedWorld } from "../../contract/secrets/replication/replicated-world.ts";
import { describeDoors } from "./doors.ts";

/** A role on a primary, and programs that log in here and there. */
async function programs() {
  const { sim, cluster } = replicatedWorld(["primary", "secondary"]);
  const [primary, secondary] = [cluster("primary"), cluster("secondary")];
  const { auth, approle } = primary.as(primary.rootToken);
  auth.enable({ path: "approle", type: "approle" });
  approle.write({ role_name: "web", role_id: "web" });
  await joined("performance", primary, secondary);
  const issue = (more: object = {}) => {
    approle.secretIds.custom({ role_name: "web", secret_id: "x", ...more });
    sim.settle();
  };
  const login = (at = primary) => at.as().approle.login({ role_id: "web", secret_id: "x" });
  const destroy = () => approle.secretIds.destroy({ role_name: "web", secret_id: "x" });
  return { sim, primary, secondary, issue, login, destroy };
}

describeDoors(secretIdMachine, {
  world: programs,
  stateIn: ({ sim }) => {
    const mount = sim.state.secrets["primary"]?.replicated.mounts.get("auth/approle/");
    return mount?.type === "auth/approle" && mount.secretIds.size > 0 ? "issued" : "ended";
  },
  moves: [
    {
      state: "issued",
      move: "use",
      guard: "isUsedUp",
      to: "ended",
      story: [(w) => w.issue({ num_uses: 1 }), (w) => w.login()],
    },
    {
      state: "issued",
      move: "use",
      guard: "isInForce",
      to: "issued",
      story: [(w) => w.issue({ num_uses: 2 }), (w) => w.login()],
    },
    { state: "issued", move: "destroy", to: "ended", story: [(w) => w.issue(), (w) => w.destroy()] },
    {
      state: "issued",
      move: "expire",
      to: "ended",
      story: [(w) => w.issue({ ttl: "1h" }), (w) => w.sim.clock.advance("1h")],
    },
  ],
  refused: [
    {
      // It has ended on the primary, and nobody has told the secondary.
      state: "issued",
      move: "use",
      story: ({ sim, primary, secondary, issue, login }) => {
        issue({ ttl: "1h" });
        sim.network.cut(primary, secondary);
        sim.clock.advance("1h");
        return () => login(secondary);
      },
    },
    { state: "ended", move: "use", story: (w) => () => w.login() },
    { state: "ended", move: "destroy", goesOn: true, story: (w) => () => w.destroy() },
  ],
  noDoor: [
    {
      states: ["issued"],
      moves: ["destroy"],
      refusal: true,
      why: "It is destroyed where its shared storage is written, and has ended there at its instant.",
    },
    { states: ["ended"], moves: ["expire"], why: "What has ended is due no more." },
  ],
});
