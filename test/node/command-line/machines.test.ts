import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setup } from "xstate";
import { mermaidOf } from "../../../src/node/machines/mermaid.ts";
import { svgOf } from "../../../src/node/machines/svg.ts";
import { allCharts, chartOf } from "../../../src/simulator/charts.ts";
import { builtCommandLine, ROOT, recorded } from "./support.ts";

const hindcast = builtCommandLine();
const PICTURES = join(ROOT, "machines/pictures");
const charts = allCharts();
const ids = charts.map(({ id }) => id);

describe("the pictures of the charts", () => {
  it.each(charts.map((chart) => [chart.id, chart] as const))(
    "%s is drawn as its definition is: npm run pictures",
    (id, chart) => {
      expect(readFileSync(join(PICTURES, `${id}.svg`), "utf8")).toBe(svgOf(chart));
    },
  );

  it("are there for every chart, and for nothing else", () => {
    expect(readdirSync(PICTURES).sort()).toEqual(ids.map((id) => `${id}.svg`).sort());
    const files = readdirSync(join(ROOT, "machines")).filter((file) => file.endsWith(".machine.ts"));
    expect(ids).toHaveLength(files.length);
  });

  it("are what the README shows", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const shown = [...readme.matchAll(/\]\((machines\/pictures\/[^)]*)\)/g)].map(([, file = ""]) => file);
    expect(shown).not.toEqual([]);
    for (const file of shown) expect(readdirSync(PICTURES).map((name) => `machines/pictures/${name}`)).toContain(file);
  });
});

describe("a picture", () => {
  const machine = setup({
    types: { context: {} as { yes: boolean }, events: {} as { type: "go" } | { type: "stay" } },
    guards: { isYes: ({ context }) => context.yes },
    actions: { note: () => undefined },
  }).createMachine({
    id: "tiny",
    context: { yes: true },
    initial: "one-two",
    states: {
      "one-two": { on: { go: [{ target: "end", guard: "isYes", actions: "note" }, { target: "end" }], stay: {} } },
      end: { type: "final" },
    },
  });

  it("shows every state and every move with its question and what it does", () => {
    const svg = svgOf(chartOf(machine));
    for (const text of ["one-two", "end", "go [isYes] / note", "go", "stay"]) expect(svg).toContain(`>${text}</text>`);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("has all that is in it within its frame", () => {
    for (const chart of charts) {
      const svg = svgOf(chart);
      const [, width = 0, height = 0] = (/width="(\d+)" height="(\d+)"/.exec(svg) ?? []).map(Number);
      for (const [, x, y] of svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"/g)) {
        expect(Number(x)).toBeLessThan(width);
        expect(Number(y)).toBeLessThan(height);
      }
      expect(svg).not.toMatch(/="-|NaN|undefined/);
    }
  });

  it("fits on a screen", () => {
    const widths = charts.map((chart) => [chart.id, Number(/width="(\d+)"/.exec(svgOf(chart))?.[1])] as const);
    expect(widths.filter(([, width]) => width > 1600)).toEqual([]);
  });

  it("says what each state and each move is where one points", () => {
    for (const chart of charts) {
      const svg = svgOf(chart);
      const told = [...svg.matchAll(/<title>([^<]*)<\/title>/g)].map(([, text = ""]) => text.replaceAll("&quot;", '"'));
      const expected = [...chart.states, ...chart.moves].map(({ description }) => description);
      expect(told.slice(1).sort()).toEqual(expected.sort());
    }
  });

  it("lists what many states share in their boxes, and has apart what no arrow leads to", () => {
    const shared = (from: string) => ({ from, to: "out", event: "leave", actions: [], description: "It ends." });
    const state = { isFinal: false, isNeverEntered: false, description: "It is there." };
    const names = ["a", "b", "c", "d"];
    const chart = {
      id: "many",
      description: "Many.",
      initial: "a",
      states: [
        ...names.map((name) => ({ ...state, name })),
        { ...state, name: "out", isFinal: true },
        { ...state, name: "known", isNeverEntered: true },
      ],
      moves: [
        ...names.map(shared),
        { ...shared("known"), to: "a" },
        ...["b", "c", "d"].map((to) => ({ ...shared("a"), event: "go", to })),
      ],
    };
    const svg = svgOf(chart);
    expect(svg.match(/>leave → out</g)).toHaveLength(4);
    for (const text of ["leave → a", "where listed moves lead:", "never entered:", "go"]) {
      expect(svg).toContain(`>${text}</text>`);
    }
    // The dot, and three moves.
    expect(svg.match(/<path d="M[^"]*" marker-end/g)).toHaveLength(4);
    const few = { ...chart, moves: chart.moves.filter(({ from, event }) => from !== "d" || event !== "leave") };
    expect(svgOf(few).match(/<path d="M[^"]*" marker-end/g)).toHaveLength(7);
  });

  it("as Mermaid has names that are no arrows, and each move in the chart's order", () => {
    expect(mermaidOf(chartOf(machine))).toBe(
      [
        "---",
        "title: tiny",
        "---",
        "stateDiagram-v2",
        '  state "one-two" as one_two',
        "  [*] --> one_two",
        "  one_two --> end: go [isYes] / note",
        "  one_two --> end: go",
        "  one_two --> one_two: stay",
        "  end --> [*]",
        "",
      ].join("\n"),
    );
  });
});

describe("hindcast machines", { tags: "full" }, () => {
  it("lists the charts", async () => {
    const { code, stdout } = await hindcast.run("machines");
    expect(code).toBe(0);
    for (const id of ids) expect(stdout).toMatch(new RegExp(`^ {2}${id} +\\d+ states`, "m"));
    const { charts: told } = JSON.parse((await hindcast.run("machines", "--json")).stdout) as {
      charts: { id: string }[];
    };
    expect(told.map(({ id }) => id)).toEqual(ids);
  });

  it("tells the states and moves of one", async () => {
    const { stdout } = await hindcast.run("machines", "token-generation");
    await expect(stdout).toMatchFileSnapshot(recorded("machines-token-generation.txt"));
    const terminal = hindcast.onTerminal(40, "machines", "run");
    await terminal.ended();
    for (const line of terminal.text.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
    expect(terminal.text).toContain("planned_and_saved (never entered):");
  });

  it("tells one as Mermaid text, in a pipe and on a terminal, as SVG, and as JSON", async () => {
    const { stdout } = await hindcast.run("machines", "seal", "--mermaid");
    await expect(stdout).toMatchFileSnapshot(recorded("machines-seal.mmd"));
    const terminal = hindcast.onTerminal(80, "machines", "seal", "--mermaid");
    await terminal.ended();
    expect(terminal.text).toBe(stdout);
    const svg = await hindcast.run("machines", "seal", "--svg");
    expect(svg.stdout).toBe(readFileSync(join(PICTURES, "seal.svg"), "utf8"));
    const json = await hindcast.run("machines", "seal", "--svg", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ charts: [{ id: "seal", initial: "unsealed", svg: svg.stdout }] });
  });

  it("writes a file each, and tells which", async () => {
    const { code, stdout } = await hindcast.run("machines", "--svg", "--out", "drawn/here");
    expect(code).toBe(0);
    expect(stdout).toBe(ids.map((id) => `drawn/here/${id}.svg\n`).join(""));
    for (const id of ids) {
      const drawn = readFileSync(join(hindcast.folder, `drawn/here/${id}.svg`), "utf8");
      expect(drawn).toBe(readFileSync(join(PICTURES, `${id}.svg`), "utf8"));
    }
    await hindcast.run("machines", "lease", "--out", "drawn");
    expect(readFileSync(join(hindcast.folder, "drawn/lease.mmd"), "utf8")).toContain("stateDiagram-v2\n");
  });
});
