import { STATUS_CODES } from "node:http";
import { type Dispatcher, errors } from "undici";
import { wireAnswer } from "../../http/fetch.ts";
import type { FetchHosts } from "../../http/hosts.ts";
import { BrokenOff, brokenConnection } from "../../services/kit/connection.ts";
import { headersSent, type WireAnswer } from "../../services/kit/http.ts";
import type { World } from "../../simulator/world.ts";
import type { Handler } from "./handler.ts";
import { allOf, bodyOf, headersOf } from "./request.ts";

/** As much as a socket gives at once. */
const PIECE_BYTES = 64 * 1024;

/**
 * A request, and the answer that its handler is given.
 *
 * A request whose body is there as a whole is decided before `dispatch` returns, so requests are decided in the order in which they are
 * made. Timeouts of undici's are not heeded: a blocked read waits for virtual time.
 */
export class Exchange implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] | null = null;
  readonly rawTrailers = null;
  /** When nobody is told anything any more. */
  readonly over: Promise<void>;

  readonly #hosts: FetchHosts<World>;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #target: URL;
  readonly #handler: Handler;
  readonly #gone = new AbortController();
  #end: () => void = () => undefined;
  #isOver = false;
  #reason: Error | null = null;
  #paused = false;
  #giving = false;
  /** What of the answer has not been given yet; undefined until its head has been. */
  #left: Buffer | undefined;
  /** What comes behind that, where the answer comes in pieces. */
  #pieces: AsyncIterator<Uint8Array> | undefined;

  constructor(hosts: FetchHosts<World>, options: Dispatcher.DispatchOptions, target: URL, handler: Handler) {
    this.#hosts = hosts;
    this.#options = options;
    this.#target = target;
    this.#handler = handler;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  begin(): void {
    try {
      this.#handler.onRequestStart(this);
      if (this.#isOver) return;
      const { body, type } = bodyOf(this.#options.body);
      const headers = headersOf(this.#options.headers);
      if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
      const answer =
        body instanceof Uint8Array
          ? this.#answerTo(headers, body)
          : allOf(body, this.#gone.signal).then((bytes) => this.#answerTo(headers, bytes));
      Promise.resolve(answer).then(
        (made) => this.#give(made),
        (error: unknown) => this.#fail(error),
      );
    } catch (error) {
      queueMicrotask(() => this.#fail(error));
    }
  }

  get aborted(): boolean {
    return this.#reason !== null;
  }

  get reason(): Error | null {
    return this.#reason;
  }

  get paused(): boolean {
    return this.#paused;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#giveRest();
  }

  abort(reason?: Error): void {
    if (this.#isOver) return;
    this.#reason = reason ?? new errors.RequestAbortedError();
    this.#gone.abort(this.#reason);
    this.#fail(this.#reason);
  }

  #answerTo(headers: Headers, body: Uint8Array): WireAnswer | Promise<WireAnswer> {
    const { method } = this.#options;
    return wireAnswer(this.#hosts, { method, url: this.#target, headers, body, signal: this.#gone.signal });
  }

  #give(answer: WireAnswer): void {
    if (this.#isOver) return;
    const { status, body, pieces } = answer;
    const headers = headersSent(answer);
    this.#told(() => this.#handler.onResponseStart(this, status, headers, STATUS_CODES[status] ?? ""));
    this.#pieces = pieces?.[Symbol.asyncIterator]();
    this.#left = Buffer.from((pieces === undefined ? body : null) ?? "");
    this.#giveRest();
  }

  #giveRest(): void {
    // Who resumes while it is being told is in the loop below.
    if (this.#left === undefined || this.#giving) return;
    this.#giving = true;
    while (!this.#isOver && !this.#paused && this.#left.length > 0) {
      const piece = this.#left.subarray(0, PIECE_BYTES);
      this.#left = this.#left.subarray(PIECE_BYTES);
      this.#told(() => this.#handler.onResponseData(this, piece));
    }
    this.#giving = false;
    if (this.#isOver || this.#paused) return;
    this.#left = undefined;
    if (this.#pieces !== undefined) {
      this.#giveNext(this.#pieces);
      return;
    }
    this.#told(() => this.#handler.onResponseEnd(this));
    this.#isOver = true;
    this.#end();
  }

  #giveNext(pieces: AsyncIterator<Uint8Array>): void {
    pieces.next().then(
      ({ done, value }) => {
        if (done === true) this.#pieces = undefined;
        this.#left = Buffer.from(done === true ? "" : value);
        this.#giveRest();
      },
      (error: unknown) =>
        this.#fail(error instanceof BrokenOff && !error.isReset ? new errors.SocketError(error.message) : error),
    );
  }

  /** A handler that throws has no use for the rest. It has not given up, though: one that asks again throws what it is then told. */
  #told(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end();
    const told = brokenConnection(error) ?? (error instanceof Error ? error : new Error(String(error)));
    this.#handler.onResponseError(this, told);
  }
}
