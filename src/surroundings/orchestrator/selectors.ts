import { isObject, isTexts, own } from "../../languages/objects.ts";
import { isLabelName, isLabelValue } from "./names.ts";
import type { Labels } from "./state.ts";

/** Which namespaces are meant, by their labels: all that fulfil every requirement. */
export interface LabelSelector {
  readonly requirements: readonly Requirement[];
}

/** An operator that is none is noticed when the selector is asked, not before. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/**
 * Reads a label selector: `matchLabels` and `matchExpressions`, and nothing else. Whether its operators are ones is not asked.
 *
 * Source: decisions-orchestrator.md, 3 "Selector".
 *
 * @returns what is wrong with it, in words, when it is none
 */
export function readSelector(given: unknown): LabelSelector | string {
  if (!isObject(given)) return "a selector is an object";
  const labels = own(given, "matchLabels") ?? {};
  if (!isObject(labels)) return "matchLabels are an object of texts";
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (typeof value !== "string") return `matchLabels.${key} is no text`;
    requirements.push({ key, operator: "In", values: [value] });
  }
  const expressions = own(given, "matchExpressions") ?? [];
  if (!Array.isArray(expressions)) return "matchExpressions are an array";
  for (const expression of expressions as readonly unknown[]) {
    const requirement = readExpression(expression);
    if (typeof requirement === "string") return requirement;
    requirements.push(requirement);
  }
  return { requirements };
}

function readExpression(given: unknown): Requirement | string {
  if (!isObject(given)) return "an expression is an object";
  const key = own(given, "key") ?? "";
  const operator = own(given, "operator") ?? "";
  const values = own(given, "values") ?? [];
  if (typeof key !== "string" || typeof operator !== "string") return "key and operator of an expression are texts";
  if (!isTexts(values)) return "values of an expression are an array of texts";
  return { key, operator, values: [...values] };
}

/** What keeps a selector from being asked, in words: an operator that is none, or values where there must be some or none. */
export function selectorFault({ requirements }: LabelSelector): string | undefined {
  for (const { key, operator, values } of requirements) {
    switch (operator) {
      case "In":
      case "NotIn":
        if (values.length === 0) return `for '${operator}' operator, values set can't be empty`;
        break;
      case "Exists":
      case "DoesNotExist":
        if (values.length > 0) return "values set must be empty for exists and does not exist";
        break;
      default:
        return `"${operator}" is not a valid label selector operator`;
    }
    if (!isLabelName(key)) return `"${key}" is no name of a label`;
    const wrong = values.find((value) => !isLabelValue(value));
    if (wrong !== undefined) return `"${wrong}" is no value of a label`;
  }
  return undefined;
}

/** Whether labels fulfil a selector that has no fault. One that asks for nothing is fulfilled by all. */
export function selects({ requirements }: LabelSelector, labels: Labels): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      default:
        return value === undefined;
    }
  });
}
