import { optionsAt, readArgument } from "../../kernel/arguments.ts";
import type { Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain } from "../../kernel/plain.ts";
import { Rejection } from "../../kernel/rejection.ts";
import type { Duration } from "../../languages/duration.ts";
import { setOwn } from "../../languages/objects.ts";
import { shown } from "../../languages/shown.ts";
import { renamed, renamedValue } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords } from "../../languages/vocabulary/words.ts";
import { type FailNextCallOptions, objectFilter, type orchestratorControls } from "./control.ts";
import type { PolicyRule } from "./rules.ts";
import {
  namespacePrefix,
  type ObjectKind,
  type OrchestratorObject,
  type OrchestratorWorld,
  type RoleRef,
  type Subject,
} from "./state.ts";
import { type PublicJwk, publishedKeys, reviewToken, type TokenReview } from "./tokens.ts";

/** An object as the orchestrator shows it to test authors. */
export interface ShownObject {
  readonly kind: ObjectKind;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  /** The uid of the object that this one goes with. */
  readonly owner?: string;
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: RoleRef;
  readonly subjects?: readonly Subject[];
}

/**
 * The container orchestrator that engines act on. There is one per simulator, outside every cluster, and every URL reaches it
 * until it is switched off. At the start it has a namespace `default` with a service account `default`.
 */
export interface OrchestratorHandle {
  /**
   * Adds a namespace with a service account `default`.
   *
   * @throws TypeError for a name or a label that is none; Rejection `orchestrator_object_exists`
   * @example
   * sim.orchestrator.addNamespace("shop", { labels: { team: "sales" } });
   */
  addNamespace(name: string, options?: { readonly labels?: { readonly [name: string]: string } }): void;
  /** Gives a namespace other labels. @throws Rejection `orchestrator_namespace_not_found` */
  setNamespaceLabels(name: string, labels: { readonly [name: string]: string }): void;
  /** Removes a namespace with all that is in it; one that is not there is removed already. */
  removeNamespace(name: string): void;
  /** @throws Rejection `orchestrator_namespace_not_found`, `orchestrator_object_exists` */
  addServiceAccount(namespace: string, name: string): void;
  /** @throws Rejection `orchestrator_namespace_not_found`, `orchestrator_object_exists` */
  addRole(namespace: string, name: string, rules: readonly PolicyRule[]): void;
  /** @throws Rejection `orchestrator_object_exists` */
  addClusterRole(name: string, rules: readonly PolicyRule[]): void;
  /**
   * The objects that there are, namespaces too, by namespace, kind and name; those of one kind or one namespace if one likes.
   *
   * @throws TypeError for a kind that there is not, and for anything else in the filter
   */
  objects(filter?: { readonly kind?: ObjectKind; readonly namespace?: string }): ShownObject[];
  /**
   * Whether a token of a service account is valid at the present instant: signed by this orchestrator, not expired, and its account
   * is there.
   */
  reviewToken(jwt: string): Promise<TokenReview>;
  /** The keys that verify its tokens, as a JWKS. */
  publicKeys(): { keys: PublicJwk[] };
  /** Switches it off or on. */
  setAvailable(available: boolean): void;
  /** Lets the next calls fail, all or those of a verb and a kind; a token is created as a `TokenRequest`. */
  failNext(options: FailNextCallOptions): void;
  /** Refuses every call that does not come with this token as `Unauthorized`; without one, any will do again. */
  requireToken(jwt?: string): void;
  /** The longest life that a token is granted; without one, there is no limit. */
  setMaxTokenTtl(ttl?: Duration): void;
  /** The shortest life that a token is granted, for whoever asks for less; below ten minutes, what may be asked for at least. */
  setMinTokenTtl(ttl?: Duration): void;
}

/** Makes the handle of a world's orchestrator; `via` is the door whose calls it makes. */
export function orchestratorHandle(host: Host<OrchestratorWorld>, via: Via): OrchestratorHandle {
  const control = (call: string, input: unknown): void => {
    const name: keyof typeof orchestratorControls = `control.orchestrator.${call}` as never;
    const command = { name, input: copyPlain(input, `orchestrator.${call}`), caller: null, via };
    host.execute(command, (outcome) => {
      if (outcome.kind === "accepted") return;
      const { code, data } = outcome.refusal;
      const message = `orchestrator.${call} was refused with ${code}: ${JSON.stringify(data)}`;
      throw new Rejection({ code, status: code === "orchestrator_object_exists" ? 409 : 404, data, message });
    });
  };
  return Object.freeze({
    addNamespace: (name, options = {}) =>
      control("addNamespace", { ...optionsAt("orchestrator.addNamespace", options, ["labels"]), name }),
    setNamespaceLabels: (name, labels) => control("setNamespaceLabels", { name, labels }),
    removeNamespace: (name) => control("removeNamespace", { name }),
    addServiceAccount: (namespace, name) => control("addServiceAccount", { namespace, name }),
    addRole: (namespace, name, rules) => control("addRole", { namespace, name, rules }),
    addClusterRole: (name, rules) => control("addClusterRole", { name, rules }),
    objects: (filter = {}) => {
      const { kind, namespace } = readArgument(objectFilter, "orchestrator.objects", filter);
      const range = namespace === undefined ? {} : { prefix: namespacePrefix(namespace) };
      const found = [...host.state.orchestrator.objects.values(range)];
      const words = wordsOf(host.state)?.secrets;
      return (kind === undefined ? found : found.filter((object) => object.kind === kind)).map((object) =>
        shownObject(object, words),
      );
    },
    reviewToken: (jwt) => {
      if (typeof jwt !== "string") throw new TypeError(`orchestrator.reviewToken: ${shown(jwt)} is no token`);
      const review = reviewToken(host.state.orchestrator, host.nowMs, jwt, wordsOf(host.state)?.secrets);
      return host.hold("orchestrator.reviewToken", review);
    },
    publicKeys: () => publishedKeys(host.state.orchestrator),
    setAvailable: (available) => control("setAvailable", { available }),
    failNext: (options) => control("failNext", options),
    requireToken: (token) => control("requireToken", { token }),
    setMaxTokenTtl: (ttl) => control("setMaxTokenTtl", { ttl }),
    setMinTokenTtl: (ttl) => control("setMinTokenTtl", { ttl }),
  } satisfies OrchestratorHandle);
}

/** An object with its labels in the words of who made it: those of namespaces are the test author's own. */
function shownObject(object: OrchestratorObject, words: ServiceWords | undefined): ShownObject {
  if (words === undefined || object.kind === "Namespace") return { ...object };
  const labels: Record<string, string> = {};
  for (const [name, worth] of Object.entries(object.labels)) {
    setOwn(labels, renamed(words.fields, name, "own"), renamedValue(words, name, worth, "own"));
  }
  return { ...object, labels };
}
