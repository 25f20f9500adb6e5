import { replay, type Simulator } from "../index.ts";
import { base64url } from "../languages/jws/base64url.ts";
import { shown } from "../languages/shown.ts";
import { type Built, built } from "./built.ts";

/** Why a page was made of a run: the test that failed. */
export interface TraceFailure {
  readonly message: string;
  readonly stack?: string;
  readonly diff?: string;
  /** The lines of the test around the one that failed. */
  readonly source?: string;
}

/** Options of `traceHtml`. */
export interface TraceOptions {
  /** What the page is called. Default `"hindcast"`. */
  readonly title?: string;
  readonly failure?: TraceFailure;
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
  const { title, failure, acceptPrefix } = readOptions(options);
  const sim = typeof what === "string" ? replay(what, { acceptPrefix }) : what;
  if (typeof sim?.log?.lines !== "function") {
    throw new TypeError(`traceHtml: ${shown(what)} is neither a simulator nor the text of a log`);
  }
  const page = pageOf(title, failure, await gzipped(sim.log.lines({ journal: true })));
  if (page === undefined) throw new Error("traceHtml: the page is not built: npm run build");
  return page;
}

function readOptions(options: TraceOptions): { title: string; failure: TraceFailure | null; acceptPrefix: boolean } {
  const { title = "hindcast", failure, acceptPrefix = false } = options;
  if (typeof title !== "string") throw new TypeError(`traceHtml: title is ${shown(title)}: it is a text`);
  if (failure !== undefined && typeof failure?.message !== "string") {
    throw new TypeError(`traceHtml: failure is ${shown(failure)}: it has a message`);
  }
  return { title, failure: failure ?? null, acceptPrefix };
}

/**
 * The page of a log, which is compressed by gzip; undefined where the library runs from its sources, and no page was built.
 *
 * Text of others stands in it as base64url, where no character of it means anything in HTML, or escaped.
 */
export function pageOf(title: string, failure: TraceFailure | null, log: Uint8Array): string | undefined {
  const parts: Built | undefined = built;
  if (parts === undefined) return undefined;
  const { boot, bootSum, page, pageSum, style, styleSum, worker, licenses } = parts;
  const policy = [
    "default-src 'none'",
    `script-src '${bootSum}' '${pageSum}'`,
    `style-src '${styleSum}'`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const told = base64url(new TextEncoder().encode(JSON.stringify({ title, failure })));
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    ...(failure === null ? [] : [`<meta name="description" content="${escaped(firstLineOf(failure.message))}">`]),
    `<title>${escaped(title)}</title><style>${style}</style></head>`,
    '<body><div id="app"></div><noscript>This page needs JavaScript. It asks nobody for anything.</noscript>',
    `<script type="text/plain" id="told">${told}</script>`,
    `<script type="text/plain" id="log">${base64url(log)}</script>`,
    `<script type="text/plain" id="simulator">${worker}</script>`,
    `<script type="text/plain" id="licenses">${licenses}</script>`,
    `<script type="text/plain" id="page">${page}</script>`,
    `<script>${boot}</script></body></html>\n`,
  ].join("\n");
}

/** The first line of a message. */
function firstLineOf(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

/** Text as HTML shows it, in attributes too. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
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
