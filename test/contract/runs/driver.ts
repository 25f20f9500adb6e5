import { deepEqual, equal, match } from "node:assert/strict";
import { Rejection, type RunsClient, type Simulator } from "../../../src/index.ts";
import { lastRequest } from "../../support/journal.ts";
import { currentTransport, reach } from "../transports.ts";
import { documentFaults } from "./document-schema.ts";
import { expectReadBack } from "./read-back.ts";

// One suite, two subjects: what the contract says holds at the typed door and over HTTP, on whatever way requests go.

/** An operation of the run service, such as `policyChecks.override`. */
export type OperationName = { [R in keyof RunsClient]: `${R}.${keyof RunsClient[R] & string}` }[keyof RunsClient];

/** A resource as tests look at it. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any kind, and a wrong path is a red test
  readonly attributes: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly relationships: any;
  readonly links: { readonly [name: string]: string };
}

export interface Pagination {
  readonly "current-page": number;
  readonly "page-size": number;
  readonly "prev-page": number | null;
  readonly "next-page": number | null;
  readonly "total-pages": number;
  readonly "total-count": number;
}

interface Body {
  readonly data: unknown;
  readonly included?: readonly Resource[];
  readonly links?: { readonly [name: string]: string | null };
  readonly meta?: { readonly pagination: Pagination };
  readonly errors?: readonly {
    readonly status: string;
    readonly title: string;
    readonly detail?: string;
    readonly source?: { readonly parameter: string } | { readonly pointer: string };
  }[];
}

/** What a client sees of an answer. */
export interface Answer {
  readonly status: number;
  /** The document of a success; undefined for an empty one and for a refusal. */
  readonly body: Body | undefined;
  /** The stable code of the refusal. */
  readonly code: string | undefined;
}

export interface Arguments {
  readonly [name: string]: string | boolean | null | undefined;
}

export interface Options {
  readonly page?: { readonly number?: number | string; readonly size?: number | string };
  readonly include?: string;
  readonly filter?: { readonly [n: string]: { readonly [member: string]: string } };
}

/** One of the two ways to reach the service. */
export interface Door {
  call(operation: OperationName, token: string | undefined, argument: Arguments, options?: Options): Promise<Answer>;
}

// --- the typed door -------------------------------------------------------------------------------------------------

type Call = (argument: Arguments, options?: Options) => unknown;

export const typedDoor = (sim: Simulator): Door => ({
  call: async (operation, token, argument, options) => {
    const [resource, verb] = operation.split(".") as [keyof RunsClient, string];
    const call = (sim.runs.as(token)[resource] as unknown as Record<string, Call>)[verb] as Call;
    try {
      const body = call(argument, options);
      if (body !== undefined && typeof body !== "string") expectDocument(body);
      return { status: lastRequest(sim).response?.status ?? 0, body: body as Body | undefined, code: undefined };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return { status: error.status, body: undefined, code: error.code };
    }
  },
});

// --- HTTP -----------------------------------------------------------------------------------------------------------

export const httpDoor = (sim: Simulator): Door => ({
  call: async (operation, token, argument, options = {}) => {
    const row = sim.operations().find(({ name }) => name === `runs.${operation}`);
    if (row === undefined) throw new Error(`${operation} is no operation`);
    const captures = new Set<string>();
    const path = row.path.replace(/:(\w+)/g, (_, capture: string) => {
      captures.add(capture);
      return encodeURIComponent(`${argument[capture] ?? ""}`);
    });
    const given = Object.entries(argument).filter(([name]) => !captures.has(name));
    const { status, body } = await send(sim, row.method, path + queryOf(options), {
      token,
      ...(given.length === 0 ? {} : { body: JSON.stringify(documentOf(Object.fromEntries(given))) }),
      redirect: "manual",
    });
    const code = status >= 400 ? lastRequest(sim).refusal?.code : undefined;
    return { status, body: status >= 400 ? undefined : body, code };
  },
});

/** What is given, where JSON:API has it. */
function documentOf({ comment, workspace, ...attributes }: Arguments): object {
  if (comment !== undefined) return { comment };
  const related = { workspace: { data: { type: "workspaces", id: workspace } } };
  return { data: { attributes, ...(workspace === undefined ? {} : { relationships: related }) } };
}

function queryOf({ page = {}, include, filter = {} }: Options): string {
  const query = new URLSearchParams();
  for (const [n, members] of Object.entries(filter)) {
    for (const [member, value] of Object.entries(members)) query.append(`filter[${n}][${member}]`, value);
  }
  if (include !== undefined) query.append("include", include);
  for (const [member, value] of Object.entries(page)) query.append(`page[${member}]`, String(value));
  return query.size === 0 ? "" : `?${query}`;
}

/** The doors, with their names. The way on which requests go is nothing to calls. */
export function doors(): readonly (readonly [name: string, open: (sim: Simulator) => Door])[] {
  const way = currentTransport();
  const byRequest = [way, httpDoor] as const;
  return way === "sim.fetch" ? [["the typed door", typedDoor], byRequest] : [byRequest];
}

// --- raw requests ---------------------------------------------------------------------------------------------------

export interface Sent {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect?: RequestRedirect;
}

/** A response whose text has been read, and what it says as JSON. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** Sends a request, and checks what holds for every response of the service: decisions-policy-checks.md, 1.1 and 2. */
export async function send(sim: Simulator, method: string, path: string, sent: Sent = {}): Promise<Received> {
  const { token, headers = {}, body, redirect = "manual" } = sent;
  const response = await reach(sim)(path.startsWith("https:") ? path : sim.runs.url + path, {
    method,
    redirect,
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(method === "POST" ? { "Content-Type": "application/vnd.api+json" } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const type = response.headers.get("Content-Type");
  match(response.headers.get("X-Hindcast-Position") ?? "", /^\d+$/);
  if ([202, 204, 307].includes(response.status)) {
    deepEqual({ text, type }, { text: "", type: null });
    return { status: response.status, headers: response.headers, text, body: undefined as never };
  }
  if (type === "application/octet-stream") {
    return { status: response.status, headers: response.headers, text, body: undefined as never };
  }
  equal(type, "application/vnd.api+json");
  const document = JSON.parse(text) as Body;
  expectDocument(document);
  if (response.status >= 400) {
    deepEqual(Object.keys(document), ["errors"]);
    equal(document.errors?.[0]?.status, `${response.status}`);
  }
  return { status: response.status, headers: response.headers, text, body: document };
}

/** A GET, as somebody. */
export function get(sim: Simulator, path: string, token?: string): Promise<Received> {
  return send(sim, "GET", path, { token });
}

/** Every document is one of JSON:API 1.0, and another client reads it without loss. */
function expectDocument(body: unknown): void {
  deepEqual(documentFaults(body), []);
  if (typeof body === "object" && body !== null && "data" in body) expectReadBack(body as never);
}

/** The one resource of a document. */
export function one({ body }: { readonly body: Body | undefined }): Resource {
  return body?.data as Resource;
}

/** The resources of a list. */
export function many({ body }: { readonly body: Body | undefined }): readonly Resource[] {
  return body?.data as readonly Resource[];
}
