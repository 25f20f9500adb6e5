import { METHODS } from "node:http";
import type { Duplex } from "node:stream";

/** The methods that Node's parser knows; PRI begins another protocol, which it refuses by itself. */
const KNOWN: ReadonlySet<string> = new Set([...METHODS, "PRI"]);

/** What it is shown for any other one. */
const LINK = "LINK";

/** The characters of a method, and what ends it. No method is longer, so nothing longer is held back. */
const METHOD = /^[!#$%&'*+.^_`|~\w-]+ /;
const BEGUN_METHOD = /^[!#$%&'*+.^_`|~\w-]*$/;
const MAX_METHOD_BYTES = 32;

const CR = 13;
const LF = 10;
const END_OF_HEAD = "\r\n\r\n";

/** No head that the parser takes is longer; whoever sends one is about to be refused. */
const MAX_HEAD_BYTES = 256 * 1024;

/**
 * Where the next byte belongs. `opaque` is for the rest of a connection whose bytes we may understand otherwise than the parser does:
 * they are then left as they are.
 */
type Stage =
  | { readonly at: "start" }
  | { readonly at: "head" }
  | { readonly at: "body"; left: number }
  | { readonly at: "chunk-line" }
  | { readonly at: "chunk"; left: number }
  | { readonly at: "trailers" }
  | { readonly at: "opaque" };

const START: Stage = { at: "start" };
const HEAD: Stage = { at: "head" };
const CHUNK_LINE: Stage = { at: "chunk-line" };
const TRAILERS: Stage = { at: "trailers" };
const OPAQUE: Stage = { at: "opaque" };

/** A longer head is not kept: there may be many connections. */
const MAX_KEPT_HEAD = 1024;

/** A line of a chunked body is short; a longer one is passed on unread. */
const MAX_LINE_BYTES = 4096;

/**
 * Follows the requests of a connection just far enough to know where each begins, and writes `LINK` where one begins with `LIST` or any
 * other method that Node's parser does not know, and would refuse.
 *
 * Whatever is read otherwise than the parser may read it (bare line feeds, two lengths, an unknown transfer coding) ends the following:
 * the bytes then pass as they are, and a body that looks like a request is never changed.
 */
export class RequestFraming {
  #stage: Stage = START;
  /** The beginning of a method; it is held back until it has ended. */
  #held: Buffer | undefined;
  /** A head or a line that has not ended yet. */
  #begun = "";
  /** The last head that had no body behind it: who keeps a connection often asks the same again. */
  #bodiless: string | undefined;
  /** Of each request that the parser sees as LINK, the method that was sent. */
  readonly #links: string[] = [];

  /** The method of the request that the parser now gives as LINK. */
  nextLink(): string {
    return this.#links.shift() ?? LINK;
  }

  /**
   * The bytes that the parser is to see, in pieces that reach no further than to the end of a request. They are a copy where they differ:
   * what came may be the sender's own.
   *
   * What lies behind a request in one piece is lost where that request offers an upgrade: the parser then takes it for another protocol,
   * whether or not anybody wants one.
   */
  *pass(given: Buffer): Generator<Buffer, void, undefined> {
    let bytes = given;
    if (this.#held !== undefined) {
      bytes = Buffer.concat([this.#held, given]);
      this.#held = undefined;
    }
    let passed = 0;
    for (let offset = 0; offset < bytes.length; ) {
      const stage: Stage = this.#stage;
      if (stage.at === "opaque") break;
      if (stage.at === "start" && offset > passed) {
        yield bytes.subarray(passed, offset);
        passed = offset;
      }
      switch (stage.at) {
        case "start": {
          const begin = afterLineEnds(bytes, offset);
          const start = bytes.toString("latin1", begin, begin + MAX_METHOD_BYTES);
          if (start.length < MAX_METHOD_BYTES && BEGUN_METHOD.test(start)) {
            this.#held = Buffer.from(bytes.subarray(begin));
            bytes = bytes.subarray(0, begin);
            offset = begin;
            break;
          }
          const method = METHOD.exec(start)?.[0].slice(0, -1);
          if (method !== undefined && (method === LINK || !KNOWN.has(method))) {
            this.#links.push(method);
            const rest = bytes.subarray(begin + method.length);
            bytes = Buffer.concat([bytes.subarray(0, begin), Buffer.from(LINK), rest]);
          }
          offset = begin;
          this.#stage = HEAD;
          break;
        }
        case "head":
          offset = this.#head(bytes, offset);
          break;
        case "body":
        case "chunk": {
          const taken = Math.min(stage.left, bytes.length - offset);
          offset += taken;
          stage.left -= taken;
          if (stage.left === 0) this.#stage = stage.at === "body" ? START : CHUNK_LINE;
          break;
        }
        case "chunk-line":
        case "trailers":
          offset = this.#line(bytes, offset, stage.at);
          break;
        default:
          stage satisfies never;
      }
    }
    if (passed < bytes.length) yield bytes.subarray(passed);
  }

  /** What is still held back when the connection ends. */
  end(): Buffer | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }

  #head(bytes: Buffer, offset: number): number {
    // The end of a head may lie across two pieces.
    if (this.#begun !== "") {
      const overlap = this.#begun.slice(-(END_OF_HEAD.length - 1));
      const across = (overlap + bytes.toString("latin1", offset, offset + END_OF_HEAD.length - 1)).indexOf(END_OF_HEAD);
      if (across >= 0) {
        return this.#endHead(bytes, offset, offset + across + END_OF_HEAD.length - overlap.length);
      }
    }
    const found = bytes.indexOf(END_OF_HEAD, offset, "latin1");
    if (found >= 0) {
      return this.#endHead(bytes, offset, found + END_OF_HEAD.length);
    }
    this.#begun += bytes.toString("latin1", offset);
    if (this.#begun.length > MAX_HEAD_BYTES) this.#stage = OPAQUE;
    return bytes.length;
  }

  #endHead(bytes: Buffer, offset: number, end: number): number {
    const head = this.#begun + bytes.toString("latin1", offset, end);
    this.#begun = "";
    if (head === this.#bodiless) {
      this.#stage = START;
      return end;
    }
    this.#stage = stageAfter(head);
    if (this.#stage === START && head.length <= MAX_KEPT_HEAD) this.#bodiless = head;
    return end;
  }

  #line(bytes: Buffer, offset: number, at: "chunk-line" | "trailers"): number {
    const found = bytes.indexOf(LF, offset);
    const end = found < 0 ? bytes.length : found + 1;
    const line = this.#begun + bytes.toString("latin1", offset, end);
    this.#begun = found < 0 ? line : "";
    if (line.length > MAX_LINE_BYTES) this.#stage = OPAQUE;
    else if (found >= 0) this.#stage = at === "trailers" ? afterTrailer(line) : afterChunkLine(line);
    return end;
  }
}

/** Empty lines before a request are skipped, as the parser does. */
function afterLineEnds(bytes: Buffer, offset: number): number {
  let begin = offset;
  while (bytes[begin] === CR || bytes[begin] === LF) begin += 1;
  return begin;
}

function stageAfter(head: string): Stage {
  if (/(^|[^\r])\n|\r(?!\n)/.test(head) || head.startsWith("CONNECT ")) return OPAQUE;
  const framing = [...head.matchAll(/\r\n(content-length|transfer-encoding)([ \t]*):[ \t]*([^\r]*)/gi)];
  if (framing.length === 0) return START;
  const [, name = "", space = "", value = ""] = framing[0] ?? [];
  if (framing.length > 1 || space !== "") return OPAQUE;
  const text = value.trim();
  if (name.toLowerCase() === "transfer-encoding") return text.toLowerCase() === "chunked" ? chunkLine() : OPAQUE;
  if (!/^\d{1,15}$/.test(text)) return OPAQUE;
  return text === "0" ? START : { at: "body", left: Number(text) };
}

function chunkLine(): Stage {
  return CHUNK_LINE;
}

/** A line of a chunked body: the size of what follows, or the empty one behind it. */
function afterChunkLine(line: string): Stage {
  if (line === "\r\n") return CHUNK_LINE;
  const [, digits] = /^([0-9a-f]{1,12})(?:[ \t]*;[^\r\n]*)?\r\n$/i.exec(line) ?? [];
  if (digits === undefined) return OPAQUE;
  const size = Number.parseInt(digits, 16);
  return size === 0 ? TRAILERS : { at: "chunk", left: size };
}

function afterTrailer(line: string): Stage {
  if (line === "\r\n") return START;
  return line.endsWith("\r\n") ? TRAILERS : OPAQUE;
}

/** A connection that is followed. */
export interface FollowedConnection {
  readonly framing: RequestFraming;
  /** Reads on, once it is not full any more. */
  readonly goOn: () => void;
}

/**
 * Follows the requests that come in on a connection, on their way into the parser, and reads no further while `isFull` says so.
 *
 * `push` is where whatever reads a socket hands over what it read, plain or through TLS, or the other end of a pair. A stream in between would do
 * as well and copy every answer once more. As long as nothing is pushed on, nobody asks for more; pausing the stream would not last, because
 * reading the body of a request resumes it.
 */
export function frameRequests(connection: Duplex, isFull: () => boolean): FollowedConnection {
  const framing = new RequestFraming();
  const push = connection.push.bind(connection);
  const came: (Iterator<Buffer, void> | "end")[] = [];
  /** Whether more is wanted. Nothing to pass yet: go on reading. */
  const passOn = (): boolean => {
    let isWanted = true;
    for (let [first] = came; first !== undefined; [first] = came) {
      if (isFull()) return false;
      if (first === "end") {
        came.shift();
        const held = framing.end();
        if (held !== undefined) push(held);
        return push(null);
      }
      const { value } = first.next();
      if (value === undefined) came.shift();
      else isWanted = push(value);
    }
    return isWanted;
  };
  connection.push = (chunk: unknown, encoding?: BufferEncoding) => {
    came.push(
      chunk === null ? "end" : framing.pass(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string, encoding)),
    );
    return passOn();
  };
  // The parser reads a socket's handle by itself until somebody listens to its data.
  connection.on("data", () => {});
  return { framing, goOn: passOn };
}
