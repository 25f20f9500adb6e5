import { equal, match, ok } from "node:assert/strict";
import { Rejection, type SchedulerClient, type Simulator } from "../../../src/index.ts";
import { lastRequest } from "../../support/journal.ts";
import { currentTransport, reach } from "../transports.ts";

// One suite, two subjects: what the contract says holds at the typed door and over HTTP, on whatever way requests go.

type Clients = Omit<SchedulerClient, "capabilities">;

/** An operation of the scheduler, such as `policies.write`. */
export type OperationName = { [R in keyof Clients]: `${R}.${keyof Clients[R] & string}` }[keyof Clients];

/** What a client sees of an answer. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any kind, and a wrong path is a red test
  readonly body: any;
  /** The stable code of the refusal. */
  readonly code: string | undefined;
  /** What was thrown, or the text of the error. */
  readonly text: string;
}

export interface Arguments {
  readonly [name: string]: unknown;
}

export interface Options {
  readonly index?: number;
  readonly wait?: string;
  readonly stale?: boolean;
}

/** One of the two ways to reach a region. */
export interface Door {
  call(
    operation: OperationName,
    token: string | undefined,
    argument?: Arguments,
    options?: Options,
    region?: string,
  ): Promise<Answer>;
}

/** A door to the only or the first region, unless a call names another one. */
export type OpenDoor = (sim: Simulator, region: string) => Door;

// --- the typed door -------------------------------------------------------------------------------------------------

type Call = (argument?: Arguments, options?: Options) => unknown;

export const typedDoor: OpenDoor = (sim, home) => ({
  call: async (operation, token, argument, options, region = home) => {
    const [resource, verb] = operation.split(".") as [keyof Clients, string];
    const call = (sim.scheduler.region(region).as(token)[resource] as unknown as Record<string, Call>)[verb] as Call;
    try {
      const body = await call(argument, options);
      return { status: 200, body, code: undefined, text: "" };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return { status: error.status, body: undefined, code: error.code, text: error.message };
    }
  },
});

// --- HTTP -----------------------------------------------------------------------------------------------------------

export const httpDoor: OpenDoor = (sim, home) => ({
  call: async (operation, token, argument = {}, options = {}, region = home) => {
    const row = sim.operations().find(({ name }) => name === `scheduler.${operation}`);
    if (row === undefined) throw new Error(`${operation} is no operation`);
    const rest = new Map(Object.entries(argument));
    const path = row.path.replace(/:(\w+)/g, (_, capture: string) => {
      const value = rest.get(capture) ?? (capture === "policy_name" ? rest.get("Name") : undefined);
      rest.delete(capture);
      return encodeURIComponent(String(value));
    });
    const query = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)]));
    for (const name of ["region", ...(row.method === "GET" ? ["prefix", "per_page", "next_token"] : [])]) {
      if (rest.has(name)) query.set(name, String(rest.get(name)));
      rest.delete(name);
    }
    const body = row.method === "POST" ? JSON.stringify(Object.fromEntries(rest)) : undefined;
    const received = await send(sim, region, row.method, `${path}${query.size === 0 ? "" : `?${query}`}`, {
      token,
      body,
    });
    const isError = received.status >= 400;
    const { status, text } = received;
    const code = isError ? lastRequest(sim).refusal?.code : undefined;
    return { status, body: isError || text === "" ? undefined : JSON.parse(text), code, text };
  },
});

/** The doors, with their names. The way on which requests go is nothing to calls. */
export function doors(): readonly (readonly [name: string, open: OpenDoor])[] {
  const way = currentTransport();
  const byRequest = [way, httpDoor] as const;
  return way === "sim.fetch" ? [["the typed door", typedDoor], byRequest] : [byRequest];
}

// --- raw requests ---------------------------------------------------------------------------------------------------

export interface Sent {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly signal?: AbortSignal;
  readonly redirect?: RequestRedirect;
}

/** A response whose text has been read. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `X-Scheduler-Index`; undefined where there is none. */
  readonly index: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly json: any;
}

/** What tells no index (src/services/scheduler/status/README.md). */
const BARE = /^\/v1\/(regions|status|agent)\b/;

/** Sends a request, and checks what holds for every response: decisions-scheduler-acl.md, section 1 and 6. */
export async function send(
  sim: Simulator,
  region: string,
  method: string,
  path: string,
  { token, headers = {}, body, signal, redirect }: Sent = {},
): Promise<Received> {
  const response = await reach(sim)(sim.scheduler.region(region).url + path, {
    method,
    headers: { ...(token === undefined ? {} : { "X-Scheduler-Token": token }), ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    ...(redirect === undefined ? {} : { redirect }),
  });
  const text = await response.text();
  const header = (name: string): string | null => response.headers.get(name);
  const type = header("Content-Type");
  match(header("X-Hindcast-Position") ?? "", /^\d+$/);
  if (response.status === 200) equal(type, text === "" ? null : "application/json");
  else if (text !== "") equal(type, "text/plain; charset=utf-8");
  const isRead =
    method === "GET" && (response.status === 200 || (response.status === 404 && text !== "")) && !BARE.test(path);
  for (const name of ["X-Scheduler-KnownLeader", "X-Scheduler-LastContact"]) equal(header(name) !== null, isRead);
  equal(header("X-Scheduler-Index") !== null, isRead || (response.status === 200 && !BARE.test(path)));
  ok(![401, 201, 204].includes(response.status), `${response.status}`);
  const index = header("X-Scheduler-Index");
  return {
    status: response.status,
    headers: response.headers,
    text,
    index: index === null ? undefined : Number(index),
    json: type === "application/json" ? JSON.parse(text) : undefined,
  };
}
