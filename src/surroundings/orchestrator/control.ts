import * as v from "valibot";
import { duration, optionsSchema, readArgument, textsOf } from "../../kernel/arguments.ts";
import { type Refusals, refusalsOf } from "../../kernel/outcome.ts";

import type { OrchestratorDecision } from "./calls.ts";
import { isLabelName, isLabelValue, isNamespaceName, isServiceAccountName } from "./names.ts";
import { type PolicyRule, readRules } from "./rules.ts";
import { type Labels, type ObjectName, type ObjectUid, type OrchestratorObject, objectNamed } from "./state.ts";

// The calls of `sim.orchestrator` that change it (control-surface.md, "Surroundings").

/** Why the orchestrator as it is forbids a call. */
export interface OrchestratorRefusals {
  orchestrator_namespace_not_found: { readonly namespace: string };
  orchestrator_object_exists: { readonly kind: string; readonly name: string };
}

const { refuse }: Refusals<OrchestratorRefusals> = refusalsOf<OrchestratorRefusals>();

const namespaceName = v.pipe(
  v.string("a namespace's name is a text"),
  v.check(isNamespaceName, "a namespace's name is a DNS label: lower-case letters, digits and -, at most 63"),
);
const accountName = v.pipe(
  v.string("a service account's name is a text"),
  v.check(
    isServiceAccountName,
    "a service account's name is lower-case letters, digits, - and ., with a letter or a digit at both ends",
  ),
);
const roleName = v.pipe(v.string("a role's name is a text"), v.nonEmpty("a role's name is not empty"));

const labels = textsOf(
  "labels are an object of texts",
  v.pipe(v.string(), v.check(isLabelName, "no name of a label")),
  v.pipe(v.string("a label's value is a text"), v.check(isLabelValue, "no value of a label")),
);

const rules = v.pipe(
  v.unknown(),
  v.rawTransform<unknown, readonly PolicyRule[]>(({ dataset, addIssue, NEVER }) => {
    const read = readRules(dataset.value);
    if (typeof read !== "string") return read;
    addIssue({ message: read });
    return NEVER;
  }),
);

const tokenTtl = v.pipe(
  duration,
  v.transform((ms) => Math.floor(ms / 1000)),
  v.minValue(1, "a token lives a second or longer"),
);

const OBJECT_KINDS = [
  "Namespace",
  "ServiceAccount",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
] as const;
const CALL_KINDS = [...OBJECT_KINDS, "TokenRequest", "TokenReview"] as const;

const newNamespace = optionsSchema({ name: namespaceName, labels: v.optional(labels, {}) });
const labelledNamespace = v.strictObject({ name: namespaceName, labels });
const namedNamespace = v.strictObject({ name: namespaceName });
const newAccount = v.strictObject({ namespace: namespaceName, name: accountName });
const newRole = v.strictObject({ namespace: namespaceName, name: roleName, rules });
const newClusterRole = v.strictObject({ name: roleName, rules });
const availability = v.strictObject({ available: v.boolean("it is available or not: true or false") });
const failure = optionsSchema({
  count: v.pipe(v.number("count is a number"), v.integer("count is whole"), v.minValue(1, "count is 1 or more")),
  verb: v.optional(v.picklist(["get", "create", "delete"], "verb is get, create or delete")),
  kind: v.optional(v.picklist(CALL_KINDS, `kind is one of ${CALL_KINDS.join(", ")}`)),
});
const required = v.strictObject({
  token: v.optional(v.pipe(v.string("a token is a text"), v.nonEmpty("a token is not empty"))),
});
const limited = v.strictObject({ ttl: v.optional(tokenTtl) });

/** Which objects `sim.orchestrator.objects` shows: a name of a filter that is none would show all of them. */
export const objectFilter = optionsSchema({
  kind: v.optional(v.picklist(OBJECT_KINDS, `kind is one of ${OBJECT_KINDS.join(", ")}`)),
  namespace: v.optional(v.string("a namespace's name is a text")),
});

/** The options of `sim.orchestrator.failNext`. */
export type FailNextCallOptions = v.InferInput<typeof failure>;

type ControlDecider = (decision: OrchestratorDecision, input: unknown) => void;

/** The control calls of the orchestrator, by the names of their commands. */
export const orchestratorControls = {
  "control.orchestrator.addNamespace": (decision, input) => {
    const { name, labels: given } = readArgument(newNamespace, "orchestrator.addNamespace", input);
    add(decision, { kind: "Namespace", name }, { labels: given });
    add(decision, { kind: "ServiceAccount", namespace: name, name: "default" }, {});
  },
  "control.orchestrator.setNamespaceLabels": (decision, input) => {
    const given = readArgument(labelledNamespace, "orchestrator.setNamespaceLabels", input);
    refuseMissing(decision, given.name);
    const data = { namespace: given.name, labels: given.labels };
    decision.record({ type: "OrchestratorNamespaceLabelled", data });
  },
  "control.orchestrator.removeNamespace": (decision, input) => {
    const { name } = readArgument(namedNamespace, "orchestrator.removeNamespace", input);
    if (objectNamed(decision.state.orchestrator, { kind: "Namespace", name }) === undefined) return;
    decision.record({ type: "OrchestratorNamespaceRemoved", data: { namespace: name } });
  },
  "control.orchestrator.addServiceAccount": (decision, input) => {
    const { namespace, name } = readArgument(newAccount, "orchestrator.addServiceAccount", input);
    refuseMissing(decision, namespace);
    add(decision, { kind: "ServiceAccount", namespace, name }, {});
  },
  "control.orchestrator.addRole": (decision, input) => {
    const { namespace, name, rules: given } = readArgument(newRole, "orchestrator.addRole", input);
    refuseMissing(decision, namespace);
    add(decision, { kind: "Role", namespace, name }, { rules: given });
  },
  "control.orchestrator.addClusterRole": (decision, input) => {
    const { name, rules: given } = readArgument(newClusterRole, "orchestrator.addClusterRole", input);
    add(decision, { kind: "ClusterRole", name }, { rules: given });
  },
  "control.orchestrator.setAvailable": (decision, input) => {
    const data = readArgument(availability, "orchestrator.setAvailable", input);
    if (decision.state.orchestrator.available === data.available) return;
    decision.record({ type: "OrchestratorAvailabilityChanged", data });
  },
  "control.orchestrator.failNext": (decision, input) => {
    const { count, verb, kind } = readArgument(failure, "orchestrator.failNext", input);
    decision.record({
      type: "OrchestratorFailureInjected",
      data: { count, ...(verb === undefined ? {} : { verb }), ...(kind === undefined ? {} : { kind }) },
    });
  },
  "control.orchestrator.requireToken": (decision, input) => {
    const { token } = readArgument(required, "orchestrator.requireToken", input);
    if (decision.state.orchestrator.requiredToken === token) return;
    decision.record({ type: "OrchestratorTokenRequired", data: token === undefined ? {} : { token } });
  },
  "control.orchestrator.setMaxTokenTtl": (decision, input) => {
    const { ttl = 0 } = readArgument(limited, "orchestrator.setMaxTokenTtl", input);
    if (decision.state.orchestrator.maxTokenTtlSeconds === ttl) return;
    decision.record({ type: "OrchestratorTokenTtlLimited", data: { maxSeconds: ttl } });
  },
  "control.orchestrator.setMinTokenTtl": (decision, input) => {
    const { ttl = 0 } = readArgument(limited, "orchestrator.setMinTokenTtl", input);
    if (decision.state.orchestrator.minTokenTtlSeconds === ttl) return;
    decision.record({ type: "OrchestratorTokenTtlLimited", data: { minSeconds: ttl } });
  },
} satisfies Readonly<Record<string, ControlDecider>>;

function add(
  decision: OrchestratorDecision,
  object: ObjectName,
  more: { readonly labels?: Labels; readonly rules?: OrchestratorObject["rules"] & object },
): void {
  const { kind, name } = object;
  if (objectNamed(decision.state.orchestrator, object) !== undefined) {
    refuse("orchestrator_object_exists", { kind, name });
  }
  const uid = decision.draw.uuid() as ObjectUid;
  const added = { ...object, uid, labels: {}, annotations: {}, ...more };
  decision.record({ type: "OrchestratorObjectCreated", data: { object: added } });
}

function refuseMissing(decision: OrchestratorDecision, namespace: string): void {
  if (objectNamed(decision.state.orchestrator, { kind: "Namespace", name: namespace }) !== undefined) return;
  refuse("orchestrator_namespace_not_found", { namespace });
}
