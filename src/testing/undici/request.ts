import { stringify } from "node:querystring";
import { type Dispatcher, errors } from "undici";
import { NO_BODY } from "../../http/asked.ts";

type Options = Dispatcher.DispatchOptions;

/** @throws InvalidArgumentError for what is no request, and for one that would leave HTTP */
export function targetOf(options: Options): URL {
  if (typeof options !== "object" || options === null) throw new errors.InvalidArgumentError("opts must be an object.");
  const { origin, path, query, method, upgrade } = options;
  if (typeof path !== "string" || !path.startsWith("/"))
    throw new errors.InvalidArgumentError("path must start with a slash");
  if (typeof method !== "string") throw new errors.InvalidArgumentError("method must be a string");
  if (method === "CONNECT" || (upgrade !== undefined && upgrade !== null && upgrade !== false)) {
    throw new errors.InvalidArgumentError("the simulated services speak HTTP only: no CONNECT and no upgrade");
  }
  if (!URL.canParse(String(origin)))
    throw new errors.InvalidArgumentError("Invalid URL protocol: the URL must start with `http:` or `https:`.");
  const asked = query === undefined || query === null ? "" : stringify(query as Record<string, string>);
  if (asked !== "" && /[?#]/.test(path)) {
    throw new errors.InvalidArgumentError('Query params cannot be passed when url already contains "?" or "#".');
  }
  // A path that begins with two slashes is no host.
  return new URL(new URL(origin ?? "").origin + path + (asked === "" ? "" : `?${asked}`));
}

/** @throws InvalidArgumentError for what are no headers */
export function headersOf(given: Options["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value] of pairsOf(given)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(textOf(name), textOf(one));
  }
  return headers;
}

function pairsOf(given: unknown): Iterable<readonly [name: unknown, value: unknown]> {
  if (given === undefined || given === null) return [];
  if (typeof given !== "object") throw new errors.InvalidArgumentError("headers must be an object or an array");
  if (Array.isArray(given)) {
    if (given.length % 2 !== 0) throw new errors.InvalidArgumentError("headers array must be even");
    const list: readonly unknown[] = given;
    return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]] as const] : []));
  }
  return Symbol.iterator in given ? (given as Iterable<readonly [unknown, unknown]>) : Object.entries(given);
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("latin1") : String(value);
}

/** A body whose bytes are all there, or whoever gives them piece by piece. */
export type Body = Uint8Array<ArrayBuffer> | AsyncIterable<unknown> | Iterable<unknown>;

/** The body of a request, and the type that it brings by itself. */
export function bodyOf(given: unknown): { readonly body: Body; readonly type?: string } {
  if (given === undefined || given === null) return { body: NO_BODY };
  if (typeof given === "string") return { body: new TextEncoder().encode(given) };
  if (ArrayBuffer.isView(given)) {
    return { body: new Uint8Array(new Uint8Array(given.buffer, given.byteOffset, given.byteLength)) };
  }
  if (given instanceof ArrayBuffer) return { body: new Uint8Array(given.slice(0)) };
  if (isForm(given)) {
    const encoded = new Response(formOf(given));
    return { body: piecesOf(encoded), type: encoded.headers.get("content-type") ?? "" };
  }
  if (given instanceof Blob)
    return { body: piecesOf(new Response(given)), ...(given.type === "" ? {} : { type: given.type }) };
  if (typeof given === "object" && (Symbol.asyncIterator in given || Symbol.iterator in given)) {
    return { body: given as AsyncIterable<unknown> | Iterable<unknown> };
  }
  throw new errors.InvalidArgumentError(
    "body must be a string, a Buffer, a Readable stream, an iterable, or an async iterable",
  );
}

async function* piecesOf(response: Response): AsyncIterable<Uint8Array> {
  yield new Uint8Array(await response.arrayBuffer());
}

/** That of undici is another class than that of Node. */
function isForm(given: unknown): given is FormData {
  return (
    typeof given === "object" &&
    given !== null &&
    (given as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === "FormData"
  );
}

function formOf(given: FormData): FormData {
  const form = new FormData();
  given.forEach((value, name) => {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, value.name);
  });
  return form;
}

/** @throws InvalidArgumentError for a piece that is neither text nor bytes, and whatever its giver throws */
export async function allOf(
  pieces: AsyncIterable<unknown> | Iterable<unknown>,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) {
    // Whoever gives them is told, too: leaving the loop ends an iterator.
    signal.throwIfAborted();
    if (typeof piece === "string") all.push(Buffer.from(piece));
    else if (piece instanceof Uint8Array) all.push(piece);
    else throw new errors.InvalidArgumentError("a piece of the body is neither a string nor a Uint8Array");
  }
  return new Uint8Array(Buffer.concat(all));
}
