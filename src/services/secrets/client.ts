import type { Host } from "../../kernel/host.ts";
import { copyPlain, type Plain } from "../../kernel/plain.ts";
import { Rejection } from "../../kernel/rejection.ts";
import { shown } from "../../languages/shown.ts";
import type { SecretsCaller, SecretsOperation } from "./declare.ts";
import { respond } from "./door.ts";
import { withoutOuterSlashes } from "./place.ts";
import { type SecretsOperations, secretsOperations } from "./registry.ts";
import { type NamedOperation, nonDefaultMount, resolve } from "./routes.ts";
import { pathOf } from "./serve.ts";
import type { SecretsWorld } from "./state.ts";
import { namespaceAt } from "./state.ts";

/** The typed call of an operation: captures and fields in one object, the body of the answer as the result. */
export type CallOf<O> =
  O extends SecretsOperation<infer I, infer B>
    ? Record<never, never> extends I
      ? (argument?: I) => B
      : (argument: I) => B
    : never;

type ResourceClient<R> = { readonly [N in keyof R]: CallOf<R[N]> };

/** The engine whose operations are at a mount. */
type EngineResource = "ldapConfig" | "library";

/**
 * The typed door to a cluster: a call for each operation, as `<resource>.<verb>`.
 *
 * A call takes one object with the contract's field names and path captures and returns the body that the wire would show;
 * `undefined` for an empty one. What the wire answers with an error is thrown as a `Rejection`.
 *
 * @example
 * const { data, lease_id } = cluster.as(token).library.checkOut({ set_name: "ops" });
 */
export type SecretsClient = { readonly [R in keyof SecretsOperations]: ResourceClient<SecretsOperations[R]> } & {
  /** The operations of an engine at another mount: `client.at("ldap2").library.checkOut(...)`. */
  readonly at: (mount: string) => { readonly [R in EngineResource]: ResourceClient<SecretsOperations[R]> };
};

/** Makes the typed door for a caller. */
export function secretsClient(host: Host<SecretsWorld>, caller: SecretsCaller): SecretsClient {
  const client = resources(host, caller) as Record<string, unknown>;
  client["at"] = (mount: string) => resources(host, callerAt(caller, mount));
  return Object.freeze(client) as SecretsClient;
}

function callerAt({ mount: _, ...caller }: SecretsCaller, mount: unknown): SecretsCaller {
  const path = typeof mount === "string" ? withoutOuterSlashes(mount) : "";
  if (path === "") throw new TypeError(`at: ${shown(mount)} is no path of a mount`);
  return Object.freeze({ ...caller, ...nonDefaultMount(path) });
}

/** Resources appear when they are first used: a client is made for each token, and few use them all. */
function resources(host: Host<SecretsWorld>, caller: SecretsCaller): object {
  const client = {};
  const made = new Map<string, object>();
  for (const resource of Object.keys(secretsOperations) as (keyof SecretsOperations)[]) {
    Object.defineProperty(client, resource, {
      enumerable: true,
      get() {
        const known = made.get(resource) ?? calls(host, caller, resource);
        made.set(resource, known);
        return known;
      },
    });
  }
  return client;
}

function calls(host: Host<SecretsWorld>, caller: SecretsCaller, resource: keyof SecretsOperations): object {
  const entries = Object.entries(secretsOperations[resource] as Record<string, SecretsOperation>);
  return Object.freeze(
    Object.fromEntries(
      entries.map(([verb, operation]) => {
        const named = { name: `secrets.${resource}.${verb}`, operation };
        return [verb, (argument?: object) => call(host, caller, named, argument)];
      }),
    ),
  );
}

function call(
  host: Host<SecretsWorld>,
  caller: SecretsCaller,
  called: NamedOperation,
  argument: object | undefined,
): unknown {
  const { name } = called;
  const given = inputOf(called, argument);
  const { verb } = called.operation;
  const path = pathOf(called.operation, given, caller);
  const { named, wrongVerb, input } = reached(host, caller, called, path, given);
  const answered = respond(host, { verb, path, named, wrongVerb, input, caller, via: "call" });
  host.note({
    request: name,
    status: answered.status,
    ...(answered.ok ? {} : { rejection: answered.refusal.code }),
    ...(answered.commit === undefined ? {} : { position: answered.commit }),
  });
  if (answered.ok) return answered.body;
  const { refusal, status, errors, commit: position } = answered;
  const message = `${name} was refused with ${refusal.code}${errors.length === 0 ? "" : `: ${errors.join("; ").trim()}`}`;
  throw new Rejection({ code: refusal.code, status, data: refusal.data, message, position });
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
  const namespace = namespaceAt(host.state, caller);
  if (namespace === undefined || typeof value !== "string" || !value.includes("/")) return asCalled;
  const resolved = resolve(namespace, verb, path);
  // Without a route, or with its own, the call is what it says; a name that is none is refused with it.
  if (resolved.named?.name === called.name || (resolved.named === undefined && !resolved.wrongVerb)) return asCalled;
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
  const input = copyPlain(given, name) as Input;
  for (const capture of operation.captures) {
    if (capture === "prefix" && operation.shortPattern !== undefined && input[capture] === undefined) continue;
    if (typeof input[capture] !== "string" || input[capture] === "") {
      throw new TypeError(`${name}: ${capture} is ${shown(input[capture])}, and has to be a text`);
    }
  }
  return input;
}
