import { traceHtml } from "../inspector/trace-html.ts";
import { requestLine } from "../programs/request-line.ts";
import type { Failed } from "./failed.ts";
import { filesHere, shownName, writeWhole } from "./kept-files.ts";
import type { Played } from "./play.ts";

/** What a failure leaves, as names of files from where the process runs. */
export interface KeptFailure {
  /** A scenario over the log: `npx hindcast run` tells it step by step. */
  readonly scenario?: string;
  /** The log with its journal, for `replay` and all commands that take one. */
  readonly log?: string;
  /** A page that shows the run in a browser. */
  readonly page?: string;
}

/** Writes what a failure leaves. */
export async function keepFailure(
  folder: string,
  name: string,
  { sim, marks }: Played,
  { judge, message, error }: Failed,
  repeat: string,
): Promise<KeptFailure> {
  const files = filesHere();
  if (files === undefined) return {};
  const { path } = files;
  const at = (ending: string): string => path.join(path.resolve(folder), `${name}${ending}`);
  const log = sim.log.toNdjson({ journal: true });
  writeWhole(files, at(".ndjson"), [log]);
  const ends = [...marks, { title: `${judge}: ${firstLine(message)}`, position: sim.position, atMs: sim.clock.now() }];
  const steps = ends.map(({ title, position, atMs }, index) => {
    const [from, to] = [marks[index - 1]?.position ?? position, position];
    const asked = index === 0 ? [] : requestsIn(sim.journal, from, to);
    return [...asked.map((line) => `    // ${line}`), `    ${JSON.stringify({ title, to, atMs })},`];
  });
  writeWhole(files, at(".scenario.ts"), [scenarioText(name, { judge, message, repeat }, steps.flat())]);
  const page = await pageOf(sim, name, `${judge}: ${message}`, error);
  if (page !== undefined) writeWhole(files, at(".html"), [page]);
  return {
    scenario: shownName(at(".scenario.ts"), files),
    log: shownName(at(".ndjson"), files),
    ...(page === undefined ? {} : { page: shownName(at(".html"), files) }),
  };
}

async function pageOf(sim: Played["sim"], title: string, message: string, error: unknown): Promise<string | undefined> {
  const { built } = await import("../inspector/built.ts");
  // Where the library runs from its sources, there is no page.
  if (built === undefined) return undefined;
  const stack = error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
  return traceHtml(sim, { title, failure: { message, ...stack } });
}

function requestsIn(journal: Played["sim"]["journal"], from: number, to: number): string[] {
  return journal.flatMap((entry) =>
    entry.kind === "request" && entry.program !== "author" && entry.position > from && entry.position <= to
      ? [requestLine(entry)]
      : [],
  );
}

function scenarioText(
  name: string,
  { judge, message, repeat }: { readonly judge: string; readonly message: string; readonly repeat: string },
  steps: readonly string[],
): string {
  return [
    'import { readFileSync } from "node:fs";',
    'import { retold } from "hindcast";',
    "",
    `// ${oneLine(`${judge}: ${message}`)}`,
    `// ${oneLine(repeat)}`,
    "export default retold({",
    `  name: ${JSON.stringify(name)},`,
    `  title: ${JSON.stringify(`${judge}: ${firstLine(message)}`)},`,
    `  log: readFileSync(new URL(${JSON.stringify(`./${name}.ndjson`)}, import.meta.url), "utf8"),`,
    "  steps: [",
    ...steps.map((line) => oneLine(line)),
    "  ],",
    "});",
    "",
  ].join("\n");
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
/** What is told stands in a comment of one line: nothing of it may end that. */
const oneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]+/g, " ");
