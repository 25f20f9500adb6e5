import fc from "fast-check";
import { expect } from "vitest";
import { Rejection, type Simulator } from "../../src/index.ts";
import { createSimulator, property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { REGIONS, type RegionId, RegionsModel } from "./regions-model.ts";

/** The real thing: three regions that have what the first one was bootstrapped with. */
class Real {
  readonly sim: Simulator;
  readonly root: string;

  constructor(seed: number) {
    this.sim = createSimulator({ seed, scheduler: { regions: [...REGIONS] } });
    this.root = this.sim.scheduler.region("eu").as().acl.bootstrap().SecretID;
    this.sim.settle();
    // Rounds that have been made count for the limit of ten in a second.
    this.sim.clock.advance("1s");
  }

  door(region: RegionId) {
    return this.sim.scheduler.region(region).as(this.root);
  }
}

/** What a call was refused with; undefined when it was done. */
function refusalOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
}

/** Something that somebody does, to the notebook and to the real thing. */
interface Move {
  readonly text: string;
  readonly make: (model: RegionsModel, real: Real) => void;
}

class Made implements fc.Command<RegionsModel, Real> {
  readonly #move: Move;

  constructor(move: Move) {
    this.#move = move;
  }

  check(): boolean {
    return true;
  }

  run(model: RegionsModel, real: Real): void {
    this.#move.make(model, real);
    for (const region of REGIONS) {
      const notes = model.regions[region];
      const stale = { stale: true };
      const policies = real
        .door(region)
        .policies.list({}, stale)
        .map(({ Name }) => [Name, real.door(region).policies.read({ policy_name: Name }, stale).Rules]);
      expect(Object.fromEntries(policies)).toEqual(Object.fromEntries(notes.policies));
      const tokens = real.door(region).tokens.list({}, stale);
      const named = tokens.filter(({ Name }) => Name !== "Bootstrap Token");
      expect(
        named
          .filter(({ Global }) => Global)
          .map(({ Name }) => Name)
          .sort(),
      ).toEqual([...notes.tokens.keys()].sort());
      expect(
        named
          .filter(({ Global }) => !Global)
          .map(({ Name }) => Name)
          .sort(),
      ).toEqual([...notes.localTokens].sort());
    }
  }

  toString(): string {
    return this.#move.text;
  }
}

const region = fc.constantFrom(...REGIONS);
const name = fc.constantFrom("a", "b", "c");
const rules = fc.constantFrom("", 'agent { policy = "read" }', 'node { policy = "read" }');

const moves: readonly fc.Arbitrary<Move>[] = [
  fc.tuple(region, name, rules).map(([from, policy, text]) => ({
    text: `${from}: write ${policy} ${text}`,
    make: (model, real) => {
      const expected = model.refusalAtTop(from);
      expect(refusalOf(() => real.door(from).policies.write({ Name: policy, Rules: text }))).toBe(expected);
      if (expected === undefined) model.change("policies", policy, text);
    },
  })),
  fc.tuple(region, name).map(([from, policy]) => ({
    text: `${from}: delete ${policy}`,
    make: (model, real) => {
      const expected = model.refusalAtTop(from);
      expect(refusalOf(() => real.door(from).policies.delete({ policy_name: policy }))).toBe(expected);
      if (expected === undefined) model.change("policies", policy, undefined);
    },
  })),
  fc.tuple(region, fc.boolean(), fc.nat(99_999)).map(([from, global, number]) => ({
    text: `${from}: create ${global ? "global" : "local"} token ${number}`,
    make: (model, real) => {
      const token = `${global ? "g" : "l"}-${number}-${real.sim.position}`;
      const atHome = model.regions[from].hasLeader ? undefined : "no_cluster_leader";
      const expected = global ? model.refusalAtTop(from) : atHome;
      const create = { Name: token, Type: "client", Policies: ["a"], Global: global } as const;
      expect(refusalOf(() => real.door(from).tokens.create(create))).toBe(expected);
      if (expected !== undefined) return;
      if (global) model.change("tokens", token, token);
      else model.regions[from].localTokens.add(token);
    },
  })),
  fc.tuple(region, fc.nat(20)).map(([from, which]) => ({
    text: `${from}: delete token number ${which}`,
    make: (model, real) => {
      const all = real.door(from).tokens.list({}, { stale: true });
      const token = all.filter(({ Name }) => Name !== "Bootstrap Token")[which];
      if (token === undefined) return;
      const { Name, Global, AccessorID: accessor_id } = token;
      const isGone = Global && !model.regions[model.authoritative].tokens.has(Name);
      const forwarded = Global ? (model.refusalAtTop(from) ?? (isGone ? "token_nonexistent" : undefined)) : undefined;
      const expected = model.regions[from].hasLeader ? forwarded : "no_cluster_leader";
      expect(refusalOf(() => real.door(from).tokens.delete({ accessor_id }))).toBe(expected);
      if (expected !== undefined) return;
      if (Global) model.change("tokens", Name, undefined);
      else model.regions[from].localTokens.delete(Name);
    },
  })),
  fc.tuple(region, region, fc.boolean()).map(([one, other, cut]) => ({
    text: `${cut ? "cut" : "heal"} ${one} ${other}`,
    make: (model, real) => {
      if (one === other) return;
      const [a, b] = [real.sim.scheduler.region(one), real.sim.scheduler.region(other)];
      const key = [one, other].sort().join(" ");
      if (cut) {
        real.sim.network.cut(a, b);
        model.cuts.add(key);
      } else {
        real.sim.network.heal(a, b);
        model.cuts.delete(key);
      }
      model.notice();
    },
  })),
  fc.tuple(region, fc.boolean()).map(([id, up]) => ({
    text: `${id}: ${up ? "elect" : "lose"} the leader`,
    make: (model, real) => {
      real.sim.scheduler.region(id).setLeader(up);
      model.setLeader(id, up);
    },
  })),
  region.map((id) => ({
    text: `${id} becomes authoritative`,
    make: (model, real) => {
      real.sim.scheduler.setAuthoritative(real.sim.scheduler.region(id));
      model.setAuthoritative(id);
    },
  })),
  fc.constantFrom(1, 50, 99, 100, 150, 1_000, 10_000, 29_999, 30_000).map((ms) => ({
    text: `${ms} ms pass`,
    make: (model, real) => {
      real.sim.clock.advance(ms);
      model.advance(ms);
    },
  })),
  fc.constant({
    text: "the log is replayed",
    make: (_, real) => {
      const fork = real.sim.fork();
      expect(fork.stateHash()).toBe(real.sim.stateHash());
    },
  }),
];

const commands = fc.commands(
  moves.map((move) => move.map((made) => new Made(made))),
  { maxCommands: 60, size: "max" },
);

property([commands, fc.nat()], runs(200))(
  "regions, tokens, partitions and the clock are as a small notebook has them",
  (story, seed) => {
    fc.modelRun(() => ({ model: new RegionsModel(), real: new Real(seed) }), story);
  },
);
