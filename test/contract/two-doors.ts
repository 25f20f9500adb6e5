import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { type OperationInfo, Rejection, type SecretsClient, type Simulator } from "../../src/index.ts";
import { lastRequest } from "../support/journal.ts";
import { currentTransport, reach, type TransportName } from "./transports.ts";

// One suite, several subjects: what the contract says holds at the typed door and over HTTP, on whatever way requests go (./driver.ts has
// them all). A test calls an operation by its name, and the subject at hand makes it a call or a request. What holds for every answer is
// checked by plain assertions: there are a hundred thousand answers, and each `expect` of the runner is an object with a state.

/** The calls of a client, also of resources below others, by their names. */
type NamesOf<C> = {
  [N in keyof C & string]: C[N] extends (...given: never[]) => unknown ? N : `${N}.${NamesOf<C[N]>}`;
}[keyof C & string];

/** An operation of the secrets service, such as `library.checkOut`. */
export type OperationName =
  | NamesOf<Omit<SecretsClient, "at">>
  // Other routes of one call.
  | `identity.${"entities" | "groups"}.${"read" | "list" | "delete"}ByName`
  | `${"tokens" | "wrapping"}.lookupRead`
  | "kv2.deleteVersions"
  | `leases.${"renew" | "revoke"}${"AtPath" | "Formerly" | "FormerlyAtPath"}`
  | `policies.${"list" | "read" | "write" | "delete"}Formerly`
  | "policies.listFormerlyListed";

/** Path captures and fields by the contract's names; what is `undefined` is not sent. */
export interface Fields {
  readonly [name: string]: unknown;
}

/** Who asks, and where. */
export interface Asking {
  /** By default the root token; null is none. */
  readonly token?: string | null;
  readonly namespace?: string;
  /** The mount of an engine's operation; by default as `defaultMount` says. */
  readonly mount?: string;
  /** Where the request comes from. */
  readonly address?: string;
}

/** What a client sees of an answer. */
export interface Answer {
  readonly status: number;
  /** The body of a success; undefined for an empty one. */
  readonly body: unknown;
  /** The texts of `errors`, joined; `""` when there are none, and undefined for a success. */
  readonly errors: string | undefined;
  /** The stable code of the refusal, if a handler or a check made one. */
  readonly code: string | undefined;
}

/** One of the ways to reach a cluster. */
export interface Door {
  call(operation: OperationName, fields?: Fields, asking?: Asking): Promise<Answer>;
}

export interface Subject {
  readonly name: "the typed door" | "sim.fetch in other words" | TransportName;
  open(sim: Simulator, cluster?: string): Door;
}

// --- the typed door -------------------------------------------------------------------------------------------------

export const typedDoor: Subject = {
  name: "the typed door",
  open: (sim, cluster = "main") => ({
    call: (operation, fields = {}, asking = {}) =>
      Promise.resolve().then(() => typed(sim, cluster, operation, fields, asking)),
  }),
};

type Call = (argument: Fields) => unknown;
type Calls = { readonly [name: string]: Calls | Call | undefined };

/** Other routes of one call (`readByName`, `authorizePosted`) have its name and more. */
export const OTHER_ROUTES = /(?<!^)(ByName|ById|Posted|Read|Versions|(Formerly)?AtPath|Formerly(Listed)?)$/;

async function typed(
  sim: Simulator,
  cluster: string,
  operation: OperationName,
  fields: Fields,
  asking: Asking,
): Promise<Answer> {
  const handle = sim.secrets.cluster(cluster);
  const { token = handle.rootToken, namespace, mount = atMountOfItsOwn(operation), address } = asking;
  const client = handle.as(token ?? undefined, {
    ...(namespace === undefined ? {} : { namespace }),
    ...(address === undefined ? {} : { address }),
  });
  const names = operation.replace(OTHER_ROUTES, "").split(".");
  let call = (mount === undefined ? client : client.at(mount)) as unknown as Calls | Call | undefined;
  for (const name of names) call = (call as Calls | undefined)?.[name];
  if (typeof call !== "function") throw new Error(`${operation} is no operation`);
  try {
    const given = call(fields);
    // Others may be asking as well: most calls have answered by now.
    const body = given instanceof Promise ? await given : given;
    const status = statusOfLast(sim);
    if (status !== 202) equal(body === undefined, status === 204, "an empty body is undefined");
    return { status, body, errors: undefined, code: undefined };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    equal(statusOfLast(sim), error.status);
    return { status: error.status, body: undefined, errors: textsIn(error), code: error.code };
  }
}

/** The typed door shows bodies only; what the wire would have said stands in the journal. */
function statusOfLast(sim: Simulator): number {
  return lastRequest(sim).response?.status ?? 0;
}

/** A rejection's message is `<operation> was refused with <code>: <errors>`. */
function textsIn({ message, code }: Rejection): string {
  const prefix = `was refused with ${code}`;
  const at = message.indexOf(prefix);
  ok(at >= 0, `${message} does not tell its code`);
  return message.slice(at + prefix.length).replace(/^: /, "");
}

const operations = new Map<string, OperationInfo>();

/** An operation by its name; all simulators have the same. */
function operationOf(sim: Simulator, name: OperationName): OperationInfo {
  if (operations.size === 0) for (const row of sim.operations()) operations.set(row.name, row);
  const row = operations.get(`secrets.${name}`);
  if (row === undefined) throw new Error(`${name} is no operation`);
  return row;
}

// --- HTTP -----------------------------------------------------------------------------------------------------------

export const httpDoor = (): Subject => ({
  name: currentTransport(),
  open: (sim, cluster = "main") => ({
    call: async (operation, fields = {}, asking = {}) => {
      const row = operationOf(sim, operation);
      const { path, rest } = withCaptures(row.path, { mount: asking.mount ?? defaultMount(operation), ...fields });
      const sends = SENDING[row.method];
      return send(sim, row.method, sends === undefined ? path + queryOf(rest) : path, {
        asking,
        cluster,
        ...(sends === undefined ? {} : { body: JSON.stringify(rest), headers: { "Content-Type": sends } }),
      });
    },
  }),
});

/** Methods that have a body, and what that is. */
export const SENDING: { readonly [method: string]: string | undefined } = {
  POST: "application/json",
  PATCH: "application/merge-patch+json",
};

/** The mount that the suite uses where no engine of the kind is mounted from the start. */
function atMountOfItsOwn(operation: OperationName): string | undefined {
  return operation.startsWith("kv2.") ? "kv2" : undefined;
}

/** Auth methods, by the resources of their operations. */
const METHOD_OF: Readonly<Record<string, string>> = {
  userpass: "userpass",
  approle: "approle",
  ldap: "ldap",
  orchestratorAuth: "orchestrator",
};
export const METHODS: readonly string[] = Object.values(METHOD_OF);

/** Engines are mounted under their own names from the start, and methods are enabled there. */
export function defaultMount(operation: string): string {
  const [resource = ""] = operation.split(".");
  if (Object.hasOwn(METHOD_OF, resource)) return `auth/${METHOD_OF[resource]}`;
  return ["kv", "kv2", "orchestrator"].includes(resource) ? resource : "ldap";
}

/** A path with its captures filled in, and the fields that are left. */
export function withCaptures(route: string, fields: Fields): { readonly path: string; readonly rest: Fields } {
  const rest: Record<string, unknown> = { ...fields };
  const used = new Set(["mount"]);
  const path = route.replace(/\/(\*\*)?:(\w+)/g, (_, _deep: string | undefined, capture: string) => {
    used.add(capture);
    const value = rest[capture];
    if (value === undefined) return "";
    if (typeof value !== "string") throw new TypeError(`${capture} is a part of a path, so it has to be a string`);
    return `/${encodeURIComponent(value).replaceAll("%2F", "/")}`;
  });
  return { path, rest: Object.fromEntries(Object.entries(rest).filter(([name]) => !used.has(name))) };
}

export function queryOf(fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** What else a raw request has. */
export interface Sent {
  readonly asking?: Asking;
  readonly cluster?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request as it stands, and checks what holds for every response of the service (decisions-secrets-core.md, A.1). */
export async function send(sim: Simulator, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const handle = sim.secrets.cluster(sent.cluster ?? "main");
  const { token = handle.rootToken, namespace, address } = sent.asking ?? {};
  const response = await reach(sim)(handle.url + path, {
    method,
    headers: {
      ...(token === null ? {} : { "X-Secrets-Token": token }),
      ...(namespace === undefined ? {} : { "X-Secrets-Namespace": namespace }),
      ...(address === undefined ? {} : { "X-Forwarded-For": address }),
      ...sent.headers,
    },
    ...(sent.body === undefined ? {} : { body: sent.body }),
  });
  return answerOf(sim, response);
}

export async function answerOf(sim: Simulator, response: Response): Promise<Answer> {
  const { status } = response;
  const isFile = response.headers.get("Content-Type") === "application/gzip";
  const text = isFile ? snapshotIn(await response.text()) : await response.text();
  // Discovery of the OIDC provider may be kept for an hour (decisions-oidc.md, 9).
  ok(["no-store", "max-age=3600"].includes(response.headers.get("Cache-Control") ?? ""), "Cache-Control");
  if (!isFile) equal(response.headers.get("Content-Type"), "application/json");
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  // An error of OAuth is a bare object (decisions-oidc.md, 10 and 11).
  if (status >= 400 && typeof body === "object" && body !== null && "error" in body) {
    const { error_description } = body as { readonly error_description?: string };
    return { status, body: undefined, errors: error_description, code: lastRequest(sim).refusal?.code };
  }
  // Health says how a node is by its status, and has a body of its own with each; and so have versions of secrets that are gone.
  if (status >= 300 && typeof body === "object" && body !== null && !("errors" in body)) {
    return { status, body, errors: undefined, code: lastRequest(sim).refusal?.code };
  }
  if (status < 300) {
    if (status !== 202) equal(text === "", status === 204, "204 is empty, 202 may be, all else is not");
    return { status, body, errors: undefined, code: undefined };
  }
  const { errors, ...others } = body as { errors: string[] };
  deepStrictEqual(others, {}, "an error body has no other key");
  for (const error of errors) equal(typeof error, "string");
  return { status, body: undefined, errors: errors.join("; ").trim(), code: lastRequest(sim).refusal?.code };
}

/** What a typed call answers where HTTP has a file, which names it in its head (src/services/secrets/snapshots/README.md, 2). */
function snapshotIn(file: string): string {
  return JSON.stringify({ snapshot_url: decodeURIComponent(/client[\w%.-]+/.exec(file)?.[0] ?? "") });
}

/** Rows of a table by the rule that each states: `it.each(byRule(rows))("%s", (_, row) => ...)`. */
export function byRule<R extends { readonly rule: string }>(rows: readonly R[]): (readonly [rule: string, row: R])[] {
  return rows.map((row) => [row.rule, row]);
}
