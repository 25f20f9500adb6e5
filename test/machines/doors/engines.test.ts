import { rollbackNoteMachine } from "../../../machines/rollback-note.machine.ts";
import { secretVersionMachine } from "../../../machines/secret-version.machine.ts";
import { snapshotScheduleMachine } from "../../../machines/snapshot-schedule.machine.ts";
import { staticRoleMachine } from "../../../machines/static-role.machine.ts";
import { createSimulator } from "../../../src/index.ts";
import { statusOf, versionAt } from "../../../src/services/secrets/kv2/state.ts";
import { libraryWorld } from "../../contract/secrets/library-world.ts";
import { MODES, orchestratorWorld } from "../../contract/secrets/orchestrator-world.ts";
import { snapshotWorld } from "../../contract/secrets/snapshot-world.ts";
import { describeDoors } from "./doors.ts";

/** A configured directory, and a role that may be in it. */
function directory() {
  const { sim, root, directoryUp } = libraryWorld();
  const { staticRoles } = sim.secrets.cluster("main").as(root);
  const role_name = "role";
  const create = (skip_import_rotation: boolean) =>
    staticRoles.write({ role_name, username: "svc-1", rotation_period: "1h", skip_import_rotation });
  return {
    sim,
    create,
    change: () => staticRoles.write({ role_name, rotation_period: "2h" }),
    remove: () => staticRoles.delete({ role_name }),
    rotate: () => staticRoles.rotate({ role_name }),
    hour: () => sim.clock.advance("1h"),
    down: () => directoryUp(false),
    /** A role whose rotation fails. */
    retrying: (skip: boolean) => {
      create(skip);
      directoryUp(false);
      sim.clock.advance("1h");
    },
    up: () => directoryUp(true),
    status: () => {
      const mount = sim.state.secrets["main"]?.replicated.mounts.get("ldap/");
      return mount?.type === "ldap" ? mount.roles?.staticRoles.get(role_name)?.status : undefined;
    },
  };
}
type Directory = ReturnType<typeof directory>;

/** With a role that was rotated when it was written, or not. */
const having = (skip: boolean, act: "change" | "remove" | "rotate" | "hour") => (world: Directory) => {
  world.create(skip);
  return world[act];
};
const failing = (skip: boolean) => (world: Directory) => {
  world.create(skip);
  world.down();
  return world.hour;
};

describeDoors(staticRoleMachine, {
  world: directory,
  stateIn: ({ status }) => status(),
  moves: [
    {
      state: "absent",
      move: "import",
      to: "rotated",
      story:
        ({ create }) =>
        () =>
          create(false),
    },
    {
      state: "absent",
      move: "skipImport",
      to: "unrotated",
      story:
        ({ create }) =>
        () =>
          create(true),
    },
    { state: "unrotated", move: "rotated", to: "rotated", story: having(true, "hour") },
    { state: "unrotated", move: "rotationFailed", to: "retrying", story: failing(true) },
    { state: "unrotated", move: "change", to: "unrotated", story: having(true, "change") },
    { state: "unrotated", move: "delete", to: "deleted", story: having(true, "remove") },
    { state: "rotated", move: "rotated", to: "rotated", story: having(false, "rotate") },
    { state: "rotated", move: "rotationFailed", to: "retrying", story: failing(false) },
    { state: "rotated", move: "change", to: "rotated", story: having(false, "change") },
    { state: "rotated", move: "delete", to: "deleted", story: having(false, "remove") },
    {
      state: "retrying",
      move: "rotated",
      to: "rotated",
      story: [(w) => w.retrying(false), (w) => w.up(), (w) => w.sim.clock.advance("10s")],
    },
    { state: "retrying", move: "rotationFailed", to: "retrying", story: [(w) => w.retrying(false), (w) => w.rotate()] },
    {
      state: "retrying",
      move: "change",
      guard: "wasRotatedBefore",
      to: "rotated",
      story: [(w) => w.retrying(false), (w) => w.change()],
    },
    {
      state: "retrying",
      move: "change",
      guard: "else",
      to: "unrotated",
      story: [(w) => w.retrying(true), (w) => w.change()],
    },
    { state: "retrying", move: "delete", to: "deleted", story: [(w) => w.retrying(false), (w) => w.remove()] },
  ],
  noDoor: [
    {
      states: ["absent", "deleted"],
      moves: ["rotated", "rotationFailed", "change", "delete"],
      why: "There is no role: who writes makes one, and all else finds nothing.",
    },
    {
      states: ["deleted"],
      moves: ["import", "skipImport"],
      why: "A role of the same name is another one, and absent.",
    },
    {
      states: ["unrotated", "rotated", "retrying"],
      moves: ["import", "skipImport"],
      why: "Who writes a role that is there changes it.",
    },
  ],
});

/** Snapshots every hour, which take half an hour. */
function snapshots() {
  const { sim, main, configure } = snapshotWorld();
  configure("s", {});
  sim.stores.setSnapshotDuration("30m");
  const status = () => sim.state.secrets["main"]?.ignored.snapshotSchedules.get("s")?.status;
  return { sim, main, status, next: () => sim.clock.next() };
}
const afterEnds = (count: number, available: boolean) => (world: ReturnType<typeof snapshots>) => {
  world.sim.stores.setAvailable("local", available);
  for (let fired = 0; fired < count; fired++) world.next();
  return world.next;
};

describeDoors(snapshotScheduleMachine, {
  world: snapshots,
  stateIn: ({ status }) => status(),
  moves: [
    { state: "waiting", move: "attempt", to: "running", story: afterEnds(0, true) },
    {
      state: "running",
      move: "attempt",
      to: "running",
      story: ({ sim, main, next }) => {
        next();
        const { snapshots: configurations } = main.as(main.rootToken);
        configurations.write({
          name: "s",
          interval: "10m",
          path_prefix: "/backups",
          storage_type: "local",
          local_max_space: 1e6,
        });
        return () => sim.clock.advance("20m");
      },
    },
    { state: "running", move: "end", guard: "succeeds", to: "succeeded", story: afterEnds(1, true) },
    { state: "running", move: "end", guard: "else", to: "failed", story: afterEnds(1, false) },
    { state: "succeeded", move: "attempt", to: "running", story: afterEnds(2, true) },
    { state: "failed", move: "attempt", to: "running", story: afterEnds(2, false) },
  ],
  noDoor: [
    { states: ["waiting", "succeeded", "failed"], moves: ["end"], why: "Only the attempt that runs has an end." },
  ],
});

/** In a namespace, a request has just failed after it had made the first of its objects. */
async function halfCreated() {
  const { sim, root } = orchestratorWorld({ configured: false });
  const main = sim.secrets.cluster("main");
  main.createNamespace("team");
  main.mount("k8s", { type: "orchestrator", namespace: "team" });
  const { config, roles, creds } = main.as(root, { namespace: "team" }).at("k8s").orchestrator;
  config.write({ orchestrator_host: "https://api.test" });
  await roles.write({ name: "dev", allowed_orchestrator_namespaces: "*", ...MODES[3] });
  sim.orchestrator.failNext({ count: 1, kind: "ServiceAccount", verb: "create" });
  await creds({ role: "dev", orchestrator_namespace: "shop" }).catch(() => undefined);
  const status = () => sim.state.secrets["main"]?.local.rollbackNotes.first()?.[1].status;
  const { namespaces } = main.as(root);
  return { sim, namespaces, config, status, next: () => sim.clock.next() };
}

describeDoors(rollbackNoteMachine, {
  world: halfCreated,
  stateIn: ({ status }) => status(),
  moves: [
    { state: "pending", move: "rolledBack", to: "rolled_back", story: ({ next }) => next },
    {
      state: "pending",
      move: "rollbackFailed",
      guard: "isPastItsAge",
      to: "dropped",
      story: [(w) => w.sim.orchestrator.setAvailable(false), (w) => w.sim.clock.advance("1d"), (w) => w.next()],
    },
    {
      state: "pending",
      move: "rollbackFailed",
      guard: "else",
      to: "pending",
      story: [(w) => w.sim.orchestrator.setAvailable(false), (w) => w.next()],
    },
    { state: "pending", move: "unconfigured", to: "pending", story: [(w) => w.config.delete({}), (w) => w.next()] },
    {
      state: "pending",
      move: "drop",
      to: "dropped",
      story: [(w) => w.sim.orchestrator.setAvailable(false), (w) => w.namespaces.delete({ name: "team" })],
    },
  ],
  noDoor: [
    {
      states: ["rolled_back", "dropped"],
      moves: ["rolledBack", "rollbackFailed", "unconfigured", "drop"],
      why: "The note has gone with its end.",
    },
  ],
});

/** A secret of one version, which an hour deletes by itself. */
function versioned() {
  const sim = createSimulator({ secrets: { kv: 2 } });
  const main = sim.secrets.cluster("main");
  const { kv2 } = main.as(main.rootToken);
  const secret = { path: "app" };
  const first = { ...secret, versions: [1] };
  kv2.metadata.write({ ...secret, delete_version_after: "1h" });
  kv2.write({ ...secret, data: { a: 1 } });
  return {
    sim,
    patch: () => kv2.patch({ ...secret, data: { b: 2 } }),
    remove: () => kv2.delete(first),
    undelete: () => kv2.undelete(first),
    destroy: () => kv2.destroy(first),
    minute: () => sim.clock.advance("1m"),
    hour: () => sim.clock.advance("1h"),
    status: () => {
      const mount = sim.state.secrets["main"]?.replicated.mounts.get("kv/");
      const held = mount?.type === "kv2" ? mount.secrets.get("app") : undefined;
      const version = held === undefined ? undefined : versionAt(held, 1);
      return version === undefined ? undefined : statusOf(version, sim.clock.now());
    },
  };
}
type Versioned = ReturnType<typeof versioned>;

/** Arranges a version that something has happened to, and asks for one more. */
const after =
  (
    act: "patch" | "remove" | "undelete" | "destroy",
    ...before: readonly ("remove" | "destroy" | "hour" | "minute")[]
  ) =>
  (world: Versioned) => {
    for (const each of before) world[each]();
    return world[act];
  };

describeDoors(secretVersionMachine, {
  world: versioned,
  stateIn: ({ status }) => status(),
  moves: [
    { state: "available", move: "patch", to: "available", story: after("patch") },
    { state: "available", move: "delete", to: "deleted", story: after("remove") },
    { state: "available", move: "undelete", to: "available", story: after("undelete", "minute") },
    { state: "available", move: "destroy", to: "destroyed", story: after("destroy") },
    { state: "deleted", move: "undelete", to: "available", story: after("undelete", "hour") },
    { state: "deleted", move: "destroy", to: "destroyed", story: after("destroy", "remove") },
  ],
  refused: [
    { state: "deleted", move: "patch", story: after("patch", "hour") },
    { state: "deleted", move: "delete", story: after("remove", "hour"), goesOn: true },
    { state: "destroyed", move: "patch", story: after("patch", "destroy") },
    { state: "destroyed", move: "delete", story: after("remove", "destroy"), goesOn: true },
    { state: "destroyed", move: "undelete", story: after("undelete", "destroy"), goesOn: true },
    { state: "destroyed", move: "destroy", story: after("destroy", "destroy"), goesOn: true },
  ],
});
