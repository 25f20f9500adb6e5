import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

// The sources below are written to a folder of their own beside the project's real lint configuration, and linted once
// by the real linter, so that a rule that is lost from the configuration fails here too.

const project = fileURLToPath(new URL("../../", import.meta.url));

const FORBIDDEN: Record<string, readonly string[]> = {
  "no-outside-world": [
    // the clock
    "export const f = () => Date.now();",
    "export const f = () => new Date();",
    "export const f = () => new Date;",
    "export const f = () => new (Date as DateConstructor)();",
    "export const f = () => Date();",
    "export const f = (parts: [] | [number]) => new Date(...parts);",
    "export const f = () => globalThis.Date.now();",
    'export const f = () => globalThis["Date"].now();',
    'export const f = () => Date["now"]();',
    "export const f = () => Date?.now?.();",
    "export const f = () => self.Date.now();",
    "export const f = () => globalThis.self.Date.now();",
    "const { now } = Date; export const f = () => now();",
    "const { now: instant } = globalThis.Date; export const f = () => instant();",
    "const { Date: { now } } = globalThis; export const f = () => now();",
    "const D = Date; export const f = () => D.now();",
    "const D = Date; export const f = () => new D();",
    "export function f() { const clock = Date.now; return clock(); }",
    "export const f = (clock = Date.now) => clock();",
    "export const options = { clock: Date.now };",
    "export const f = (c?: () => number) => (c ?? Date.now)();",
    "export class Present extends Date {}",
    "export const f = (make: (d: DateConstructor) => Date) => make(Date);",
    "export const f = () => Reflect.construct(Date, []);",
    "export const f = (name: 'now') => Date[name]();",
    "export { now }; const { now } = Date;",
    "export const f = () => performance.now();",
    "export const f = () => globalThis.performance.timeOrigin;",
    "const { performance: p } = globalThis; export const f = () => p.now();",
    "export const f = () => typeof performance;",
    // timers
    "export const f = () => setTimeout(() => {}, 1);",
    "export const f = () => globalThis.setTimeout(() => {}, 1);",
    "export const f = () => window.setTimeout(() => {}, 1);",
    "export const f = () => new Promise((done) => setTimeout(done));",
    "export const later = setTimeout;",
    "export const f = () => setInterval(() => {}, 1);",
    "declare const setImmediate: (f: () => void) => void; export {}; globalThis.setImmediate(() => {});",
    "export const f = () => requestAnimationFrame(() => {});",
    "export const f = () => AbortSignal.timeout(5);",
    "export const f = (cells: Int32Array) => Atomics.wait(cells, 0, 0, 10);",
    // randomness
    "export const f = () => Math.random();",
    'export const f = () => Math["random"]();',
    "export const f = () => Math[`random`]();",
    "const { random } = Math; export const f = () => random();",
    "const { random: roll, ...rest } = Math; export const f = () => roll() + rest.E;",
    "export function f() { const { random } = Math; return random(); }",
    "const M = Math; export const f = () => M.random();",
    "const M = globalThis.Math; export const f = () => M.random();",
    "const G = globalThis; export const f = () => G.Math.random();",
    "let source; source = Math; export const f = () => source.random();",
    "export const M = Math;",
    "export const f = (key: keyof Math) => Math[key];",
    "export const f = (use: (m: Math) => number) => use(Math);",
    "export const tools = { Math };",
    "export const f = () => (0, Math.random)();",
    "export const f = () => Math.random.call(undefined);",
    "export const f = () => [1, 2].map(Math.random);",
    "export const f = () => crypto.getRandomValues(new Uint8Array(4));",
    "export const f = () => crypto.randomUUID();",
    "export const f = () => globalThis.crypto.randomUUID();",
    "const { randomUUID } = crypto; export const f = () => randomUUID();",
    'export const f = () => crypto.subtle.generateKey("Ed25519", false, ["sign"]);',
    'const { subtle } = crypto; export const f = () => subtle.generateKey("Ed25519", false, ["sign"]);',
    'const s = globalThis.crypto.subtle; export const f = () => s.generateKey("Ed25519", false, ["sign"]);',
    "export const f = (use: (g: typeof globalThis) => void) => use(globalThis);",
    // the network and the host
    'export const f = () => fetch("https://example.org");',
    "export const f = () => process.hrtime();",
    "export const f = () => globalThis.process.env;",
  ],
  "no-outside-imports": [
    'import { readFileSync } from "node:fs"; export const f = readFileSync;',
    'import { readFileSync } from "fs"; export const f = readFileSync;',
    'import * as timers from "node:timers/promises"; export const f = timers;',
    'import "node:process"; export {};',
    'import type { Stats } from "node:fs"; export type S = Stats;',
    'export { randomUUID } from "node:crypto";',
    'export * from "node:path";',
    'export const f = () => import("node:fs");',
    "export const f = () => import(`node:fs`);",
    "export const f = (name: string) => import(name);",
    'export type S = import("node:fs").Stats;',
    'import { nanoid } from "nanoid"; export const f = () => nanoid();',
    'import { customAlphabet } from "nanoid"; export const f = customAlphabet;',
    'import { nanoid } from "nanoid/non-secure"; export const f = () => nanoid();',
    'import { isToday } from "date-fns/isToday"; export const f = isToday;',
    'import { isPast } from "date-fns/isPast"; export const f = isPast;',
    'import { formatDistanceToNow } from "date-fns/formatDistanceToNow"; export const f = formatDistanceToNow;',
  ],
  "no-module-state": [
    "let count = 0; export const f = () => ++count;",
    "let never = 0; export const f = () => never;",
    "export let shared = 1;",
    "var old = 1; export const f = () => old;",
    "{ let n = 0; (globalThis as any).x ?? f; function f() { n += 1; return n; } } export {};",
    "export const next = (() => { let n = 0; return () => ++n; })();",
    "export const next = (function () { let n = 0; return () => { n += 1; return n; }; })();",
    "const cache = new Map<string, number>(); export const f = (k: string) => cache.set(k, 1);",
    "const cache: Map<string, number> = new Map(); export const f = (k: string) => { cache.set(k, 1); };",
    "const cache = new globalThis.Map<string, number>(); export const f = (k: string) => cache.set(k, 1);",
    "const seen = new Set<string>(); export const f = (k: string) => seen.add(k);",
    "const seen: ReadonlySet<string> = new Set(); export const f = (k: string) => (seen as Set<string>).add(k);",
    'const names = ["a"]; export const f = () => names.push("b");',
    'const names = ["b", "a"]; export const f = () => names.sort();',
    'const names = ["a"]; export const f = () => { names[0] = "b"; };',
    'const names = ["a"]; export const f = () => { names.length = 0; };',
    "const counter = { n: 0 }; export const f = () => counter.n++;",
    "const counter = { n: 0 }; export const f = () => { counter.n += 1; };",
    "const counter = { deep: { n: 0 } }; export const f = () => { counter.deep.n = 1; };",
    "const counter = { n: 0 }; export function f() { const c = counter; c.n = 1; }",
    "const index: Record<string, number> = { a: 1 }; export const f = (k: string) => { index[k] = 1; };",
    "const index: Record<string, number> = { a: 1 }; export const f = (k: string) => delete index[k];",
    "const index: Record<string, number> = { a: 1 }; export const f = () => Object.assign(index, { b: 1 });",
    "const index = Object.create(null) as Record<string, number>; export const f = (k: string) => { index[k] = 1; };",
    "const lists = { open: [1] }; export const f = () => lists.open.push(2);",
    "const lists = { open: [1] }; export const f = () => { const { open } = lists; open.push(2); };",
    "const maps = { a: new Map<string, number>() }; export const f = () => maps.a.set('x', 1);",
    "const last = { value: 1 }; export const f = () => { [last.value] = [2]; };",
    "const bytes = new Uint8Array(8); export const f = () => { bytes[0] = 1; };",
    "const bytes = new Uint8Array(8); export const f = () => bytes.fill(1);",
    "const query = new URLSearchParams('a=1'); export const f = () => query.append('b', '2');",
    "const ids = numbers(); export const f = () => ids.next().value; function* numbers() { yield 1; }",
    "const word = /\\w+/g; export const f = (text: string) => word.exec(text);",
    "const word = /\\w+/y; export const f = (text: string) => { word.lastIndex = 3; return word.test(text); };",
    "export function f() { f.calls += 1; } f.calls = 0;",
    "class Id { static readonly width = 3 } export const f = () => { (Id as { width: number }).width = 4; };",
    // what others could change
    "export const registry = new Map([['a', 1]]);",
    "export const registry = new Set(['a']);",
    "const registry = new Map([['a', 1]]); export { registry };",
    "const registry = new Map([['a', 1]]); export const f = (use: (m: Map<string, number>) => void) => use(registry);",
    "const registry = new Map<string, number>(); export const f = (k: string) => registry.get(k);",
    "export const queue: string[] = [];",
    "export const index = {};",
    "export const index: Record<string, number> = {};",
    "export class Ids { static next = 0; }",
    "export class Ids { static #next = 0; static take() { return Ids.#next++; } }",
    "export class Ids { static readonly taken = new Set<string>(); }",
    "export class Ids { static readonly taken: string[] = []; }",
    "export class Ids { static accessor next = 0; }",
    // what belongs to others
    'import { table } from "./other.ts"; table.size = 1;',
    'import { list } from "./other.ts"; export const f = () => list.push(1);',
    'import * as other from "./other.ts"; export const f = () => { other.options.depth = 2; };',
    "globalThis.shared = 1; export {};",
    "export const f = () => { Math.random = () => 4; };",
    "Array.prototype.last = () => 1; export {};",
    "Object.assign(globalThis, { shared: 1 }); export {};",
    "export const f = () => { Error.stackTraceLimit = 0; };",
  ],
  "no-machine-locale": [
    "export const f = (d: Date) => d.getHours();",
    "export const f = (d: Date) => d.getTimezoneOffset();",
    "export const f = (d: Date) => d.setDate(3);",
    "export const f = (d: Date) => d.toLocaleString();",
    "export const f = (a: string, b: string) => a.localeCompare(b);",
    "export const f = () => new Date(2026, 0, 1);",
    "export const f = () => new Intl.DateTimeFormat();",
    'export const f = () => globalThis.Intl.NumberFormat("en");',
  ],
};

const ALLOWED: readonly string[] = [
  // instants that somebody gave
  "export const f = (ms: number) => new Date(ms).toISOString();",
  'export const f = () => Date.parse("2026-01-01T00:00:00Z") + Date.UTC(2026, 0, 1);',
  "export const f = (d: Date) => d.getUTCHours() + d.getTime();",
  "export const f = (value: unknown): value is Date => value instanceof Date;",
  "export type Clock = typeof Date.now; export type When = Date; export type P = typeof performance;",
  "export const f = (clock: { now(): number }) => clock.now();",
  "export function f(Date: { now(): number }) { return Date.now(); }",
  "export const sim = { Date: { now: () => 0 } }; export const f = () => sim.Date.now();",
  // numbers and bytes that anybody computes alike
  "export const f = (n: number) => Math.floor(n) + Math.max(1, n);",
  "const { floor, max } = Math; export const f = (n: number) => floor(max(1, n));",
  "export const f = (Math: { random(): number }) => Math.random();",
  'export const f = (bytes: Uint8Array<ArrayBuffer>) => crypto.subtle.digest("SHA-256", bytes);',
  "export const f = (draw: { randomUUID(): string }) => draw.randomUUID();",
  // turns of the event loop, in which no time passes
  "export const f = (work: () => void) => queueMicrotask(work);",
  "export const f = () => new MessageChannel();",
  'export const f = () => new Response("x", { status: 200 }); export type F = typeof fetch;',
  "export const f = () => globalThis.structuredClone({ a: 1 });",
  "export const f = (setTimeout: (f: () => void) => void) => setTimeout(() => {});",
  // imports
  'import { customRandom, urlAlphabet } from "nanoid"; export const f = [customRandom, urlAlphabet];',
  'import { addHours } from "date-fns/addHours"; export const f = addHours;',
  'import { setup } from "xstate"; export const f = setup;',
  'import * as v from "valibot"; export const f = v.set(v.string());',
  'export const f = () => import("jose");',
  'export const f = () => import("./other.ts");',
  // memo tables
  "const memo = new WeakMap<object, string>(); export const f = (o: object) => memo.set(o, 'x');",
  "const memo = new WeakMap<object, string>(); export const f = (o: object) => memo.get(o) ?? g(memo, o); const g = (m: WeakMap<object, string>, o: object) => m.get(o);",
  "const frozen = new WeakSet<object>(); export const f = (o: object) => frozen.add(o);",
  // tables that nobody can change
  "const units: ReadonlyMap<string, number> = new Map([['s', 1]]); export const f = (u: string) => units.get(u);",
  "export const units: ReadonlyMap<string, number> = new Map([['s', 1]]);",
  "export const words: ReadonlySet<string> = new Set(['a']);",
  "export const units = new Map([['s', 1]]) as ReadonlyMap<string, number>;",
  "export const names = ['a', 'b'] as const;",
  "export const none = [] as const;",
  "export const none: readonly string[] = [];",
  "export const none: ReadonlyArray<string> = [];",
  "export const none: Readonly<Record<string, never>> = {};",
  "export const none = Object.freeze({});",
  "export const codes = { gone: 410 } satisfies Record<string, number>;",
  "type Evolvers = object; export const evolvers: Evolvers = {};",
  "export const statuses = { gone: 410, found: 200 }; export const f = (k: 'gone') => statuses[k];",
  "const words = new Set(['a']); export const f = (w: string) => words.has(w);",
  "const names = ['b', 'a']; export const f = () => [...names].sort() ?? names.toSorted();",
  "export class Id { static readonly width = 3; static readonly kinds = ['a'] as const; static make() { return new Id(); } }",
  "export class Id { static readonly kinds: ReadonlySet<string> = new Set(['a']); }",
  // tables that are built while the module loads
  "const crc = new Uint32Array(256); for (let i = 0; i < 256; i++) crc[i] = i; export const f = (i: number) => crc[i];",
  "const byName = new Map<string, number>(); for (const n of ['a']) byName.set(n, 1); export const f = (n: string) => byName.get(n);",
  "export const table = (() => { const t: number[] = []; let n = 0; for (const x of [1]) { n += x; t.push(n); } return t; })();",
  // what lives no longer than a call or an object
  "export function f() { let n = 0; const seen = new Set<number>(); seen.add(n++); return seen; }",
  "export class Log { readonly #lines: string[] = []; #n = 0; add(line: string) { this.#lines.push(line); this.#n += 1; } }",
  "export const f = () => { const counter = { n: 0 }; counter.n += 1; return counter; };",
  "export const f = (draft: { n: number }) => { draft.n += 1; };",
  "const word = /\\w+/; export const f = (text: string) => word.exec(text);",
  "const words = /\\w+/g; export const f = (text: string) => text.replace(words, '') + [...text.matchAll(words)].length;",
  "const empty = makeTable(); export const f = () => empty.set('a', 1); declare function makeTable(): { set(k: string, n: number): unknown };",
  "declare let ambient: number; export const f = () => ambient;",
];

const OUTSIDE_CORE = "let calls = 0; export const f = () => { calls += 1; return Date.now() + Math.random(); };";
const OTHER = "export const table = { size: 0 }; export const list = [0]; export const options = { depth: 0 };";

const forbidden = Object.entries(FORBIDDEN).flatMap(([rule, sources]) =>
  sources.map((source, index) => [rule, source, `src/kernel/${rule}-${index}.ts`] as const),
);
const allowed = ALLOWED.map((source, index) => [source, `src/kernel/allowed-${index}.ts`] as const);
const everywhere = ["src/a.ts", "src/services/runs/a.ts", "machines/a.machine.ts", "scenarios/a.ts"];
const nowhere = ["src/node/a.ts", "src/testing/a.ts", "test/a.ts"];

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly message: string;
}

let reports: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const files = new Map([
    ["src/kernel/other.ts", OTHER],
    ...forbidden.map(([, source, file]) => [file, source] as const),
    ...allowed.map(([source, file]) => [file, source] as const),
    ...[...everywhere, ...nowhere].map((file) => [file, OUTSIDE_CORE] as const),
    ["src/kernel/circle-a.ts", 'import { b } from "./circle-b.ts"; export const a = () => b();'],
    ["src/kernel/circle-b.ts", 'import { a } from "./circle-a.ts"; export const b = (): unknown => a();'],
    ["src/node/floating.ts", "export const f = async () => 1; export function g() { f(); }"],
    ["test/floating.ts", "export const f = async () => 1; export function g() { f(); }"],
    ["src/node/misused.ts", "export const f = (xs: number[]) => xs.forEach(async (x) => { await x; });"],
    ["src/node/clean.ts", "export const f = async () => 1; export async function g() { await f(); }"],
  ]);
  reports = await lint(files);
}, 60_000);

describe("the determinism lint", () => {
  test.each(forbidden)("%s reports: %s", (rule, _, file) => {
    expect(reports.get(file) ?? []).toContain(`hindcast(${rule})`);
  });

  test.each(allowed)("leaves alone: %s", (_, file) => {
    expect(ours(file)).toEqual([]);
  });

  test.each(everywhere)("covers %s", (file) => {
    expect(ours(file)).toEqual(["hindcast(no-module-state)", "hindcast(no-outside-world)"]);
  });

  test.each(nowhere)("does not cover %s", (file) => {
    expect(ours(file)).toEqual([]);
  });
});

describe("the other rules of the linter", () => {
  test.each([
    ["src/kernel/circle-a.ts", "import(no-cycle)"],
    ["src/node/floating.ts", "typescript(no-floating-promises)"],
    ["test/floating.ts", "typescript(no-floating-promises)"],
    ["src/node/misused.ts", "typescript(no-misused-promises)"],
  ])("%s is reported by %s", (file, code) => {
    expect(reports.get(file) ?? []).toContain(code);
  });

  test("an awaited promise is not reported", () => {
    expect(reports.get("src/node/clean.ts") ?? []).toEqual([]);
  });
});

describe("exceptions in the sources", () => {
  test("each names its rule and gives its reason", async () => {
    const found: string[] = [];
    for (const folder of ["src", "machines", "scenarios"]) {
      for (const file of await sourcesIn(join(project, folder))) {
        const lines = (await readFile(file, "utf8")).split("\n");
        found.push(...lines.filter((line) => /oxlint-disable/.test(line)));
      }
    }
    const named = /oxlint-disable-next-line [\w/-]+(, [\w/-]+)* -- \S+ \S+/;
    expect(found.filter((line) => !named.test(line))).toEqual([]);
  });
});

function ours(file: string): string[] {
  return (reports.get(file) ?? []).filter((code) => code.startsWith("hindcast(")).sort();
}

/** Each file's codes, once each. */
async function lint(files: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = await mkdtemp(join(tmpdir(), "hindcast-lint-"));
  try {
    await cp(join(project, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
    await cp(join(project, "test/tooling/determinism"), join(folder, "test/tooling/determinism"), { recursive: true });
    for (const [file, source] of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `${source}\n`);
    }
    const codes = new Map<string, Set<string>>();
    for (const { code, filename } of await oxlint(folder)) {
      const name = filename.replaceAll("\\", "/");
      codes.set(name, (codes.get(name) ?? new Set()).add(code));
    }
    return new Map([...codes].map(([name, set]) => [name, [...set]]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function oxlint(cwd: string): Promise<readonly Diagnostic[]> {
  const bin = join(project, "node_modules/oxlint/bin/oxlint");
  const env = { ...process.env, OXLINT_TSGOLINT_PATH: join(project, "node_modules/.bin/tsgolint") };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [bin, "--format=json", "."], { cwd, env, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      try {
        resolve((JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics);
      } catch {
        reject(new Error(`oxlint gave no report:\n${stdout}\n${stderr}`));
      }
    });
  });
}

async function sourcesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.name.endsWith(".ts")).map((entry) => join(entry.parentPath, entry.name));
}
