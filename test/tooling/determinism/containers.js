// What a module-level constant holds, read off its initialiser and its type.

import { COMPUTED, dotted, nameOf, unwrapped } from "./values.js";

const LIST_CALLS = ["push", "pop", "shift", "unshift", "splice", "copyWithin"];

/** Methods that change their object in place. */
const MUTATORS = {
  Array: new Set([...LIST_CALLS, "sort", "reverse", "fill"]),
  Map: new Set(["set", "delete", "clear"]),
  Set: new Set(["add", "delete", "clear"]),
  Bytes: new Set(["set", "fill", "sort", "reverse", "copyWithin"]),
  View: new Set(["8", "16", "32"].flatMap((bits) => [`setInt${bits}`, `setUint${bits}`])),
  Pairs: new Set(["set", "append", "delete", "sort"]),
  Stepping: new Set(["exec", "test"]),
  Object: new Set(),
  Weak: new Set(),
};

/** For what a call returned: `set` may well be a persistent table's, but nothing persistent has a `push` or a `next`. */
const UNKNOWN = { mutators: new Set([...LIST_CALLS, "next"]) };

/** Classes of the platform whose instances change in place. */
const KIND_OF_CLASS = {
  Array: "Array",
  Map: "Map",
  Set: "Set",
  WeakMap: "Weak",
  WeakSet: "Weak",
  Object: "Object",
  DataView: "View",
  Headers: "Pairs",
  URLSearchParams: "Pairs",
  FormData: "Pairs",
};

/** `{ kind, empty, frozen }` of the container that this expression makes, or undefined when it makes none. */
export function birthOf(expression) {
  const frozen = isConstAsserted(expression) || isFrozen(expression);
  const node = withoutFreeze(expression);
  const kind = kindOf(node);
  if (!kind || kind === "Weak" || kind === "Stepping" || kind === "Bytes" || kind === "View") return undefined;
  const literal = node.type === "ArrayExpression" || node.type === "ObjectExpression";
  return { kind, empty: isEmpty(node), frozen: literal ? frozen : isConstAsserted(expression) };
}

/** The mutating methods of the value at `path` inside what the initialiser makes. */
export function kindAt(init, path) {
  let node = init ? withoutFreeze(init) : null;
  for (const name of path) {
    if (node?.type !== "ObjectExpression" || name === COMPUTED) return UNKNOWN;
    const part = node.properties.find((property) => property.type === "Property" && nameOf(property) === name);
    if (!part) return UNKNOWN;
    node = withoutFreeze(part.value);
  }
  const kind = node ? kindOf(node) : undefined;
  return kind ? { mutators: MUTATORS[kind] } : UNKNOWN;
}

function kindOf(node) {
  if (node.type === "ArrayExpression") return "Array";
  if (node.type === "ObjectExpression") return "Object";
  if (node.type === "Literal" && node.regex) return /[gy]/.test(node.regex.flags) ? "Stepping" : undefined;
  const made = node.type === "NewExpression" || node.type === "CallExpression" ? dotted(node.callee) : undefined;
  if (made === undefined) return undefined;
  if (node.type === "NewExpression") return kindOfClass(made, node.arguments);
  if (made === "Array" || made === "Array.from" || made === "Array.of") return "Array";
  return made === "Object.create" || made === "Object.fromEntries" ? "Object" : undefined;
}

function kindOfClass(name, args) {
  const plain = name.replace(/^globalThis\./, "");
  if (plain === "RegExp") return /[gy]/.test(String(args[1]?.value ?? "")) ? "Stepping" : undefined;
  if (/^(Uint|Int|Float|BigUint|BigInt)\d+(Clamped)?Array$/.test(plain)) return "Bytes";
  return Object.hasOwn(KIND_OF_CLASS, plain) ? KIND_OF_CLASS[plain] : undefined;
}

function isEmpty(node) {
  if (node.type === "ArrayExpression") return node.elements.length === 0;
  if (node.type === "ObjectExpression") return node.properties.length === 0;
  if (dotted(node.callee) === "Object.create") return node.arguments.length < 2;
  return node.arguments.length === 0;
}

/** `x as const`, `x as ReadonlyMap<...>`, `x satisfies T`: the author has said what it is. */
function isConstAsserted(expression) {
  for (let node = expression; node && node !== unwrapped(node); node = node.expression) {
    if (node.type === "TSSatisfiesExpression") return true;
    if (node.type !== "TSAsExpression") continue;
    if (dottedType(node.typeAnnotation) === "const" || isReadonlyType(node.typeAnnotation, "Object")) return true;
  }
  return false;
}

function isFrozen(expression) {
  const node = unwrapped(expression);
  return node?.type === "CallExpression" && dotted(node.callee) === "Object.freeze";
}

function withoutFreeze(expression) {
  const node = unwrapped(expression);
  return isFrozen(node) && node.arguments[0] ? withoutFreeze(node.arguments[0]) : node;
}

/**
 * Whether a declared type forbids changes. A name of ours, such as `Evolvers<State, Events>`, is believed for objects
 * and lists, whose mutation in the same file is looked for in any case; for a Map or Set it is not.
 */
export function isReadonlyType(type, kind) {
  if (!type) return false;
  if (type.type === "TSTypeOperator") return type.operator === "readonly";
  if (type.type !== "TSTypeReference") return false;
  const name = dottedType(type);
  if (/^(Readonly(Map|Set|Array)?|Iterable)$/.test(name)) return true;
  return kind !== "Map" && kind !== "Set" && !/^(Array|Record|Partial|Map|Set)$/.test(name);
}

function dottedType(type) {
  if (type?.type !== "TSTypeReference") return "";
  const { typeName } = type;
  return typeName.type === "Identifier" ? typeName.name : typeName.right.name;
}
