import { Dispatcher, errors } from "undici";
import * as v from "valibot";
import { isOurs, unknownOrigin } from "../../http/fetch.ts";
import type { FetchHosts } from "../../http/hosts.ts";
import { optionsSchema, readArgument } from "../../kernel/arguments.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Program } from "../../simulator/programs.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { World } from "../../simulator/world.ts";
import { Exchange } from "./exchange.ts";
import { type Handler, handlerOf } from "./handler.ts";
import { targetOf } from "./request.ts";

/** Options of `simDispatcher`. */
export interface SimDispatcherOptions {
  /** Takes the requests to all other origins. Default: they fail with `ENOTFOUND`, and an error that lists ours. */
  readonly fallback?: Dispatcher;
}

const schema = optionsSchema({
  fallback: v.optional(
    v.custom<Dispatcher>(
      (value) => typeof value === "object" && value !== null && "dispatch" in value,
      "it is a dispatcher",
    ),
  ),
});

/**
 * A dispatcher for undici, and for a `fetch` that takes one: it answers at every origin of a simulator. Nothing of it is global unless you
 * make it so, so any number of them serve any number of tests at once.
 *
 * @param sim whose requests they are: a simulator's author, or one of its programs
 * @throws TypeError for what is no simulator, and for a wrong option
 * @example
 * await fetch(url, { dispatcher: simDispatcher(sim) });
 * setGlobalDispatcher(simDispatcher(sim, { fallback: getGlobalDispatcher() }));
 */
export function simDispatcher(sim: Simulator | Program, options: SimDispatcherOptions = {}): Dispatcher {
  const { fallback } = readArgument(schema, "simDispatcher", options);
  return new SimDispatcher(LiveSimulator.hostsOf(sim), fallback);
}

type Done = () => void;

class SimDispatcher extends Dispatcher {
  readonly #hosts: FetchHosts<World>;
  readonly #fallback: Dispatcher | undefined;
  readonly #underWay = new Set<Exchange>();
  #ended: "closed" | "destroyed" | undefined;

  constructor(hosts: FetchHosts<World>, fallback: Dispatcher | undefined) {
    super();
    this.#hosts = hosts;
    this.#fallback = fallback;
  }

  override dispatch(options: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler): boolean {
    if (typeof given !== "object" || given === null) throw new errors.InvalidArgumentError("handler must be an object");
    const handler = handlerOf(given);
    try {
      if (this.#ended === "destroyed") throw new errors.ClientDestroyedError();
      if (this.#ended === "closed") throw new errors.ClientClosedError();
      const target = targetOf(options);
      if (!isOurs(this.#hosts, target.origin)) {
        if (this.#fallback !== undefined) return this.#fallback.dispatch(options, given);
        throw notFound(this.#hosts, target);
      }
      this.#begin(options, target, handler);
      return true;
    } catch (error) {
      handler.onResponseError(undefined, error as Error);
      return false;
    }
  }

  #begin(options: Dispatcher.DispatchOptions, target: URL, handler: Handler): void {
    const exchange = new Exchange(this.#hosts, options, target, handler);
    this.#underWay.add(exchange);
    void exchange.over.then(() => this.#underWay.delete(exchange));
    exchange.begin();
  }

  /** Takes no more requests, and waits for those that are under way. The fallback stays as it is. */
  override close(): Promise<void>;
  override close(done: Done): void;
  override close(done?: Done): Promise<void> | void {
    this.#ended ??= "closed";
    return told(
      Promise.all([...this.#underWay].map(({ over }) => over)).then(() => undefined),
      done,
    );
  }

  /** Takes no more requests, and aborts those that are under way. The fallback stays as it is. */
  override destroy(): Promise<void>;
  override destroy(error: Error | null): Promise<void>;
  override destroy(done: Done): void;
  override destroy(error: Error | null, done: Done): void;
  override destroy(given?: Error | Done | null, last?: Done): Promise<void> | void {
    const [error, done] = typeof given === "function" ? [undefined, given] : [given, last];
    this.#ended = "destroyed";
    for (const exchange of this.#underWay) exchange.abort(error ?? new errors.ClientDestroyedError());
    return told(Promise.resolve(), done);
  }
}

function told(ended: Promise<void>, done: Done | undefined): Promise<void> | void {
  if (done === undefined) return ended;
  void ended.then(done);
}

/** As an address that nobody has, which is what such a host is to a client. */
function notFound(hosts: FetchHosts<World>, target: URL): Error {
  const { message } = unknownOrigin(hosts, target);
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${target.hostname}: ${message}`), {
    code: "ENOTFOUND",
    hostname: target.hostname,
  });
}
