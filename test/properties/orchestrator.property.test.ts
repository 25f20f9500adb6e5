import fc from "fast-check";
import { describe, expect } from "vitest";
import { rehearse, replay, type ShownObject, type Simulator, type World } from "../../src/index.ts";
import type { Commit } from "../../src/kernel/commit.ts";
import type { Lease } from "../../src/services/secrets/leases/state.ts";
import { readSelector, selectorFault, selects } from "../../src/surroundings/orchestrator/selectors.ts";
import { type ObjectName, objectKey } from "../../src/surroundings/orchestrator/state.ts";
import { property } from "../support/checked.ts";
import {
  act,
  anyDeeds,
  type Deed,
  newOrchestratingWorld,
  orchestrated,
  type Selector,
  someLabels,
  someSelector,
} from "../support/orchestrating.ts";
import { runs } from "../support/runs.ts";
import { indexFaults } from "../support/world-checks.ts";

// --- whose objects there are ----------------------------------------------------------------------------------------

const generated = (sim: Simulator): ShownObject[] =>
  sim.orchestrator.objects().filter(({ labels }) => "app.orchestrator.io/managed-by" in labels);

interface Fact<D> {
  readonly type: string;
  readonly data: D;
}

/** The objects of leases that were dropped by force: nobody deletes them any more. */
function leftByForce(commits: readonly Commit[]): ObjectName[] {
  const granted = new Map<string, readonly ObjectName[]>();
  return commits.flatMap(({ command, events }) =>
    (events as readonly Fact<{ lease: string; grant: Lease["grant"] }>[]).flatMap(({ type, data }) => {
      if (type === "LeaseIssued" && data.grant.type === "serviceAccount") granted.set(data.lease, data.grant.objects);
      const isForced = type === "LeaseEnded" && command.name === "secrets.leases.revokeForce";
      return isForced ? [...(granted.get(data.lease) ?? [])] : [];
    }),
  );
}

/** The first objects of requests whose notes were dropped at their age limit. */
function leftByAge(commits: readonly Commit[]): ObjectName[] {
  const noted = new Map<string, ObjectName>();
  return commits.flatMap(({ events }) =>
    (events as readonly Fact<{ note: string; object: ObjectName; status: string }>[]).flatMap(({ type, data }) => {
      if (type === "RollbackNoted") noted.set(data.note, data.object);
      const dropped = type === "RollbackNoteClosed" && data.status === "dropped" ? noted.get(data.note) : undefined;
      return dropped === undefined ? [] : [dropped];
    }),
  );
}

/** Objects that nobody is responsible for: of no live lease, no pending rollback, and left by nobody who may leave some. */
function orphans(sim: Simulator): string[] {
  const { local } = sim.state.secrets["main"] ?? expect.fail("no cluster");
  const commits = sim.log.commits();
  const leased = [...local.leases.values()].flatMap(({ grant }) =>
    grant.type === "serviceAccount" ? grant.objects : [],
  );
  const noted = [...local.rollbackNotes.values()].map(({ object }) => object);
  const heads = [...noted, ...leftByAge(commits)].map(objectKey);
  const owners = new Set(heads.map((key) => sim.state.orchestrator.objects.get(key)?.uid));
  const known = new Set([...[...leased, ...leftByForce(commits)].map(objectKey), ...heads]);
  return generated(sim)
    .filter((object) => !known.has(objectKey(object as ObjectName)) && !owners.has(object.owner as never))
    .map((object) => objectKey(object as ObjectName));
}

/** Where the index of owners says something else than the objects. */
function ownerFaults({ orchestrator }: World): string[] {
  const should = [...orchestrator.objects.values()].flatMap((object) =>
    object.owner === undefined ? [] : [`${object.owner}/${objectKey(object)}`],
  );
  const is = [...orchestrator.byOwner.keys()];
  return [...should.filter((key) => !is.includes(key)), ...is.filter((key) => !should.includes(key))];
}

// --- who may have credentials where -----------------------------------------------------------------------------------

/** What a selector means, said once more: by the sets of labels that each requirement lets through. */
function matchesByBruteForce(selector: Selector, labels: { readonly [name: string]: string }): boolean {
  const pairs = new Set(Object.entries(labels).map((pair) => pair.join("=")));
  const keys = new Set(Object.keys(labels));
  const wanted = Object.entries(selector.matchLabels ?? {}).map((pair) => pairs.has(pair.join("=")));
  const fulfilled = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    const hit = values.some((value) => pairs.has(`${key}=${value}`));
    return { In: hit, NotIn: !hit, Exists: keys.has(key), DoesNotExist: !keys.has(key) }[operator] ?? false;
  });
  return ![...wanted, ...fulfilled].includes(false);
}

type RoleWritten = Extract<Deed, { do: "writeRole" }>;

/** Whether a role's list or selector allows a namespace as it is now. */
function isAllowed(sim: Simulator, { namespaces, selector }: RoleWritten, namespace: string): boolean {
  if (namespaces.includes("*") || namespaces.includes(namespace)) return true;
  const there = sim.orchestrator.objects({ kind: "Namespace" }).find(({ name }) => name === namespace);
  return selector !== undefined && there !== undefined && matchesByBruteForce(selector, there.labels);
}

/** What a service account may be called, in other words than the simulator's. */
function isAccountName(name: string): boolean {
  const inner = "abcdefghijklmnopqrstuvwxyz0123456789";
  const ends = [name.at(0) ?? " ", name.at(-1) ?? " "];
  return (
    name.length < 254 &&
    [...name].every((letter) => `${inner}-.`.includes(letter)) &&
    ends.every((letter) => inner.includes(letter))
  );
}

describe("whatever people do with credentials of an orchestrator", () => {
  property([anyDeeds], runs(60))("every generated object is somebody's", async (deeds) => {
    const sim = newOrchestratingWorld();
    for (const deed of deeds) {
      await act(sim, deed);
      expect(orphans(sim)).toEqual([]);
    }
    expect(indexFaults(sim.state)).toEqual([]);
    expect(ownerFaults(sim.state)).toEqual([]);
  });

  property([anyDeeds], runs(40))("once all is well again, nothing stays but what may", async (deeds) => {
    const sim = await orchestrated([...deeds, { do: "switch", on: true }, { do: "configure" }]);
    sim.clock.advance("40d");
    const may = new Set([...leftByForce(sim.log.commits()), ...leftByAge(sim.log.commits())].map(({ name }) => name));
    // Leases that were given up are somebody's, and are there.
    for (const { grant } of sim.state.secrets["main"]?.local.leases.values() ?? []) {
      if (grant.type === "serviceAccount") for (const { name } of grant.objects) may.add(name);
    }
    expect(generated(sim).filter(({ name }) => !may.has(name))).toEqual([]);
    expect(sim.state.secrets["main"]?.local.rollbackNotes.size).toBe(0);
    expect(sim.clock.pending()).toEqual([]);
  });

  property([anyDeeds], runs(60))("credentials are had where the role allows it, under valid names", async (deeds) => {
    const sim = newOrchestratingWorld();
    const roles = new Map<string, RoleWritten>();
    for (const deed of deeds) {
      const written = deed.do === "creds" ? roles.get(deed.role) : undefined;
      const allowed = deed.do === "creds" && written !== undefined && isAllowed(sim, written, deed.namespace);
      const before = sim.position;
      const issued = await act(sim, deed);
      if (deed.do === "deleteRole") roles.delete(deed.role);
      if (deed.do === "writeRole" && sim.position > before) roles.set(deed.role, deed);
      if (issued === undefined) continue;
      if ("refused" in issued) {
        if (allowed) expect(issued.refused).not.toBe("orchestrator_namespace_forbidden");
      } else {
        expect(allowed).toBe(true);
        expect(isAccountName(issued.name)).toBe(true);
        expect(await sim.orchestrator.reviewToken(issued.jwt)).toMatchObject({ authenticated: true });
      }
    }
  });

  property([anyDeeds], runs(25))("it is replayed, and decided again, as it was", async (deeds) => {
    const sim = await orchestrated(deeds);
    const log = sim.log.toNdjson();
    expect(replay(log).stateHash()).toBe(sim.stateHash());
    expect(await rehearse(log)).toEqual({ ok: true });
  });
});

// No maintained package evaluates label selectors (the one that did is a widget of 2017 on top of another framework).
describe("label selectors", () => {
  property([someSelector, someLabels], runs(2_000))("mean what brute force finds them to", (selector, labels) => {
    const read = readSelector(selector);
    if (typeof read === "string") return expect.fail(read);
    expect(selectorFault(read)).toBeUndefined();
    expect(selects(read, labels)).toBe(matchesByBruteForce(selector, labels));
  });

  property([fc.anything()])("are read or refused, and nothing else", (value) => {
    const read = readSelector(value);
    if (typeof read !== "string") expect(Array.isArray(read.requirements)).toBe(true);
  });
});
