import fc from "fast-check";
import { describe, expect } from "vitest";
import { Rejection, rehearse, replay, type Simulator } from "../../src/index.ts";
import { createSimulator, property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { folded, hashOfState, rebuilt, thawedPlaces } from "../support/world-checks.ts";

// What holds of every scheduler that people can bring about (decisions-scheduler-acl.md, sections 2, 4, 6 and 7).

const REGIONS = ["eu", "us", "asia"] as const;
const POLICIES = ["a", "ab", "constructor", "anonymous"] as const;

const ROLES = ["team", "crew"] as const;

const region = fc.constantFrom(...REGIONS);
const policy = fc.constantFrom(...POLICIES);
const role = fc.constantFrom(...ROLES);

/** What people do; whatever is refused changes nothing. */
type Deed = (sim: Simulator, root: string) => void;

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(region, policy, fc.constantFrom("", "# said", 'node { policy = "read" }')).map(
    ([from, Name, Rules]): Deed =>
      (sim, root) =>
        sim.scheduler.region(from).as(root).policies.write({ Name, Rules }),
  ),
  fc.tuple(region, policy).map(
    ([from, policy_name]): Deed =>
      (sim, root) =>
        sim.scheduler.region(from).as(root).policies.delete({ policy_name }),
  ),
  fc.tuple(region, fc.boolean(), fc.uniqueArray(policy, { minLength: 1 })).map(
    ([from, Global, Policies]): Deed =>
      (sim, root) =>
        sim.scheduler.region(from).as(root).tokens.create({ Type: "client", Policies, Global }),
  ),
  fc.tuple(region, fc.nat(9), fc.boolean()).map(
    ([from, which, goes]): Deed =>
      (sim, root) => {
        const { tokens } = sim.scheduler.region(from).as(root);
        const token = tokens.list({}, { stale: true }).filter(({ Type }) => Type === "client")[which];
        if (token === undefined) return;
        const { AccessorID } = token;
        if (goes) tokens.delete({ accessor_id: AccessorID });
        else tokens.update({ accessor_id: AccessorID, AccessorID, Type: "client", Policies: ["a"] });
      },
  ),
  fc.tuple(region, role, fc.uniqueArray(policy, { minLength: 1 }), fc.option(role)).map(
    ([from, Name, names, other]): Deed =>
      (sim, root) => {
        const { roles } = sim.scheduler.region(from).as(root);
        const Policies = names.map((named) => ({ Name: named }));
        const known = roles.list({}, { stale: true }).find((each) => each.Name === Name);
        if (known === undefined) roles.create({ Name, Policies });
        else if (other === null) roles.delete({ role_id: known.ID });
        else roles.update({ ID: known.ID, Name: other, Policies });
      },
  ),
  fc.tuple(region, fc.boolean(), fc.uniqueArray(role, { minLength: 1 })).map(
    ([from, Global, names]): Deed =>
      (sim, root) => {
        const Roles = names.map((Name) => ({ Name }));
        sim.scheduler.region(from).as(root).tokens.create({ Type: "client", Roles, Global });
      },
  ),
  fc.tuple(region, region, fc.boolean()).map(
    ([one, other, cut]): Deed =>
      (sim) => {
        const [a, b] = [sim.scheduler.region(one), sim.scheduler.region(other)];
        if (one === other) return;
        if (cut) sim.network.cut(a, b);
        else sim.network.heal(a, b);
      },
  ),
  fc.tuple(region, region, fc.constantFrom(0, 20, 100, 5_000)).map(
    ([one, other, lag]): Deed =>
      (sim) => {
        if (one !== other)
          sim.network.setLag(sim.scheduler.region(one), sim.scheduler.region(other), lag, { oneWay: true });
      },
  ),
  fc.tuple(region, fc.boolean()).map(
    ([id, up]): Deed =>
      (sim) =>
        sim.scheduler.region(id).setLeader(up),
  ),
  region.map(
    (id): Deed =>
      (sim) =>
        sim.scheduler.setAuthoritative(sim.scheduler.region(id)),
  ),
  fc.constantFrom(1, 100, 2_000, 30_000).map(
    (ms): Deed =>
      (sim) =>
        void sim.clock.advance(ms),
  ),
);

const story = fc.array(deed, { maxLength: 60, size: "max" });

function begun(seed: number): { readonly sim: Simulator; readonly root: string } {
  const sim = createSimulator({ seed, scheduler: { regions: [...REGIONS] } });
  const root = sim.scheduler.region("eu").as().acl.bootstrap().SecretID;
  sim.settle();
  return { sim, root };
}

function attempt(deed: Deed, sim: Simulator, root: string): void {
  try {
    deed(sim, root);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
  }
}

function indexesOf(sim: Simulator): number[] {
  return Object.values(sim.state.scheduler?.regions ?? {}).flatMap(({ index, policyIndex, tokenIndex, roleIndex }) => [
    index,
    policyIndex,
    tokenIndex,
    roleIndex,
  ]);
}

describe("regions", () => {
  property([story, fc.nat()], runs(80))("have indexes that only grow, and tables that agree", (deeds, seed) => {
    const { sim, root } = begun(seed);
    let before = indexesOf(sim);
    for (const each of deeds) {
      const { position } = sim;
      attempt(each, sim, root);
      const after = indexesOf(sim);
      after.forEach((index, place) => {
        expect(index).toBeGreaterThanOrEqual(before[place] ?? 0);
      });
      if (sim.position === position) expect(after).toEqual(before);
      before = after;
    }
    for (const {
      tokens,
      globalTokens,
      accessorsBySecret,
      accessorsByIndex,
      policies,
      roles,
      roleIdsByName,
      index,
    } of Object.values(sim.state.scheduler?.regions ?? {})) {
      expect([...globalTokens.values()]).toEqual([...tokens.values()].filter(({ global }) => global));
      expect([...accessorsBySecret.values()].sort()).toEqual([...tokens.keys()]);
      expect([...accessorsByIndex.values()].sort()).toEqual([...tokens.keys()]);
      expect([...roleIdsByName.values()].sort()).toEqual([...roles.keys()]);
      for (const { modifyIndex } of [...policies.values(), ...tokens.values(), ...roles.values()]) {
        expect(modifyIndex).toBeLessThanOrEqual(index);
      }
    }
  });

  property([story, fc.nat()], runs(80))(
    "hold exactly what the authoritative one has, and their own local tokens, when all is healed and the retries have passed",
    (deeds, seed) => {
      const { sim, root } = begun(seed);
      for (const each of deeds) attempt(each, sim, root);
      const locals = () =>
        Object.values(sim.state.scheduler?.regions ?? {}).map(({ tokens }) =>
          [...tokens.values()].filter(({ global }) => !global),
        );
      const before = locals();
      sim.network.heal();
      for (const id of REGIONS) sim.scheduler.region(id).setLeader(true);
      sim.settle();
      expect(sim.clock.pending()).toEqual([]);
      const contents = Object.values(sim.state.scheduler?.regions ?? {}).map(({ policies, globalTokens, roles }) => ({
        policies: [...policies.values()].map(({ name, description, rules }) => [name, description, rules]),
        roles: [...roles.values()].map(({ createIndex: _, modifyIndex: __, ...content }) => content),
        tokens: [...globalTokens.values()].map(({ createIndex: _, modifyIndex: __, ...content }) => content),
      }));
      expect(contents[1]).toEqual(contents[0]);
      expect(contents[2]).toEqual(contents[0]);
      expect(locals()).toEqual(before);
    },
  );

  property([story, fc.nat()], runs(25))("are the same after a replay, and decided again alike", async (deeds, seed) => {
    const { sim, root } = begun(seed);
    for (const each of deeds) attempt(each, sim, root);
    const text = sim.log.toNdjson();
    const other = replay(text);
    expect(other.stateHash()).toBe(sim.stateHash());
    expect(other.clock.pending()).toEqual(sim.clock.pending());
    expect(await rehearse(text)).toEqual({ ok: true });
  });
});

describe("facts and states", () => {
  property([story, fc.nat(), fc.nat(), fc.infiniteStream(fc.boolean())], runs(30))(
    "accept what is missing or comes in another order",
    (deeds, seed, turn, kept) => {
      const { sim, root } = begun(seed);
      for (const each of deeds) attempt(each, sim, root);
      const commits = sim.log.commits();
      const at = turn % commits.length;
      const start = sim.at(0).state;
      expect(() => folded(start, [...commits.slice(at), ...commits.slice(0, at)])).not.toThrow();
      expect(() =>
        folded(
          start,
          commits.filter(() => kept.next().value),
        ),
      ).not.toThrow();
      expect(hashOfState(folded(start, commits))).toBe(sim.stateHash());
    },
  );

  property([story, fc.nat()], runs(20))("are frozen all the way down, and hashed by what they say", (deeds, seed) => {
    const { sim, root } = begun(seed);
    const known = new WeakSet<object>();
    for (const each of deeds) {
      attempt(each, sim, root);
      expect(thawedPlaces(sim.state, known)).toEqual([]);
    }
    expect(hashOfState(rebuilt(sim.state) as object)).toBe(sim.stateHash());
  });
});

describe("a client", () => {
  property([story, fc.nat(), fc.uniqueArray(policy, { minLength: 1 })], runs(60))(
    "never learns of a policy that is not its own, anonymous apart",
    (deeds, seed, own) => {
      const { sim, root } = begun(seed);
      const { SecretID } = sim.scheduler
        .region("eu")
        .as(root)
        .tokens.create({ Type: "client", Policies: own, Global: true });
      sim.settle();
      for (const each of deeds) attempt(each, sim, root);
      for (const id of REGIONS) {
        const { policies, tokens } = sim.scheduler.region(id).as(SecretID);
        let names: readonly string[];
        try {
          // Somebody may have given it others, of which the region may not have heard.
          names = tokens.self({}, { stale: true }).Policies ?? [];
        } catch (error) {
          // Revoked meanwhile.
          expect(error).toMatchObject({ status: 403 });
          continue;
        }
        for (const { Name } of policies.list({}, { stale: true })) expect(names).toContain(Name);
        for (const policy_name of [...POLICIES, "never"].filter((name) => name !== "anonymous")) {
          if (names.includes(policy_name)) continue;
          expect(() => policies.read({ policy_name }, { stale: true })).toThrow("Permission denied");
        }
      }
    },
  );
});

describe("rules", () => {
  property([fc.string({ unit: "grapheme" }), fc.constantFrom("\n", "\r\n")], runs(100))(
    "survive byte for byte, in every region",
    (comment, end) => {
      const { sim, root } = begun(1);
      const Rules = `# ${comment.replace(/[\0\n\r]/g, "")}${end}namespace "a" { policy = "read" }${end}`;
      sim.scheduler.region("us").as(root).policies.write({ Name: "p", Rules });
      sim.settle();
      for (const id of REGIONS) {
        expect(sim.scheduler.region(id).as(root).policies.read({ policy_name: "p" }).Rules).toBe(Rules);
      }
    },
  );
});

describe("a blocked reader", () => {
  const watched = fc.record({
    region,
    name: fc.option(policy, { nil: undefined }),
    prefix: fc.constantFrom("", "a", "ab", "x"),
    beyond: fc.constantFrom(0, 0, 1, 3),
  });

  property([fc.array(watched, { minLength: 1, maxLength: 12 }), story, fc.nat()], runs(80))(
    "wakes exactly when what it reads has a greater index and has changed",
    async (readers, deeds, seed) => {
      const { sim, root } = begun(seed);
      // What each of them would be told now, without waiting.
      const seen = (
        { region: id, name, prefix }: (typeof readers)[number],
        { state } = sim.at(sim.position),
      ): string => {
        const policies = state.scheduler?.regions[id]?.policies;
        const found =
          name === undefined ? [...(policies?.entries({ prefix }) ?? [])] : [policies?.get(name)].filter(Boolean);
        // Where nothing is, the whole table counts (amendments.md, N1).
        return JSON.stringify(found.length > 0 ? found : { nothing: [...(policies?.entries() ?? [])] });
      };
      const indexOf = ({ region: id, name }: (typeof readers)[number]): number => {
        const held = sim.state.scheduler?.regions[id];
        if (name === undefined) return Math.max(1, held?.policyIndex ?? 0);
        return held?.policies.get(name)?.modifyIndex ?? held?.policyIndex ?? 0;
      };
      const waiting = readers.map((reader) => {
        const index = Math.max(1, indexOf(reader) + reader.beyond);
        const { policies } = sim.scheduler.region(reader.region).as(root);
        const state = { reader, index, last: seen(reader), expected: false, settled: false };
        const options = { index, stale: true, wait: "5m" };
        const answer: Promise<unknown> =
          reader.name === undefined
            ? policies.list({ prefix: reader.prefix }, options)
            : policies.read({ policy_name: reader.name }, options);
        const done = (): void => {
          state.settled = true;
        };
        answer.then(done, done);
        return state;
      });
      let spentMs = 0;
      const start = sim.clock.now();
      for (const each of deeds) {
        const positions = sim.position;
        attempt(each, sim, root);
        spentMs = sim.clock.now() - start;
        if (spentMs >= 300_000) break;
        // Commit by commit: a round may have come and gone within one step of the clock.
        for (let position = positions + 1; position <= sim.position; position++) {
          const view = sim.at(position);
          for (const state of waiting) {
            const held = view.state.scheduler?.regions[state.reader.region];
            const { name } = state.reader;
            const now = seen(state.reader, view);
            const index =
              name === undefined
                ? Math.max(1, held?.policyIndex ?? 0)
                : (held?.policies.get(name)?.modifyIndex ?? held?.policyIndex ?? 0);
            if (now !== state.last && index > state.index) state.expected = true;
            state.last = now;
          }
        }
        for (let turn = 0; turn < 8; turn++) await Promise.resolve();
        for (const { settled, expected } of waiting) expect(settled).toBe(expected);
      }
      sim.dispose();
    },
  );
});
