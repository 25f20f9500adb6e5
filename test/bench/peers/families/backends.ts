import { spawnSync } from "node:child_process";
import { SIZES, type Size, backends as section } from "../../comparison/contests.ts";
import { contestOf, type Entries, type Entry, rowsOf } from "../../comparison/entries.ts";
import { Dice, seconds } from "../../harness/measure.ts";
import { type Effort, type Family, type Prepared, shared } from "../../harness/row.ts";
import { type Ask, answerOf, type Backend, type MakeBackend } from "../backends/backend.ts";
import { rateWithin } from "../rate.ts";

/** A process imports what it measures and nothing else. */
const makers: Readonly<Record<string, { readonly module: string; readonly make: () => Promise<MakeBackend> }>> = {
  hindcast: { module: "hindcast", make: async () => (await import("../backends/hindcast.ts")).hindcastBackend },
  msw: { module: "msw", make: async () => (await import("../backends/msw.ts")).mswBackend },
  nock: { module: "nock", make: async () => (await import("../backends/nock.ts")).nockBackend },
  hono: { module: "hono", make: async () => (await import("../backends/hono.ts")).honoBackend },
};

/** What code under test does with a fake backend. */
export const backends: readonly Family[] = [
  { name: "start", rows: rowsOf(section, contestOf(section, "start"), entriesOf(start)) },
  ...SIZES.map((size) => ({
    name: `backends@${size}`,
    rows: ["read", "write", "list"].flatMap((kind) =>
      rowsOf(
        section,
        contestOf(section, `${kind}@${size}`),
        entriesOf((name) => requests(name, kind as Kind, size)),
      ),
    ),
  })),
];

function entriesOf(entryOf: (contestant: string) => Entry): Entries {
  return Object.fromEntries(section.contestants.map((name) => [name, entryOf(name)]));
}

// --- requests -------------------------------------------------------------------------------------------------------

type Kind = "read" | "write" | "list";

const CHILDREN = 100;

const pathsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `app/${Math.floor(index / CHILDREN)}/key-${index % CHILDREN}`);

interface Filled {
  readonly backend: Backend;
  readonly paths: readonly string[];
}

/** One for each process: the kinds of requests of a size are asked of the same backend. */
const filled = new Map<string, (effort: Effort) => Promise<Filled>>();

function filledOf(contestant: string, size: Size): (effort: Effort) => Promise<Filled> {
  const key = `${contestant}@${size}`;
  const known =
    filled.get(key) ??
    shared(async (effort: Effort) => {
      const paths = pathsOf(effort.size(size));
      const make = await makers[contestant]?.make();
      if (make === undefined) throw new TypeError(`nobody makes ${contestant}`);
      return { backend: make(paths), paths };
    });
  filled.set(key, known);
  return known;
}

function requests(contestant: string, kind: Kind, size: Size): Entry {
  return {
    process: `${contestant}@${size}`,
    // A heap of gigabytes takes seconds to collect.
    collects: size < 1_000_000,
    prepare: async (effort): Promise<Prepared> => {
      const { backend, paths } = await filledOf(contestant, size)(effort);
      const answers = await answersOf(backend, questions(kind, paths));
      const dice = new Dice(1);
      const folder = (): string => `app/${dice.below(Math.ceil(paths.length / CHILDREN))}`;
      const ask: Record<Kind, (turn: number) => Ask> = {
        read: () => ({ method: "GET", path: dice.pick(paths) }),
        write: (turn) => ({ method: "POST", path: dice.pick(paths), body: bodyOf(turn) }),
        list: () => ({ method: "LIST", path: folder() }),
      };
      let turn = 0;
      const round = rateWithin(effort, async () => {
        const { status } = await answerOf(backend, ask[kind](turn++));
        if (status >= 400) throw new Error(`${contestant} answered ${status}`);
      });
      return { round, answers };
    },
  };
}

const bodyOf = (turn: number): string => JSON.stringify({ password: `password ${turn}` });

/** The same for all: what is there, what is not, who may not, and what a write leaves. */
function questions(kind: Kind, paths: readonly string[]): Ask[] {
  const dice = new Dice(2);
  const some = Array.from({ length: 20 }, () => dice.pick(paths));
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
  const reads = some.map((path): Ask => ({ method: "GET", path }));
  switch (kind) {
    case "read":
      return [...reads, { method: "GET", path: "app/0/none" }, { method: "GET", path: "app/0/key-0", token: "wrong" }];
    case "write":
      return [
        ...some.map((path, turn): Ask => ({ method: "POST", path, body: bodyOf(turn) })),
        ...reads,
        { method: "POST", path: "app/0/key-0", body: bodyOf(0), token: "wrong" },
      ];
    case "list":
      return [
        ...some.map((path): Ask => ({ method: "LIST", path: folderOf(path) })),
        { method: "LIST", path: "none/at/all" },
        { method: "LIST", path: "app/0", token: "wrong" },
      ];
    default:
      return kind satisfies never;
  }
}

async function answersOf(backend: Backend, asks: readonly Ask[]): Promise<string> {
  const lines: string[] = [];
  for (const ask of asks) lines.push(lineOf(await answerOf(backend, ask)));
  return lines.join("\n");
}

/** An answer without the id that each request gets. */
function lineOf({ status, body }: { readonly status: number; readonly body: unknown }): string {
  return `${status} ${JSON.stringify(body, (key, value: unknown) => (key === "request_id" ? "an id" : value)) ?? ""}`;
}

// --- start ----------------------------------------------------------------------------------------------------------

function start(contestant: string): Entry {
  const module = makers[contestant]?.module ?? contestant;
  const source = `
    import { answerOf } from ${JSON.stringify(besides("backend"))};
    import { ${module}Backend } from ${JSON.stringify(besides(module))};
    const { status, body } = await answerOf(${module}Backend(["app/db"]), { method: "GET", path: "app/db" });
    console.log(JSON.stringify({ status, data: body.data }));
    process.exit();
  `;
  return {
    rounds: 15,
    prepare: () => ({
      // Less what Node takes by itself, of this moment.
      round: () => {
        const bare = seconds(() => run("process.exit();"));
        return (seconds(() => run(source)) - bare) * 1_000;
      },
      answers: run(source),
    }),
  };
}

function besides(module: string): string {
  return new URL(`../backends/${module}.js`, import.meta.url).href;
}

/** Runs a module in a process of its own, and returns what it printed. */
function run(source: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
