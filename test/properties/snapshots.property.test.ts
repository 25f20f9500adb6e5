import fc from "fast-check";
import { describe, expect } from "vitest";
import type { Simulator } from "../../src/index.ts";
import type { SnapshotEvents } from "../../src/services/secrets/snapshots/folds.ts";
import { createSimulator, property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";

// decisions-secrets-core.md, B.2 to B.4; decisions-replication.md, 6.9: what happens to snapshots, told a second time by a model that
// looks at each minute, and knows neither deadlines nor parts of a state.

const MINUTE_MS = 60_000;
const NAMES = ["b", "a", "c"] as const;
const PLACES = ["/one", "/two"] as const;

interface Config {
  readonly interval: number;
  readonly retain: number;
  readonly place: string;
  readonly space: number;
}

type Step =
  | ({ readonly do: "configure"; readonly name: string } & Config)
  | { readonly do: "delete"; readonly name: string }
  | { readonly do: "duration"; readonly minutes: number }
  | { readonly do: "bytes"; readonly bytes: number }
  | { readonly do: "available"; readonly place: string; readonly up: boolean }
  | { readonly do: "free"; readonly bytes: number | undefined }
  | { readonly do: "leave"; readonly how: "seal" | "stop" }
  | { readonly do: "return" }
  | { readonly do: "node"; readonly node: number }
  | { readonly do: "write"; readonly value: number }
  /** The snapshot is counted through those that there are, over and over. */
  | { readonly do: "restore"; readonly which: number }
  | { readonly do: "wait"; readonly minutes: number };

const config = fc.record({
  interval: fc.integer({ min: 1, max: 7 }),
  retain: fc.integer({ min: 1, max: 4 }),
  place: fc.constantFrom(...PLACES),
  space: fc.constantFrom(1500, 3000, 100_000),
});
const name = fc.constantFrom(...NAMES);
const wait = fc.record({ do: fc.constant("wait" as const), minutes: fc.integer({ min: 0, max: 12 }) });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: wait },
  {
    weight: 3,
    arbitrary: fc.tuple(name, config).map(([of, fields]) => ({ do: "configure" as const, name: of, ...fields })),
  },
  fc.record({ do: fc.constant("delete" as const), name }),
  fc.record({ do: fc.constant("duration" as const), minutes: fc.constantFrom(0, 0, 1, 3, 5) }),
  fc.record({ do: fc.constant("bytes" as const), bytes: fc.constantFrom(400, 1024, 1400) }),
  fc.record({ do: fc.constant("available" as const), place: fc.constantFrom(...PLACES), up: fc.boolean() }),
  fc.record({ do: fc.constant("free" as const), bytes: fc.constantFrom(undefined, undefined, 0, 2000, 5000) }),
  fc.record({ do: fc.constant("leave" as const), how: fc.constantFrom("seal" as const, "stop" as const) }),
  { weight: 2, arbitrary: fc.constant({ do: "return" } as const) },
  fc.record({ do: fc.constant("node" as const), node: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ do: fc.constant("write" as const), value: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant("restore" as const), which: fc.nat({ max: 9 }) }),
);
const story = fc.array(step, { maxLength: 60, size: "max" });

// --- the model ------------------------------------------------------------------------------------------------------

interface Content {
  readonly configs: ReadonlyMap<string, Config>;
  readonly value: number;
}

interface Running {
  readonly order: number;
  readonly startedAt: number;
  readonly endsAt: number;
  readonly place: string;
  readonly number: bigint;
  readonly bytes: number;
  readonly retain: number;
  readonly fits: boolean;
  readonly content: Content;
  readonly disturbed: boolean;
}

interface Stored {
  readonly place: string;
  readonly number: bigint;
  readonly bytes: number;
  readonly content: Content;
}

/** What the model says happened: `a from 3 to 5 ok`. */
type Told = string;

class Model {
  now = 0;
  here = true;
  value = 0;
  configs = new Map<string, Config>();
  readonly next = new Map<string, number>();
  readonly running = new Map<string, Running>();
  stored: Stored[] = [];
  readonly told: Told[] = [];
  readonly down = new Set<string>();
  free: number | undefined;
  duration = 0;
  bytes = 1024;
  #order = 0;
  readonly #last = new Map<string, bigint>();
  readonly #startMs: number;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  configure(of: string, written: Config): void {
    if (!this.configs.has(of)) this.running.delete(of);
    this.configs.set(of, written);
    this.next.set(of, this.now + written.interval);
  }

  delete(of: string): void {
    if (!this.configs.delete(of)) return;
    this.next.delete(of);
    this.running.delete(of);
  }

  leave(): void {
    this.here = false;
    this.next.clear();
  }

  return(): void {
    if (this.here) return;
    this.here = true;
    for (const of of [...this.running.keys()].sort()) {
      const attempt = this.running.get(of) as Running;
      this.running.set(of, { ...attempt, disturbed: true, endsAt: this.now, order: this.#order++ });
    }
    this.#startAll();
    this.#fire();
  }

  restore({ content }: Stored): void {
    this.value = content.value;
    this.configs = new Map(content.configs);
    this.next.clear();
    this.#startAll();
  }

  #startAll(): void {
    for (const [of, { interval }] of this.configs) this.next.set(of, this.now + interval);
  }

  wait(minutes: number): void {
    for (let minute = 0; minute < minutes; minute++) {
      this.now += 1;
      this.#fire();
    }
  }

  #fire(): void {
    while (this.here) {
      const ends = [...this.running].filter(([, { endsAt }]) => endsAt <= this.now);
      ends.sort(([, left], [, right]) => left.order - right.order);
      const [end] = ends;
      const [start] = [...this.next]
        .filter(([, due]) => due <= this.now)
        .sort(([left], [right]) => (left < right ? -1 : 1));
      if (end !== undefined) this.#end(end[0], end[1]);
      else if (start !== undefined) this.#begin(start[0]);
      else return;
    }
  }

  #begin(of: string): void {
    this.next.delete(of);
    const written = this.configs.get(of);
    if (written === undefined || this.running.has(of)) return;
    const { place, retain, space } = written;
    const clock = BigInt(this.#startMs + this.now * MINUTE_MS) * 1_000_000n;
    const last = this.#last.get(place);
    const number = last === undefined || last < clock ? clock : last + 1n;
    this.#last.set(place, number);
    this.running.set(of, {
      order: this.#order++,
      startedAt: this.now,
      endsAt: this.now + this.duration,
      place,
      number,
      bytes: this.bytes,
      retain,
      fits: this.#used(place) + this.bytes <= space,
      content: { configs: new Map(this.configs), value: this.value },
      disturbed: false,
    });
    if (this.duration === 0) this.#end(of, this.running.get(of) as Running);
  }

  #used(place: string): number {
    return this.stored.filter((object) => object.place === place).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #end(of: string, attempt: Running): void {
    const { place, number, bytes, content, retain } = attempt;
    this.running.delete(of);
    const written = this.configs.get(of);
    if (!this.next.has(of) && written !== undefined) this.next.set(of, this.now + written.interval);
    const ok = !attempt.disturbed && attempt.fits && !this.down.has(place) && (this.free ?? bytes) >= bytes;
    this.told.push(`${of} from ${attempt.startedAt} to ${this.now} ${ok ? "ok" : "failed"}`);
    if (!ok) return;
    if (this.free !== undefined) this.free -= bytes;
    this.stored.push({ place, number, bytes, content });
    const there = this.stored.filter((object) => object.place === place).sort(byNumber);
    for (const old of there.slice(0, Math.max(0, there.length - retain))) {
      this.stored = this.stored.filter((object) => object !== old);
      if (this.free !== undefined) this.free += old.bytes;
    }
  }

  urls(): string[] {
    return this.stored.map(urlOf).sort();
  }
}

const byNumber = (left: Stored, right: Stored): number => (left.number < right.number ? -1 : 1);
const urlOf = ({ place, number }: Stored): string => `file://${place}/secrets-snapshot-${number}.snap`;

// --- both, side by side ---------------------------------------------------------------------------------------------

/** Does a story to the simulator and to the model, and compares them after each step. */
function lived(steps: readonly Step[]): Simulator {
  const sim = createSimulator({ seed: 1, secrets: { nodes: 3 }, history: { checkpointEvery: 8 } });
  const main = sim.secrets.cluster("main");
  const { snapshots, kv } = main.as(main.rootToken);
  const model = new Model(sim.clock.now());
  kv.write({ path: "a", v: 0 });
  for (const each of steps) {
    // What needs the cluster is not done while it is away.
    if (
      !model.here &&
      (each.do === "configure" || each.do === "delete" || each.do === "write" || each.do === "restore")
    ) {
      continue;
    }
    switch (each.do) {
      case "configure": {
        const { interval, retain, place, space } = each;
        const fields = { path_prefix: place, storage_type: "local", local_max_space: space };
        snapshots.write({ name: each.name, interval: interval * 60, retain, ...fields });
        model.configure(each.name, { interval, retain, place, space });
        break;
      }
      case "delete":
        snapshots.delete({ name: each.name });
        model.delete(each.name);
        break;
      case "duration":
        sim.stores.setSnapshotDuration(each.minutes * MINUTE_MS);
        model.duration = each.minutes;
        break;
      case "bytes":
        sim.stores.setSnapshotBytes(each.bytes);
        model.bytes = each.bytes;
        break;
      case "available":
        sim.stores.setAvailable(`file://${each.place}`, each.up);
        if (each.up) model.down.delete(each.place);
        else model.down.add(each.place);
        break;
      case "free":
        sim.stores.setFreeBytes("file:///", each.bytes);
        model.free = each.bytes;
        break;
      case "leave":
        if (!model.here) break;
        if (each.how === "seal") main.seal();
        else sim.network.stop(main);
        model.leave();
        break;
      case "return":
        sim.network.start(main);
        main.unseal();
        model.return();
        break;
      case "node":
        main.setActiveNode(each.node);
        break;
      case "write":
        kv.write({ path: "a", v: each.value });
        model.value = each.value;
        break;
      case "restore": {
        const chosen = [...model.stored].sort(byNumber)[each.which % Math.max(1, model.stored.length)];
        if (chosen === undefined) break;
        main.restoreSnapshot(urlOf(chosen));
        model.restore(chosen);
        break;
      }
      case "wait":
        sim.clock.advance(each.minutes * MINUTE_MS);
        model.wait(each.minutes);
        break;
      default:
        each satisfies never;
    }
    expect(sim.stores.list("").map(({ url }) => url)).toEqual(model.urls());
    if (!model.here) continue;
    expect(kv.read({ path: "a" }).data).toEqual({ v: model.value });
    expect([...(sim.state.secrets["main"]?.local.snapshots.keys() ?? [])]).toEqual([...model.configs.keys()].sort());
    const due = [...model.next.values(), ...[...model.running.values()].map(({ endsAt }) => endsAt)];
    const start = sim.clock.now() - model.now * MINUTE_MS;
    const pending = sim.clock.pending().map(({ dueAtMs }) => (dueAtMs - start) / MINUTE_MS);
    expect(pending).toEqual(due.sort((left, right) => left - right));
  }
  expect(told(sim)).toEqual(model.told);
  return sim;
}

function told(sim: Simulator): Told[] {
  const startMs = Date.UTC(2026, 0, 1);
  const begun = new Map<string, number>();
  const lines: Told[] = [];
  for (const { type, atMs, data } of sim.log.events()) {
    const minute = (atMs - startMs) / MINUTE_MS;
    const { name: of } = data as { readonly name: string };
    if (type === "SnapshotStarted") begun.set(of, minute);
    if (type === "SnapshotStored") lines.push(`${of} from ${begun.get(of)} to ${minute} ok`);
    if (type === "SnapshotFailed") lines.push(`${of} from ${begun.get(of)} to ${minute} failed`);
  }
  return lines;
}

describe("automated snapshots", () => {
  property([story], runs(300))("do what a model says that looks at every minute", (steps) => {
    lived(steps);
  });

  property([story], runs(60))(
    "leave no more than is kept right after a success, and were allowed when they began",
    (steps) => {
      const sim = lived(steps);
      const begun = new Map<string, SnapshotEvents["SnapshotStarted"] & { readonly used: number }>();
      for (const { type, data, position } of sim.log.events()) {
        const there = (base: string) => sim.at(position).stores.list(`${base}-`);
        if (type === "SnapshotStarted") {
          const started = data as SnapshotEvents["SnapshotStarted"];
          const used = there(started.place.base).reduce((sum, { bytes }) => sum + bytes, 0);
          begun.set(started.name, { ...started, used });
        }
        if (type !== "SnapshotStored") continue;
        const attempt = begun.get((data as { readonly name: string }).name) ?? expect.fail("it never began");
        expect(there(attempt.place.base).length).toBeLessThanOrEqual(attempt.retain);
        // An attempt that takes no time is stored by the commit that began it.
        if (attempt.endsAtMs === undefined) continue;
        expect(attempt.used + attempt.bytes).toBeLessThanOrEqual(attempt.maxBytes ?? Number.POSITIVE_INFINITY);
      }
    },
  );

  property(
    [fc.array(fc.tuple(fc.constantFrom("x", "y", "z/a"), fc.nat()), { maxLength: 30 }), fc.nat({ max: 29 })],
    runs(60),
  )("restored, are read as they were read when they began", (writes, taken) => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const { kv, snapshots } = main.as(main.rootToken);
    sim.stores.setSnapshotDuration("1m");
    const read = () => sim.state.secrets["main"]?.replicated.mounts.get("kv/");
    let before = read();
    for (const [index, [path, v]] of writes.entries()) {
      if (index === taken % writes.length) {
        const all = { path_prefix: "/b", storage_type: "local", local_max_space: 9999 };
        snapshots.write({ name: "n", interval: "1h", ...all });
        sim.clock.advance("1h");
        before = read();
      }
      kv.write({ path, v });
    }
    sim.clock.advance("1m");
    const [stored] = sim.stores.list("");
    if (stored === undefined) return;
    main.restoreSnapshot(stored.url);
    expect(read()).toEqual(before);
    expect(read()).toBe(before);
  });
});
