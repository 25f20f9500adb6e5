import { aclBootstrapMachine } from "../../../machines/acl-bootstrap.machine.ts";
import { regionLeadershipMachine } from "../../../machines/region-leadership.machine.ts";
import { regionLinkMachine } from "../../../machines/region-link.machine.ts";
import { createSimulator } from "../../../src/index.ts";
import { regionsWorld } from "../../contract/scheduler/regions-world.ts";
import { describeDoors } from "./doors.ts";

function oneRegion() {
  const sim = createSimulator();
  const region = sim.scheduler.region("global");
  return { sim, region, bootstrap: () => region.as().acl.bootstrap() };
}

describeDoors(aclBootstrapMachine, {
  world: oneRegion,
  stateIn: ({ sim }) => sim.state.scheduler?.regions["global"]?.bootstrap.status,
  moves: [
    { state: "not_bootstrapped", move: "bootstrap", to: "bootstrapped", story: ({ bootstrap }) => bootstrap },
    {
      state: "bootstrapped",
      move: "bootstrap",
      to: "bootstrapped",
      story: ({ region, bootstrap }) => {
        const { ModifyIndex } = bootstrap();
        region.setBootstrapResetIndex(ModifyIndex);
        return bootstrap;
      },
    },
  ],
  refused: [{ state: "bootstrapped", move: "bootstrap", story: [(w) => w.bootstrap(), (w) => w.bootstrap()] }],
});

describeDoors(regionLeadershipMachine, {
  world: oneRegion,
  stateIn: ({ region, sim }) =>
    sim.state.scheduler?.regions[region.name]?.leaderLostAtMs === undefined ? "led" : "leaderless",
  moves: [
    {
      state: "led",
      move: "lose",
      to: "leaderless",
      story:
        ({ region }) =>
        () =>
          region.setLeader(false),
    },
    {
      state: "led",
      move: "elect",
      to: "led",
      story:
        ({ region }) =>
        () =>
          region.setLeader(true),
    },
    {
      state: "leaderless",
      move: "lose",
      to: "leaderless",
      story: [(w) => w.region.setLeader(false), (w) => w.region.setLeader(false)],
    },
    {
      state: "leaderless",
      move: "elect",
      to: "led",
      story: [(w) => w.region.setLeader(false), (w) => w.region.setLeader(true)],
    },
  ],
});

function twoRegions() {
  const world = regionsWorld();
  const { sim, eu, us } = world;
  const cut = () => sim.network.cut(eu, us);
  const heal = () => sim.network.heal();
  return { ...world, cut, heal, write: () => world.policy("p") };
}

describeDoors(regionLinkMachine, {
  world: twoRegions,
  stateIn: ({ sim }) => sim.state.scheduler?.regions["us"]?.replication?.link.status,
  settles: true,
  moves: [
    { state: "connected", move: "look", guard: "isCut", to: "failed", story: ({ cut }) => cut },
    { state: "connected", move: "look", guard: "else", to: "connected", story: ({ write }) => write },
    { state: "failed", move: "look", guard: "isReachable", to: "resuming", story: [(w) => w.cut(), (w) => w.heal()] },
    { state: "failed", move: "look", guard: "else", to: "failed", story: [(w) => w.cut(), (w) => w.write()] },
    {
      state: "resuming",
      move: "look",
      guard: "isCut",
      to: "failed",
      story: [(w) => w.cut(), (w) => w.heal(), (w) => w.cut()],
    },
    {
      state: "resuming",
      move: "look",
      guard: "isCaughtUp",
      to: "connected",
      story: [(w) => w.cut(), (w) => w.write(), (w) => w.heal(), (w) => w.sim.clock.advance("30s")],
    },
    {
      state: "resuming",
      move: "look",
      guard: "else",
      to: "resuming",
      story: [(w) => w.cut(), (w) => w.heal(), (w) => w.write()],
    },
  ],
});
