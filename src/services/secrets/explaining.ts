import type { Recorded } from "../../kernel/event-index.ts";
import type { Plain } from "../../kernel/plain.ts";
import { Draw } from "../../kernel/randomness.ts";
import type { RequestFaultEvents } from "../../surroundings/faults/rules.ts";
import { type ExplainersOf, type Fact, fact, type Met, recorded, when } from "../kit/why.ts";
import type { SecretsCaller, SecretsOperation, SecretsReading, Verb } from "./declare.ts";
import type { SecretsEvents } from "./events.ts";
import { ENGINE_NAMES } from "./mounts/names.ts";
import type { ClusterName, InMount, InNamespace, MountPath } from "./place.ts";
import { secretsRegistry } from "./registry.ts";
import { pathOf } from "./serve.ts";
import type { SecretsWorld } from "./world.ts";

// What explainers of refusals share.

/** A refusal of this service. */
export type SecretsMet = Met<SecretsWorld, SecretsEvents & RequestFaultEvents, SecretsCaller>;

/** An explainer for each code of a family. */
export type SecretsExplainers<C extends object> = ExplainersOf<C, SecretsMet>;

/** What views and checks read. */
export function readingOf({ state, nowMs, caller }: SecretsMet): SecretsReading {
  return { state, nowMs, caller, draw: new Draw("why") };
}

/** What was asked for, below its namespace. */
export function askedOf({ command, caller }: SecretsMet): {
  readonly verb: Verb;
  readonly path: string;
  readonly operation: SecretsOperation | undefined;
  readonly input: { readonly [name: string]: Plain | undefined };
} {
  const input = (command.input ?? {}) as { readonly [name: string]: never };
  const operation = secretsRegistry.byName.get(command.name);
  if (operation === undefined) return { verb: input["verb"] ?? "GET", path: input["path"] ?? "", operation, input };
  return { verb: operation.verb, path: pathOf(operation, input, caller), operation, input };
}

/** The mount that was asked. */
export function mountAsked({ command, caller }: SecretsMet): MountPath {
  const engine = secretsRegistry.byName.get(command.name)?.engine;
  return `${caller.mount ?? (engine === undefined ? "" : ENGINE_NAMES[engine])}/` as MountPath;
}

/** Whether a fact lies in the mount that was asked. */
export function inMount(met: SecretsMet): (data: InMount) => boolean {
  const mount = mountAsked(met);
  return ({ at }) => at.mount === mount && at.namespace === met.caller.namespace;
}

/** Whether a fact lies in the namespace that was asked. */
export function inNamespace({ caller }: SecretsMet): (data: InNamespace) => boolean {
  return ({ at }) => at.namespace === caller.namespace;
}

/** Something that is there, with the commit that made it so, where one did. */
export function there(kind: string, text: string, found: Recorded<unknown> | undefined): Fact {
  return recorded(kind, `${text}, written last`, found) ?? fact(kind, text);
}

/** Something that is not there: the commit that took it away, if one did. */
export function gone(kind: string, what: string, found: Recorded<unknown> | undefined): Fact {
  return recorded(kind, `${what} was deleted`, found) ?? fact(kind, `there is no ${what}, and no commit deleted one`);
}

/** Whether facts are of the cluster that was asked. */
export function ofCluster({ caller }: SecretsMet): (data: { readonly cluster: ClusterName }) => boolean {
  return ({ cluster }) => cluster === caller.cluster;
}

/** A gate that is closed, by the last commit that closed it. */
export function gate(text: string, found: Recorded<unknown> | undefined): Fact {
  return {
    kind: "gate",
    ...(found && { position: found.position }),
    text: found ? `${text} ${when(found, "since")}` : text,
  };
}
