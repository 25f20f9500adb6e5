import type { Host } from "../../kernel/host.ts";
import { copyPlain, type Plain } from "../../kernel/plain.ts";
import { Rejection } from "../../kernel/rejection.ts";
import type { SecretsCaller, SecretsOperation } from "./declare.ts";
import { respond } from "./door.ts";
import { type SecretsOperations, secretsOperations } from "./registry.ts";
import { pathOf } from "./serve.ts";
import type { SecretsWorld } from "./state.ts";

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
  const client = resources(host, caller, undefined) as Record<string, unknown>;
  client["at"] = (mount: string) => resources(host, caller, mountNamed(mount));
  return Object.freeze(client) as SecretsClient;
}

function mountNamed(mount: unknown): string {
  if (typeof mount !== "string" || mount === "") throw new TypeError(`at: ${String(mount)} is no path of a mount`);
  return mount.replace(/^\/+|\/+$/g, "");
}

/** Resources appear when they are first used: a client is made for each token, and few use them all. */
function resources(host: Host<SecretsWorld>, caller: SecretsCaller, mount: string | undefined): object {
  const client = {};
  const made = new Map<string, object>();
  for (const resource of Object.keys(secretsOperations) as (keyof SecretsOperations)[]) {
    Object.defineProperty(client, resource, {
      enumerable: true,
      get() {
        const known = made.get(resource) ?? calls(host, caller, resource, mount);
        made.set(resource, known);
        return known;
      },
    });
  }
  return client;
}

function calls(
  host: Host<SecretsWorld>,
  caller: SecretsCaller,
  resource: keyof SecretsOperations,
  mount: string | undefined,
): object {
  const entries = Object.entries(secretsOperations[resource] as Record<string, SecretsOperation>);
  return Object.freeze(
    Object.fromEntries(
      entries.map(([verb, operation]) => {
        const name = `secrets.${resource}.${verb}`;
        return [verb, (argument?: object) => call(host, caller, name, operation, argument, mount)];
      }),
    ),
  );
}

function call(
  host: Host<SecretsWorld>,
  caller: SecretsCaller,
  name: string,
  operation: SecretsOperation,
  argument: object | undefined,
  mount: string | undefined,
): unknown {
  const input = inputOf(name, operation, argument, mount);
  const path = pathOf(operation, input);
  const answered = respond(host, {
    verb: operation.verb,
    path,
    named: { name, operation },
    input,
    caller,
    via: "call",
  });
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

function inputOf(
  name: string,
  operation: SecretsOperation,
  argument: object | undefined,
  mount: string | undefined,
): { readonly [name: string]: Plain | undefined } {
  const given = argument ?? {};
  if (typeof given !== "object" || Array.isArray(given)) throw new TypeError(`${name}: the argument is no object`);
  const input = copyPlain(given, name) as { readonly [name: string]: Plain };
  for (const capture of operation.captures) {
    if (capture === "mount" || (capture === "prefix" && operation.shortPattern !== undefined)) continue;
    if (typeof input[capture] !== "string" || input[capture] === "") {
      throw new TypeError(`${name}: ${capture} is ${JSON.stringify(input[capture])}, and has to be a text`);
    }
  }
  return mount === undefined || !operation.ofMount ? input : { ...input, mount };
}
