import { optionsAt } from "../../kernel/arguments.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain, type Plain } from "../../kernel/plain.ts";
import { parseContractDuration } from "../../languages/duration.ts";
import { setOwn } from "../../languages/objects.ts";
import { shown } from "../../languages/shown.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import { captureAt } from "../kit/arguments.ts";
import { type ClientOf, clientMaker } from "../kit/client.ts";
import { noteCall } from "../kit/door.ts";
import { byLine, type Called } from "../kit/line.ts";
import { behind } from "../kit/why.ts";
import type { CallOptions, SecretsCaller, SecretsOperation } from "./declare.ts";
import { type AcceptedAnswer, commandOf, prepared, type Request, refuseStopped, respond } from "./door.ts";
import { finished, finishedSoon } from "./finish.ts";
import { withKeptData } from "./kv2/fields.ts";
import { withoutOuterSlashes } from "./place.ts";
import { type NamedOperation, secretsRegistry } from "./registry.ts";
import { secretsForms } from "./responses.ts";
import { nonDefaultMount, resolve } from "./routes.ts";
import { pathOf } from "./serve.ts";
import { renamedPath } from "./words/path.ts";
import { clusterOf, namespaceAt, type SecretsWorld } from "./world.ts";

/** The engine whose operations are at a mount. */
type EngineResource =
  | "ldapConfig"
  | "staticRoles"
  | "dynamicRoles"
  | "library"
  | "kv"
  | "kv2"
  | "orchestrator"
  | "userpass"
  | "approle"
  | "ldap"
  | "orchestratorAuth";

/**
 * The typed door to a cluster: a call for each operation, as `<resource>.<verb>`.
 *
 * A call takes one object with the contract's field names and path captures and returns the body that the wire would show;
 * `undefined` for an empty one. What the wire answers with an error is thrown as a `Rejection`.
 *
 * @example
 * const { data, lease_id } = cluster.as(token).library.checkOut({ set_name: "ops" });
 */
export interface SecretsClient extends ClientOf<SecretsTable> {
  /** The operations of an engine at another mount: `client.at("ldap2").library.checkOut(...)`. */
  readonly at: (mount: string) => ClientOf<Pick<SecretsTable, EngineResource>>;
}

type SecretsTable = typeof secretsRegistry.table;

/** Whom a client asks, and for whom. */
interface Asking {
  readonly host: Host<SecretsWorld>;
  readonly caller: SecretsCaller;
}

const operationsFor = clientMaker(secretsRegistry.service, secretsRegistry.table, callOf);

/** Makes the typed door for a caller. */
export function secretsClient({ host, caller }: Asking): SecretsClient {
  const value = (mount: string): object => operationsFor({ host, caller: callerAt(caller, mount) });
  return Object.defineProperty(operationsFor({ host, caller }), "at", { value, enumerable: true }) as SecretsClient;
}

function callerAt({ mount: _, ...caller }: SecretsCaller, mount: unknown): SecretsCaller {
  const path = typeof mount === "string" ? withoutOuterSlashes(mount) : "";
  if (path === "") throw new TypeError(`at: ${shown(mount)} is no path of a mount`);
  return Object.freeze({ ...caller, mount: path });
}

/** The route of a call that has several: the one that its argument picks. */
function routed({ name, operation }: NamedOperation, argument: object | undefined): NamedOperation {
  if (typeof argument !== "object" || argument === null) return { name, operation };
  const suffix = operation.otherFor?.(argument as { readonly [name: string]: unknown });
  const other = suffix === undefined ? undefined : operation.others?.[suffix];
  return other === undefined ? { name, operation } : { name: `${name}${suffix}`, operation: other };
}

function callOf({ host, caller }: Asking, named: NamedOperation): unknown {
  const own = callerFor(named.operation, caller);
  const asked = (argument: object | undefined, options: CallOptions | undefined): Request =>
    requestOf(host, wrapping(own, named, options), routed(named, argument), argument);
  if (named.operation.access.promised === undefined) {
    return (argument?: object, options?: CallOptions) =>
      finished(answered(host, named, asked(argument, options)), wordsOf(host.state)?.secrets);
  }
  // Unless something has to be made first, it has been decided when the promise is given.
  const soon = async (argument: object | undefined, options: CallOptions | undefined): Promise<unknown> => {
    const request = prepared(host, asked(argument, options));
    const ready = request instanceof Promise ? await request : request;
    return finishedSoon(answered(host, named, ready), wordsOf(host.state)?.secrets);
  };
  return (argument?: object, options?: CallOptions) => host.hold(named.name, soon(argument, options));
}

/** The caller as the log has it: the mount where an engine is from the start goes without saying, and the system has none. */
function callerFor({ engine }: SecretsOperation, asked: SecretsCaller): SecretsCaller {
  if (asked.mount === undefined) return asked;
  const { mount, ...caller } = asked;
  return Object.freeze(engine === undefined ? caller : { ...caller, ...nonDefaultMount(mount, engine) });
}

function wrapping(
  caller: SecretsCaller,
  { name: call, operation }: NamedOperation,
  options: CallOptions | undefined,
): SecretsCaller {
  if (options === undefined) return caller;
  optionsAt(call, options, ["wrapTtl"]);
  if (options.wrapTtl === undefined) return caller;
  const duration = parseContractDuration(options.wrapTtl);
  if (!duration.ok) throw new TypeError(`${call}: wrapTtl: ${duration.message}`);
  if (operation.access.neverWrapped) return caller;
  return duration.ms === 0 ? caller : Object.freeze({ ...caller, wrapTtlSeconds: duration.ms / 1000 });
}

/** What a call asks for. */
function requestOf(
  host: Host<SecretsWorld>,
  caller: SecretsCaller,
  called: NamedOperation,
  argument: object | undefined,
): Request {
  const given = inputOf(called, argument);
  host.comeUp();
  refuseStopped(host, caller);
  const { verb } = called.operation;
  const path = pathOf(called.operation, given, caller);
  return { verb, path, caller, via: "call", ...reached(host, caller, called, path, given) };
}

/** The answer of a call; what the wire answers with an error is thrown. */
function answered(host: Host<SecretsWorld>, called: NamedOperation, request: Request): AcceptedAnswer {
  const { verb: method, path, caller } = request;
  const { cluster } = caller;
  // The journal reads it when somebody looks, which may be when the simulator is gone.
  const { state } = host;
  const words = wordsOf(state)?.secrets;
  const seen = (): Called => ({
    service: "secrets",
    place: { cluster },
    operation: called.name,
    method,
    path: `/v1/${words === undefined ? path : renamedPath(words, { world: state, at: caller }, path, "own")}`,
    url: clusterOf(state, cluster).ignored.url,
  });
  const said = () => {
    const { url, path: asked } = seen();
    return { url: url + asked, argument: request.input };
  };
  const noted = noteCall(host, request.named ?? called, said);
  const answer = byLine(host, noted, seen, (failsWith) =>
    respond(host, failsWith === undefined ? request : { ...request, failsWith }),
  );
  const { status, commit } = answer;
  if (answer.ok) {
    noted?.answered({ status, commit, body: () => finished(answer, words) });
    return answer;
  }
  const { refusal, raw, errors } = answer;
  const refused = behind(host, commandOf(request), refusal, commit);
  noted?.answered({ status, commit, refused, body: () => raw ?? { errors } });
  throw secretsForms.rejection(called.name, refused);
}

/**
 * The operation that a call's path leads to. A name with a slash can make another path: a set `team/status` is the status of
 * `team` (decisions-directory.md, 7, "Path collisions"), through this door as through the other.
 */
function reached(
  host: Host<SecretsWorld>,
  caller: SecretsCaller,
  called: NamedOperation,
  path: string,
  input: Input,
): { readonly named: NamedOperation | undefined; readonly wrongVerb: boolean; readonly input: Input } {
  const { verb, captures } = called.operation;
  const asCalled = { named: called, wrongVerb: false, input };
  const [capture] = captures;
  const value = capture === undefined ? undefined : input[capture];
  if (!called.operation.collides || typeof value !== "string" || !value.includes("/")) return asCalled;
  if (namespaceAt(host.state, caller) === undefined) return asCalled;
  const resolved = resolve(host.state, caller, verb, path);
  // Without a route, or with its own, the call is what it says; a name that is none is refused with it.
  if (
    resolved.named?.name === called.name ||
    (resolved.named === undefined && !resolved.wrongVerb && resolved.elsewhere === undefined)
  )
    return asCalled;
  const { [capture as string]: _, ...fields } = input;
  return {
    named: resolved.named,
    wrongVerb: resolved.wrongVerb,
    input: Object.freeze({ ...fields, ...resolved.captures }),
  };
}

type Input = { readonly [name: string]: Plain };

function inputOf({ name, operation }: NamedOperation, argument: unknown): Input {
  const given = argument ?? {};
  if (typeof given !== "object" || Array.isArray(given)) throw new TypeError(`${name}: the argument is no object`);
  const { captures, shortPattern } = operation;
  const copied = copyPlain(given, name) as Input;
  const read = operation.keepsData ? withKeptData(copied) : copied;
  const input = shortPattern === undefined ? read : withoutEmptyPrefix(read);
  for (const capture of captures) {
    if (capture === "prefix" && shortPattern !== undefined && input[capture] === undefined) continue;
    captureAt(name, capture, input[capture]);
  }
  return operation.takesBody ? withBody(captures, input) : input;
}

/** A listing from the top has no prefix, or an empty one: `LIST x` and `LIST x/` are equal (decisions-secrets-core.md, A.4). */
function withoutEmptyPrefix(input: Input): Input {
  if (input["prefix"] !== "") return input;
  const { prefix: _, ...others } = input;
  return Object.freeze(others);
}

/** What is no capture is the body, under the caller's own names. */
function withBody(captures: readonly string[], input: Input): Input {
  const data: Record<string, Plain> = {};
  const given: Record<string, Plain> = {};
  for (const name in input) setOwn(captures.includes(name) ? given : data, name, input[name] as Plain);
  given["data"] = Object.freeze(data);
  return Object.freeze(given);
}
