import type { Brand } from "../../kernel/brand.ts";
import type { Flat } from "../../kernel/draft.ts";
import type { FlatEvolvers } from "../../kernel/evolvers.ts";
import { Draw } from "../../kernel/randomness.ts";
import { Table } from "../../kernel/table.ts";
import type { PolicyRule } from "./rules.ts";

/** Whoever has an orchestrator. */
export interface OrchestratorWorld {
  readonly orchestrator: Orchestrator;
}

/**
 * The container orchestrator that engines act on: one per simulator, outside every cluster.
 *
 * Source: decisions-orchestrator.md, 6 "The simulated cluster".
 */
export interface Orchestrator {
  /** All objects, namespaces too, by `objectKey`. */
  readonly objects: Table<OrchestratorObject>;
  /** What goes with another object, as `uid/` of the owner and the object's own key, which is the value as well. */
  readonly byOwner: Table<string>;
  /** Which of the embedded keys signs its tokens: the seed decides. */
  readonly signingKey: number;
  readonly available: boolean;
  readonly failures: readonly InjectedCallFailure[];
  /** The token that every call has to come with; absent = any, and none, will do. */
  readonly requiredToken?: string;
  /** 0 = none is set. */
  readonly maxTokenTtlSeconds: number;
  readonly minTokenTtlSeconds: number;
}

/** What an object is. Those of a namespace have its name; the others are there for the whole orchestrator. */
export type ObjectKind = "Namespace" | "ServiceAccount" | "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding";

/** An object's id among all that ever were. */
export type ObjectUid = Brand<string, "ObjectUid">;

export type Labels = { readonly [name: string]: string };

/** Which object is meant. */
export interface ObjectName {
  readonly kind: ObjectKind;
  /** Absent for one that lies in no namespace. */
  readonly namespace?: string;
  readonly name: string;
}

/** What a role is of. */
export interface RoleRef {
  readonly kind: "Role" | "ClusterRole";
  readonly name: string;
}

/** Who is bound to a role. */
export interface Subject {
  readonly kind: "ServiceAccount";
  readonly namespace: string;
  readonly name: string;
}

export interface OrchestratorObject extends ObjectName {
  readonly uid: ObjectUid;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** It goes when this one goes. */
  readonly owner?: ObjectUid;
  /** Of roles. */
  readonly rules?: readonly PolicyRule[];
  /** Of bindings. */
  readonly roleRef?: RoleRef;
  readonly subjects?: readonly Subject[];
}

/** What a call does. */
export type CallVerb = "get" | "create" | "delete";

/** What a call is about; a token is asked for as an object of its own kind. */
export type CallKind = ObjectKind | "TokenRequest" | "TokenReview";

/** The next calls that fail. */
export interface InjectedCallFailure {
  readonly count: number;
  /** Absent = any. */
  readonly verb?: CallVerb;
  readonly kind?: CallKind;
}

/** What a token says; its bytes are made of this when an answer shows it. */
export interface ServiceAccountToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: ObjectUid;
  readonly audiences: readonly string[];
  /** Unix seconds. */
  readonly issuedAtSeconds: number;
  readonly expiresAtSeconds: number;
  /** Which of the embedded keys signs it. */
  readonly signingKey: number;
}

/** The facts of the orchestrator. */
export interface OrchestratorEvents {
  OrchestratorObjectCreated: { readonly object: OrchestratorObject };
  /** It is gone, and what it owned with it. */
  OrchestratorObjectDeleted: { readonly object: ObjectName };
  /** A namespace is gone, and all that was in it. */
  OrchestratorNamespaceRemoved: { readonly namespace: string };
  OrchestratorNamespaceLabelled: { readonly namespace: string; readonly labels: Labels };
  /** What it says stands in the log; the orchestrator keeps nothing of it, as a token proves itself. */
  ServiceAccountTokenIssued: { readonly token: ServiceAccountToken };
  OrchestratorAvailabilityChanged: { readonly available: boolean };
  OrchestratorFailureInjected: InjectedCallFailure;
  /** An injected failure has struck; `index` is its place among those that wait. */
  OrchestratorFailureUsed: { readonly index: number };
  /** Without a token any will do again. */
  OrchestratorTokenRequired: { readonly token?: string };
  /** Absent members stay; 0 takes a limit away. */
  OrchestratorTokenTtlLimited: { readonly maxSeconds?: number; readonly minSeconds?: number };
}

/** An orchestrator as it is at the start: a namespace `default` with a service account `default`. */
export function newOrchestrator(seed: string, signingKeys: number): Orchestrator {
  const draw = new Draw(`${seed}:birth of the orchestrator`);
  const signingKey = draw.below(signingKeys);
  const uid = (): ObjectUid => draw.uuid() as ObjectUid;
  const plain = { labels: {}, annotations: {} };
  const objects: OrchestratorObject[] = [
    { kind: "Namespace", name: "default", uid: uid(), ...plain },
    { kind: "ServiceAccount", namespace: "default", name: "default", uid: uid(), ...plain },
  ];
  return {
    objects: Table.from(objects.map((object) => [objectKey(object), object])),
    byOwner: Table.of<string>(),
    signingKey,
    available: true,
    failures: [],
    maxTokenTtlSeconds: 0,
    minTokenTtlSeconds: 0,
  };
}

export const orchestratorEvolvers: FlatEvolvers<Orchestrator, OrchestratorEvents> = {
  OrchestratorObjectCreated: (orchestrator, { object }) => {
    const key = objectKey(object);
    orchestrator.objects = orchestrator.objects.set(key, object);
    if (object.owner !== undefined) {
      orchestrator.byOwner = orchestrator.byOwner.set(ownedPrefix(object.owner) + key, key);
    }
  },
  OrchestratorObjectDeleted: (orchestrator, { object }) => remove(orchestrator, objectKey(object)),
  OrchestratorNamespaceRemoved: (orchestrator, { namespace }) => {
    for (const key of [...orchestrator.objects.keys({ prefix: namespacePrefix(namespace) })]) remove(orchestrator, key);
    remove(orchestrator, objectKey({ kind: "Namespace", name: namespace }));
  },
  OrchestratorNamespaceLabelled: (orchestrator, { namespace, labels }) => {
    const key = objectKey({ kind: "Namespace", name: namespace });
    const before = orchestrator.objects.get(key);
    if (before !== undefined) orchestrator.objects = orchestrator.objects.set(key, { ...before, labels });
  },
  ServiceAccountTokenIssued: () => {},
  OrchestratorAvailabilityChanged: (orchestrator, { available }) => {
    orchestrator.available = available;
  },
  OrchestratorFailureInjected: (orchestrator, failure) => {
    orchestrator.failures = [...orchestrator.failures, failure];
  },
  OrchestratorFailureUsed: (orchestrator, { index }) => {
    const used = orchestrator.failures[index];
    if (used === undefined) return;
    const left = used.count > 1 ? [{ ...used, count: used.count - 1 }] : [];
    const { failures } = orchestrator;
    orchestrator.failures = [...failures.slice(0, index), ...left, ...failures.slice(index + 1)];
  },
  OrchestratorTokenRequired: (orchestrator: { requiredToken?: string }, { token }) => {
    if (token === undefined) delete orchestrator.requiredToken;
    else orchestrator.requiredToken = token;
  },
  OrchestratorTokenTtlLimited: (orchestrator, { maxSeconds, minSeconds }) => {
    orchestrator.maxTokenTtlSeconds = maxSeconds ?? orchestrator.maxTokenTtlSeconds;
    orchestrator.minTokenTtlSeconds = minSeconds ?? orchestrator.minTokenTtlSeconds;
  },
};

/** Removes an object and, after it, what it owned. */
function remove(orchestrator: Flat<Orchestrator>, key: string): void {
  const object = orchestrator.objects.get(key);
  if (object === undefined) return;
  orchestrator.objects = orchestrator.objects.delete(key);
  if (object.owner !== undefined) {
    orchestrator.byOwner = orchestrator.byOwner.delete(ownedPrefix(object.owner) + key);
  }
  for (const owned of [...orchestrator.byOwner.values({ prefix: ownedPrefix(object.uid) })]) {
    remove(orchestrator, owned);
  }
}

// --- keys -----------------------------------------------------------------------------------------------------------

/** Where an object stands: those of one namespace are one stretch of keys. No name holds a space. */
export function objectKey({ kind, namespace = "", name }: ObjectName): string {
  return `${namespacePrefix(namespace)}${kind} ${name}`;
}

/** The start of the keys of a namespace's objects; the empty one of those that lie in none. */
export function namespacePrefix(namespace: string): string {
  return `${namespace} `;
}

function ownedPrefix(owner: ObjectUid): string {
  return `${owner}/`;
}

/** The object of a kind and a name; undefined when there is none. */
export function objectNamed({ objects }: Orchestrator, name: ObjectName): OrchestratorObject | undefined {
  return objects.get(objectKey(name));
}
