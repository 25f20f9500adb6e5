import { leaseMachine } from "../../../machines/lease.machine.ts";
import { libraryAccountMachine } from "../../../machines/library-account.machine.ts";
import { libraryLoanMachine } from "../../../machines/library-loan.machine.ts";
import type { Simulator } from "../../../src/index.ts";
import { CONFIG, libraryWorld, seedAccount } from "../../contract/secrets/library-world.ts";
import {
  activationToken,
  joined,
  replicatedWorld,
  rootOf,
} from "../../contract/secrets/replication/replicated-world.ts";
import { describeDoors } from "./doors.ts";

function accountIn(sim: Simulator, cluster: string) {
  const mount = sim.state.secrets[cluster]?.replicated.mounts.get("ldap/");
  return mount?.type === "ldap" ? mount.library.accounts.get("svc-1") : undefined;
}

/** An account in a set, a directory that may be down, and, by a quirk, leases that outlive a check-in. */
function lending(quirks: "check-in-keeps-lease"[] = []) {
  const world = libraryWorld({ options: { secrets: { quirks } } });
  const { sim, root, lend, directoryUp } = world;
  world.set("ops", ["svc-1"], { ttl: 3600, max_ttl: 86_400 });
  const { leases, library, orchestrator } = sim.secrets.cluster("main").as(root);
  const local = () => sim.state.secrets["main"]?.local;
  const account = () => accountIn(sim, "main");
  /** A lease that somebody revoked so often while the directory was down. */
  const failed = (times: number): { lease_id: string } => {
    const lease_id = lend("ops").lease;
    directoryUp(false);
    for (let time = 0; time < times; time++) leases.revoke({ lease_id, sync: false });
    return { lease_id };
  };
  return { ...world, leases, library, orchestrator, local, account, failed };
}

const force = { prefix: "ldap/library/ops/check-out" };

describeDoors(leaseMachine, {
  world: () => lending(),
  stateIn: ({ local }) => local()?.leases.first()?.[1].status,
  moves: [
    {
      state: "live",
      move: "renew",
      to: "live",
      story: ({ lend, leases }) => {
        const { lease: lease_id } = lend("ops");
        return () => leases.renew({ lease_id });
      },
    },
    { state: "live", move: "end", to: "ended", story: [(w) => w.lend("ops"), (w) => w.sim.clock.advance("1h")] },
    {
      state: "live",
      move: "revocationFailed",
      to: "retrying",
      story: [(w) => w.lend("ops"), (w) => w.directoryUp(false), (w) => w.sim.clock.advance("1h")],
    },
    {
      state: "live",
      move: "drop",
      to: "ended",
      story: [(w) => w.lend("ops"), (w) => w.directoryUp(false), (w) => w.leases.revokeForce(force)],
    },
    {
      state: "retrying",
      move: "renew",
      to: "retrying",
      story: ({ failed, leases }) => {
        const lease = failed(1);
        return () => leases.renew(lease);
      },
    },
    {
      state: "retrying",
      move: "end",
      to: "ended",
      story: [(w) => w.failed(1), (w) => w.directoryUp(true), (w) => w.sim.clock.advance("20s")],
    },
    {
      state: "retrying",
      move: "revocationFailed",
      guard: "isOutOfAttempts",
      to: "irrevocable",
      story: [(w) => w.failed(5), (w) => w.sim.clock.next()],
    },
    {
      state: "retrying",
      move: "revocationFailed",
      guard: "else",
      to: "retrying",
      story: [(w) => w.failed(4), (w) => w.sim.clock.next()],
    },
    { state: "retrying", move: "drop", to: "ended", story: [(w) => w.failed(1), (w) => w.leases.revokeForce(force)] },
    {
      state: "irrevocable",
      move: "end",
      to: "ended",
      story: ({ failed, directoryUp, leases }) => {
        const lease = failed(6);
        directoryUp(true);
        return () => leases.revoke(lease);
      },
    },
    {
      state: "irrevocable",
      move: "revocationFailed",
      to: "irrevocable",
      story: ({ failed, leases }) => {
        const lease = failed(6);
        return () => leases.revoke(lease);
      },
    },
    {
      state: "irrevocable",
      move: "drop",
      to: "ended",
      story: [(w) => w.failed(6), (w) => w.leases.revokeForce(force)],
    },
  ],
  refused: [
    {
      state: "live",
      move: "renew",
      story: async ({ sim, orchestrator, leases }) => {
        sim.orchestrator.addNamespace("shop");
        sim.orchestrator.addServiceAccount("shop", "app");
        orchestrator.config.write({ orchestrator_host: "https://api.test" });
        await orchestrator.roles.write({
          name: "dev",
          allowed_orchestrator_namespaces: "*",
          service_account_name: "app",
        });
        const { lease_id } = await orchestrator.creds({ role: "dev", orchestrator_namespace: "shop" });
        return () => leases.renew({ lease_id });
      },
    },
    {
      state: "retrying",
      move: "renew",
      story: ({ sim, lend, leases, directoryUp }) => {
        const { lease: lease_id } = lend("ops");
        directoryUp(false);
        sim.clock.advance("1h");
        return () => leases.renew({ lease_id });
      },
    },
    {
      state: "irrevocable",
      move: "renew",
      story: ({ failed, leases }) => {
        const lease = failed(6);
        return () => leases.renew(lease);
      },
    },
    {
      state: "ended",
      move: "renew",
      story: ({ lend, leases }) => {
        const { lease: lease_id } = lend("ops");
        leases.revoke({ lease_id });
        return () => leases.renew({ lease_id });
      },
    },
  ],
  noDoor: [
    {
      states: ["ended"],
      moves: ["end", "revocationFailed", "drop"],
      why: "A lease that has ended is not there: whoever revokes it finds nothing to do.",
    },
  ],
});

describeDoors(libraryAccountMachine, {
  world: () => lending(["check-in-keeps-lease"]),
  stateIn: ({ account }) => account()?.status,
  moves: [
    {
      state: "available",
      move: "checkOut",
      to: "checked_out",
      story:
        ({ lend }) =>
        () =>
          lend("ops"),
    },
    {
      state: "available",
      move: "checkIn",
      to: "available",
      story:
        ({ library }) =>
        () =>
          library.checkIn({ set_name: "ops", service_account_names: ["svc-1"] }),
    },
    {
      state: "available",
      move: "takeBack",
      to: "available",
      story: [(w) => w.lend("ops"), (w) => w.library.checkIn({ set_name: "ops" }), (w) => w.sim.clock.advance("1h")],
    },
    {
      state: "available",
      move: "forget",
      to: "forgotten",
      story:
        ({ library }) =>
        () =>
          library.delete({ set_name: "ops" }),
    },
    {
      state: "checked_out",
      move: "checkIn",
      to: "available",
      story: [(w) => w.lend("ops"), (w) => w.library.checkIn({ set_name: "ops" })],
    },
    {
      state: "checked_out",
      move: "takeBack",
      to: "available",
      story: ({ lend, leases }) => {
        const { lease: lease_id } = lend("ops");
        return () => leases.revoke({ lease_id });
      },
    },
  ],
  refused: [
    {
      state: "checked_out",
      move: "checkIn",
      story: ({ sim, lend, token }) => {
        lend("ops");
        const { library } = sim.secrets.cluster("main").as(token());
        return () => library.checkIn({ set_name: "ops", service_account_names: ["svc-1"] });
      },
    },
    {
      state: "checked_out",
      move: "forget",
      story: [(w) => w.lend("ops"), (w) => w.library.delete({ set_name: "ops" })],
    },
  ],
  noDoor: [
    { states: ["checked_out"], moves: ["checkOut"], why: "A set lends the first of those that are available." },
    {
      states: ["forgotten"],
      moves: ["checkOut", "checkIn", "takeBack", "forget"],
      why: "The account is in no set: nobody can name it.",
    },
  ],
});

/** `a` has lent an account for a minute, under a lease that outlives a check-in; `b` is its performance secondary. */
async function lentOnce() {
  const { sim, cluster } = replicatedWorld(["a", "b"], { quirks: ["check-in-keeps-lease"] });
  const [a, b] = [cluster("a"), cluster("b")];
  seedAccount(sim, "svc-1");
  const root = a.as(a.rootToken);
  root.ldapConfig.write(CONFIG);
  root.library.write({ set_name: "ops", service_account_names: ["svc-1"] });
  await joined("performance", a, b);
  const { lease_id } = root.library.checkOut({ set_name: "ops", ttl: 60 });
  const at = ({ library } = root) => ({
    back: () => library.forceCheckIn({ set_name: "ops", service_account_names: ["svc-1"] }),
    again: () => library.checkOut({ set_name: "ops", ttl: 3600 }),
    remove: () => library.delete({ set_name: "ops" }),
  });
  return {
    sim,
    ...at(),
    loan: () => {
      const account = accountIn(sim, "b");
      if (account === undefined) return "gone";
      if (account.status === "available") return "returned";
      return account.lease === lease_id ? "lent" : "lent_again";
    },
    renew: () => root.leases.renew({ lease_id }),
    end: () => root.leases.revoke({ lease_id }),
    /** `b` leads from now on, and `a`, which has the lease, is its secondary. */
    switched: async () => {
      root.replication.performance.primaryDemote();
      b.as(rootOf(b)).replication.performance.promote();
      await root.replication.performance.updatePrimary({ token: await activationToken("performance", b, "a") });
      return at(b.as(rootOf(b)));
    },
  };
}

describeDoors(libraryLoanMachine, {
  world: lentOnce,
  stateIn: ({ loan }) => loan(),
  moves: [
    { state: "lent", move: "renew", to: "lent", story: ({ renew }) => renew },
    { state: "lent", move: "end", to: "returned", story: ({ end }) => end },
    {
      state: "lent_again",
      move: "renew",
      to: "lent_again",
      story: [(w) => w.back(), (w) => w.again(), (w) => w.renew()],
    },
    {
      state: "lent_again",
      move: "end",
      guard: "isWrittenHere",
      to: "returned",
      story: [(w) => w.back(), (w) => w.again(), (w) => w.end()],
    },
    {
      state: "lent_again",
      move: "end",
      guard: "else",
      to: "lent_again",
      story: async ({ switched, end }) => {
        const { back, again } = await switched();
        back();
        again();
        return end;
      },
    },
    {
      state: "returned",
      move: "end",
      guard: "isWrittenHere",
      to: "returned",
      story: [(w) => w.back(), (w) => w.end()],
    },
    {
      state: "returned",
      move: "end",
      guard: "else",
      to: "returned",
      story: async ({ switched, end }) => {
        const { back } = await switched();
        back();
        return end;
      },
    },
    {
      state: "gone",
      move: "end",
      guard: "isWrittenHere",
      to: "gone",
      story: [(w) => w.back(), (w) => w.remove(), (w) => w.end()],
    },
    {
      state: "gone",
      move: "end",
      guard: "else",
      to: "gone",
      story: async ({ switched, end }) => {
        const { back, remove } = await switched();
        back();
        remove();
        return end;
      },
    },
  ],
  refused: [
    { state: "returned", move: "renew", story: [(w) => w.back(), (w) => w.renew()] },
    { state: "gone", move: "renew", story: [(w) => w.back(), (w) => w.remove(), (w) => w.renew()] },
  ],
});
