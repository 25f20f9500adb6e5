import { type Pending, type PendingTimer, replay, type Simulator } from "../index.ts";
import { shown } from "../languages/shown.ts";
import { base85 } from "./base85.ts";
import { type Built, built } from "./built.ts";
import { escaped } from "./index-of-pages.ts";

/** Why a page was made of a run: the test that failed. */
export interface TraceFailure {
  readonly message: string;
  readonly stack?: string;
  readonly diff?: string;
  /** The lines of the test around the one that failed. */
  readonly source?: string;
}

/** What the page is told besides the log. */
export interface Told {
  readonly title: string;
  readonly failure: TraceFailure | null;
  /** The timers of programs that were armed at the end: a log does not hold them. */
  readonly timers: readonly PendingTimer[];
}

/** Options of `traceHtml`. */
export interface TraceOptions {
  /** What the page is called. Default `"hindcast"`. */
  readonly title?: string;
  readonly failure?: TraceFailure;
  /** Another run, such as the last one that passed: the page shows where the two part. A simulator, or the text of a log. */
  readonly against?: Simulator | string;
  /** Of a log that is torn or damaged, take the commits before the fault. Default false: such a log is refused. */
  readonly acceptPrefix?: boolean;
}

/**
 * A run as a page in one file: it needs no network and no server, holds the log with its journal, and looks at it with the simulator
 * itself.
 *
 * @param what a simulator, or the text of a log
 * @throws TypeError for a wrong argument; LogError for a log that is not whole
 * @example
 * writeFileSync("failure.html", await traceHtml(sim, { title: "the secondary takes over" }));
 */
export async function traceHtml(what: Simulator | string, options: TraceOptions = {}): Promise<string> {
  const { title, failure, against, acceptPrefix } = readOptions(options);
  const compressed = (name: string, run: unknown): Promise<Uint8Array> => {
    const sim =
      typeof run === "string" ? replay(run, { acceptPrefix }) : (run as Partial<Simulator> | null | undefined);
    if (typeof sim?.log?.lines === "function") return gzipped(sim.log.lines({ journal: true }));
    throw new TypeError(`traceHtml: ${name}${shown(run)} is neither a simulator nor the text of a log`);
  };
  const log = await compressed("", what);
  const other = against === undefined ? undefined : await compressed("against: ", against);
  const timers = typeof what === "string" ? [] : timersIn(what.clock.pending());
  const page = pageOf({ title, failure, timers, log, other });
  if (page === undefined) throw new Error("traceHtml: the page is not built: npm run build");
  return page;
}

function readOptions(options: TraceOptions) {
  const { title = "hindcast", failure, against, acceptPrefix = false } = options;
  if (typeof title !== "string") throw new TypeError(`traceHtml: title is ${shown(title)}: it is a text`);
  if (failure !== undefined && typeof failure?.message !== "string") {
    throw new TypeError(`traceHtml: failure is ${shown(failure)}: it has a message`);
  }
  return { title, failure: failure ?? null, against, acceptPrefix };
}

/** The timers of programs among what is pending. */
export function timersIn(pending: readonly Pending[]): PendingTimer[] {
  return pending.filter((one) => one.timer !== undefined);
}

/** What a page is made of. */
interface PageOf extends Told {
  /** The log, by gzip. Without one the page asks the listener that it came from, with a secret that it does not hold. */
  readonly log?: Uint8Array;
  /** That of another run. */
  readonly other?: Uint8Array | undefined;
}

/**
 * A page; undefined where the library runs from its sources, and none was built.
 *
 * Text of others stands in it as base85, where no character of it means anything in HTML, or escaped.
 */
export function pageOf({ title, failure, timers, log, other }: PageOf): string | undefined {
  const parts: Built | undefined = built;
  if (parts === undefined) return undefined;
  const { boot, bootSum, page, pageSum, style, styleSum, worker, licenses } = parts;
  const policy = [
    "default-src 'none'",
    `script-src '${bootSum}' '${pageSum}'`,
    `style-src '${styleSum}'`,
    "worker-src blob:",
    ...(log === undefined ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const told = base85(new TextEncoder().encode(JSON.stringify({ title, failure, timers } satisfies Told)));
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    ...(failure === null ? [] : [`<meta name="description" content="${escaped(firstLineOf(failure.message))}">`]),
    `<title>${escaped(title)}</title><style>${style}</style></head>`,
    '<body><div id="app"></div><noscript>This page needs JavaScript.</noscript>',
    `<script type="text/plain" id="told">${told}</script>`,
    ...(log === undefined ? [] : [heldAs("log", log)]),
    ...(other === undefined ? [] : [heldAs("other", other)]),
    `<script type="text/plain" id="simulator">${worker}</script>`,
    `<script type="text/plain" id="licenses">${licenses}</script>`,
    `<script type="text/plain" id="page">${page}</script>`,
    `<script>${boot}</script></body></html>\n`,
  ].join("\n");
}

function heldAs(id: string, bytes: Uint8Array): string {
  return `<script type="text/plain" id="${id}">${base85(bytes)}</script>`;
}

/** The first line of a message. */
function firstLineOf(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

/** What is compressed at once. */
const PIECE_CHARACTERS = 1 << 18;

async function gzipped(pieces: AsyncIterable<string>): Promise<Uint8Array> {
  const { readable, writable } = new CompressionStream("gzip");
  const bytes = new Response(readable).arrayBuffer();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_CHARACTERS) continue;
    await writer.write(encoder.encode(text));
    text = "";
  }
  await writer.write(encoder.encode(text));
  await writer.close();
  return new Uint8Array(await bytes);
}
