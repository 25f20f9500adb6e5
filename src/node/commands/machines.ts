import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nearestNames } from "../../languages/nearest.ts";
import { messageOf } from "../../scenario/message.ts";
import { allCharts, type Chart } from "../../simulator/charts.ts";
import { defineCommand, JSON_OPTION, table } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { listingOf } from "../machines/listing.ts";
import { mermaidOf } from "../machines/mermaid.ts";
import { counted } from "../terminal/counted.ts";

/** The state charts, as text and as pictures. */
export const machines = defineCommand({
  name: "machines",
  about:
    "Lists the state charts; of one of them, by its name, the states and moves, as text, as Mermaid text or as an SVG picture.",
  args: {
    name: { type: "positional", description: "a chart; without it all are listed", required: false },
    svg: { type: "boolean", description: "SVG pictures instead of text" },
    mermaid: { type: "boolean", description: "Mermaid text instead of text for people" },
    out: {
      type: "string",
      description: "write a file each into this folder, of the named chart or of all",
      valueHint: "folder",
    },
    ...JSON_OPTION,
  },
  run: async (args, { columns, print, printJson, write }) => {
    const charts = allCharts();
    const chosen = args.name === undefined ? charts : [chartNamed(charts, args.name)];
    const drawn = args.svg === true ? (await import("../machines/svg.ts")).svgOf : mermaidOf;
    if (args.out !== undefined) {
      const folder = args.out;
      const ending = args.svg === true ? "svg" : "mmd";
      const files = chosen.map((chart) => ({ file: join(folder, `${chart.id}.${ending}`), text: drawn(chart) }));
      writeFiles(args.out, files);
      if (args.json) printJson({ files: files.map(({ file }) => file) });
      else print(files.map(({ file }) => file));
    } else if (args.json) {
      const form = args.svg === true ? "svg" : "mermaid";
      printJson({ charts: chosen.map((chart) => ({ ...chart, [form]: drawn(chart) })) });
    } else if (args.svg === true || args.mermaid === true) {
      write(chosen.map(drawn).join(""));
    } else if (args.name === undefined) {
      print([...table(charts.map(rowOf), columns), "", "hindcast machines <name> [--svg]"]);
    } else {
      print(chosen.flatMap((chart) => listingOf(chart, columns)));
    }
    return EXIT.held;
  },
});

function chartNamed(charts: readonly Chart[], name: string): Chart {
  const chart = charts.find(({ id }) => id === name);
  if (chart !== undefined) return chart;
  const near = nearestNames(
    name,
    charts.map(({ id }) => id),
  );
  throw usageError(
    `there is no chart ${name}`,
    ...near.map((id) => `hindcast machines ${id}`),
    "hindcast machines   lists them all",
  );
}

function rowOf({ id, states, moves }: Chart): readonly [string, string] {
  const events = new Set(moves.map(({ event }) => event));
  return [id, `${counted(states.length, "state")}, ${counted(moves.length, "move")}: ${[...events].join(", ")}`];
}

interface File {
  readonly file: string;
  readonly text: string;
}

function writeFiles(folder: string, files: readonly File[]): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { file, text } of files) writeFileSync(file, text);
  } catch (error) {
    throw usageError(`${folder} cannot be written: ${messageOf(error)}`);
  }
}
