import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Rejection, type Simulator, type View } from "../../src/index.ts";
import { bisect } from "../../src/kernel/blame.ts";
import { differences } from "../../src/kernel/diff.ts";
import { parsePath, valueAt } from "../../src/kernel/state-path.ts";
import { property } from "../support/property.ts";
import { runs } from "../support/runs.ts";
import { lived, stories } from "../support/world-actions.ts";
import { as, borrow, eventfulLibrary, giveBack, lent, OPENED, openLibrary } from "./support/library.ts";

const ACCOUNTS = 'secrets.main.replicated.mounts["ldap/"].library.accounts';
const leasesIn = (view: Pick<View, "state">) => view.state.secrets["main"]?.local.leases;

/** How often a search in so many positions may ask: once at the end, then by halves. */
const mostLooks = (head: number): number => Math.ceil(Math.log2(head + 1)) + 1;

describe("bisecting", () => {
  it("finds the commit after which something is true, without knowing what did it", () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    borrow(sim, "bob");
    sim.clock.advance("20m");
    expect(sim.bisect((view) => view.position > OPENED + 1 && leasesIn(view)?.size === 1)).toBe(OPENED + 3);
    expect(sim.log.commits()[OPENED + 2]?.command.name).toBe("timer.leaseRevocation");
  });

  it("of what was true from the beginning is 0, and of what never is true undefined", () => {
    const sim = eventfulLibrary();
    expect(sim.bisect(() => true)).toBe(0);
    expect(sim.bisect(() => false)).toBeUndefined();
    expect(
      openLibrary()
        .fork(0)
        .bisect(() => true),
    ).toBe(0);
  });

  it("counts a refusal as no, and throws other errors on", () => {
    const sim = openLibrary();
    const read = (view: View) => view.secrets.cluster("main").as("bob").library.status({ set_name: "ops" });
    expect(() => read(sim.at(5))).toThrow(Rejection);
    expect(sim.bisect((view) => read(view).data["svc-a"]?.available === true)).toBe(OPENED);
    expect(() =>
      sim.bisect(() => {
        throw new RangeError("a mistake of the test");
      }),
    ).toThrow(new RangeError("a mistake of the test"));
  });

  it("refuses a predicate that answers with a promise: it would always be true", () => {
    const asynchronous = async () => false;
    expect(() => openLibrary().bisect(asynchronous as unknown as () => boolean)).toThrow(
      new TypeError("bisect: the predicate gives a promise, and has to say it at once"),
    );
  });

  it("looks at each place with the clock of its commit", () => {
    const sim = eventfulLibrary();
    const times = new Map(sim.log.commits().map(({ position, atMs }) => [position, atMs]));
    sim.bisect((view) => {
      expect(view.clock.now()).toBe(times.get(view.position) ?? Date.UTC(2026, 0, 1));
      return view.position > 4;
    });
    expect.hasAssertions();
  });

  it("works in a fork, over its own past and its parent's", () => {
    const fork = eventfulLibrary().fork(9);
    borrow(fork, "ann");
    for (const sought of [0, 3, 9, 10]) expect(fork.bisect(({ position }) => position >= sought)).toBe(sought);
  });

  property([fc.nat({ max: 5_000 }), fc.nat({ max: 5_001 })], runs(300))(
    "agrees with looking at every position, and looks at few",
    (head, first) => {
      let looks = 0;
      const found = bisect(head, (position) => {
        looks += 1;
        return position >= first;
      });
      expect(found).toBe(first <= head ? first : undefined);
      expect(looks).toBeLessThanOrEqual(mostLooks(head));
    },
  );

  property([stories(40), fc.nat()], runs(20))("of what stays true agrees with looking everywhere", (story, choice) => {
    const sim = lived(story);
    const types = sim.log.events().map(({ type }) => type);
    const type = types[choice % types.length];
    const happened = ({ position }: { readonly position: number }): boolean =>
      sim.log
        .commits()
        .slice(0, position)
        .some(({ events }) => events.some((event) => event.type === type));
    const everywhere = Array.from({ length: sim.position + 1 }, (_, position) => happened({ position }));
    let looks = 0;
    const found = sim.bisect((view) => {
      looks += 1;
      return happened(view);
    });
    expect(found).toBe(everywhere.indexOf(true));
    expect(looks).toBeLessThanOrEqual(mostLooks(sim.position));
  });
});

describe("blame", () => {
  it("names the commit that last wrote a value, with who did it and when", () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("1h");
    expect(sim.blame(`${ACCOUNTS}["svc-a"].status`)).toMatchObject({
      position: OPENED + 2,
      atMs: Date.UTC(2026, 0, 1, 0, 10),
      command: { name: "timer.leaseRevocation", via: "timer" },
    });
    expect(sim.blame(`${ACCOUNTS}["svc-b"].status`)?.command.name).toBe("secrets.library.write");
  });

  it("of an object names the commit that last changed anything in it", () => {
    const sim = openLibrary();
    borrow(sim, "ann");
    sim.secrets.cluster("main").createToken({ id: "eve", policies: ["default"] });
    expect(sim.blame(ACCOUNTS)?.position).toBe(OPENED + 1);
    expect(sim.blame(`${ACCOUNTS}["svc-b"]`)?.position).toBe(OPENED);
    expect(sim.blame("secrets.main.local.tokens")?.position).toBe(OPENED + 2);
    expect(sim.blame("secrets")?.position).toBe(OPENED + 2);
    expect(sim.blame("")?.position).toBe(OPENED + 2);
    expect(sim.blame("directory")?.position).toBe(OPENED);
  });

  it("of what is gone names the commit that took it away", () => {
    const sim = openLibrary();
    const { lease } = borrow(sim, "ann");
    giveBack(sim, "ann");
    borrow(sim, "bob");
    const path = `secrets.main.local.leases[${JSON.stringify(lease)}]`;
    expect(sim.blame(path)?.position).toBe(OPENED + 2);
    expect(sim.blame(`${path}.expiresAtMs`)?.position).toBe(OPENED + 2);
    expect(sim.blame(`${path}.no.such.thing`)).toBeUndefined();
  });

  it("finds what came and went while the collection was empty before and after", () => {
    const sim = openLibrary({ history: { checkpointEvery: 1_000 } });
    const { lease } = borrow(sim, "ann");
    giveBack(sim, "ann");
    expect(leasesIn(sim)?.size).toBe(0);
    expect(sim.blame(`secrets.main.local.leases[${JSON.stringify(lease)}]`)?.position).toBe(OPENED + 2);
    expect(sim.blame("secrets.main.local.leases")?.position).toBe(OPENED + 2);
  });

  it("of a value that was changed and changed back names who changed it back", () => {
    const sim = openLibrary();
    sim.directory.setAvailable(false);
    sim.directory.setAvailable(true);
    borrow(sim, "ann");
    expect(sim.blame("directory.available")).toMatchObject({ position: OPENED + 2 });
  });

  it("of a value that is written anew as it was does not name who did so", () => {
    const sim = openLibrary();
    as(sim, "ann").library.write({ set_name: "ops", ttl: "1h" });
    expect(sim.position).toBe(OPENED + 1);
    expect(sim.blame('secrets.main.replicated.mounts["ldap/"].library.sets["ops"].ttlSeconds')?.position).toBe(OPENED);
  });

  it.each([
    "secrets.main.ignored.rootToken",
    "secrets.main.ignored.seal",
    "secrets.nowhere.local",
    "nothing.of.this.kind",
    'directory.entries["cn=nobody"]',
    "secrets.main.local.tokens.size",
    "toString",
  ])("of %s names nobody", (path) => {
    expect(eventfulLibrary().blame(path)).toBeUndefined();
  });

  it("of anything in a simulator that has done nothing names nobody", () => {
    expect(openLibrary().fork(0).blame("")).toBeUndefined();
  });

  it("in a fork names its own commits, and its parent's up to where they parted", () => {
    const parent = openLibrary();
    borrow(parent, "ann");
    const fork = parent.fork(OPENED);
    borrow(parent, "bob");
    expect(fork.blame(`${ACCOUNTS}["svc-a"].status`)?.position).toBe(OPENED);
    borrow(fork, "bob");
    expect(fork.blame(`${ACCOUNTS}["svc-a"].status`)?.command.caller).toMatchObject({ token: "bob" });
  });

  it("gives the very commit of the log", () => {
    const sim = eventfulLibrary();
    expect(sim.blame("directory")).toBe(
      sim.log.commits().findLast(({ events }) => events.some(({ type }) => type.startsWith("Directory"))),
    );
  });

  /** Told by brute force: every state, one after the other. */
  function lastToTouch(sim: Simulator, path: string): number | undefined {
    const names = parsePath(path);
    const values = Array.from(
      { length: sim.position + 1 },
      (_, position) => valueAt(sim.at(position).state, names).value,
    );
    const found = values.findLastIndex(
      (value, position) => position > 0 && differences(values[position - 1], value).length > 0,
    );
    return found < 0 ? undefined : found;
  }

  property([stories(30), fc.nat(), fc.constantFrom(1, 2, 7, 32, 1_000), fc.nat({ max: 3 })], runs(60))(
    "names the last commit whose difference touches the path",
    (story, choice, checkpointEvery, above) => {
      const sim = lived(story, { history: { checkpointEvery } });
      const touched = Array.from({ length: sim.position }, (_, before) => sim.diff(before, before + 1)).flat();
      const { path = "" } = touched[choice % touched.length] ?? {};
      // The value itself, or an object some levels above it.
      const steps = path.match(/(?:^|\.)[\w$]+|\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g) ?? [];
      const asked = steps.slice(0, Math.max(1, steps.length - above)).join("");
      expect(`${asked}: ${sim.blame(asked)?.position}`).toBe(`${asked}: ${lastToTouch(sim, asked)}`);
    },
  );

  it("of every path of a life is right", () => {
    const sim = eventfulLibrary({ history: { checkpointEvery: 4 } });
    const paths = new Set(
      Array.from({ length: sim.position }, (_, before) => sim.diff(before, before + 1).map(({ path }) => path)).flat(),
    );
    expect(paths.size).toBeGreaterThan(40);
    for (const path of paths)
      expect(`${path}: ${sim.blame(path)?.position}`).toBe(`${path}: ${lastToTouch(sim, path)}`);
    expect(lent(sim)).toEqual({ "svc-a": "bob" });
  });
});
