// Follows a value from where it is named to everything it reaches in the same file: members, aliases, destructuring.

/** Stands in a path for a member whose name is computed, as in `Math[key]`. */
export const COMPUTED = Symbol("computed");

/** What a visitor returns when nothing beyond this point matters. */
export const STOP = Symbol("stop");

const TYPE_WRAPPERS = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "ChainExpression",
  "ParenthesizedExpression",
]);

/** The expression without type assertions, parentheses and the like around it. */
export function unwrapped(node) {
  let inner = node;
  while (inner && TYPE_WRAPPERS.has(inner.type)) inner = inner.expression;
  return inner;
}

/** The widest expression that still has this node's value: `x` in `(x as T)!`, `(0, x)`, `y ?? x`, `c ? x : y`. */
export function widest(node) {
  let outer = node;
  while (passesOn(outer.parent, outer)) outer = outer.parent;
  return outer;
}

function passesOn(parent, child) {
  if (!parent) return false;
  if (TYPE_WRAPPERS.has(parent.type)) return parent.expression === child;
  if (parent.type === "LogicalExpression") return true;
  if (parent.type === "ConditionalExpression") return parent.test !== child;
  return parent.type === "SequenceExpression" && parent.expressions.at(-1) === child;
}

/** The name of a member or property where the text shows it, else `COMPUTED`. */
export function nameOf(node) {
  const key = node.type === "MemberExpression" ? node.property : node.key;
  if (!node.computed) return key.type === "PrivateIdentifier" ? `#${key.name}` : String(key.name ?? key.value);
  const literal = unwrapped(key);
  if (literal.type === "Literal") return String(literal.value);
  if (literal.type === "TemplateLiteral" && literal.expressions.length === 0) return literal.quasis[0].value.cooked;
  return COMPUTED;
}

/** Every reference and every variable of a file, by the identifier that names it. */
export function namesOf(sourceCode) {
  const references = new Map();
  const variables = new Map();
  for (const scope of sourceCode.scopeManager.scopes) {
    for (const reference of scope.references) references.set(reference.identifier, reference);
    for (const variable of scope.variables) {
      for (const identifier of variable.identifiers) variables.set(identifier, variable);
    }
  }
  return { references, variables, scopes: sourceCode.scopeManager.scopes };
}

/** References to what the platform provides and this file does not declare, types left out. */
export function* globalReferences(names) {
  for (const reference of names.references.values()) {
    const variable = reference.resolved;
    const global = !variable || (variable.scope.type === "global" && variable.defs.length === 0);
    if (global && isValue(reference)) yield reference;
  }
}

/** False for a name in a type, `typeof name` in a type included. */
export function isValue(reference) {
  if (reference.isTypeReference && !reference.isValueReference) return false;
  let node = reference.identifier;
  while (node.parent?.type === "TSQualifiedName") node = node.parent;
  return node.parent?.type !== "TSTypeQuery" && node.parent?.type !== "TSImportType";
}

/**
 * Calls `visit({ node, outer, parent, path })` for the value at `start` and for every value reached from it through
 * members and bindings. `outer` is the widest expression with that value, `parent` the node that uses it, `path` the
 * member names from the start (a rest binding counts as `COMPUTED`).
 */
export function follow(names, start, visit) {
  const seen = new Set();
  expression(start, []);

  function expression(node, path) {
    if (seen.has(node)) return;
    seen.add(node);
    const outer = widest(node);
    const parent = outer.parent;
    if (visit({ node, outer, parent, path }) === STOP) return;
    if (parent.type === "MemberExpression" && parent.object === outer) expression(parent, [...path, nameOf(parent)]);
    else if (parent.type === "VariableDeclarator" && parent.init === outer) binding(parent.id, path);
    else if (parent.type === "AssignmentExpression" && parent.right === outer) binding(parent.left, path);
    else if (parent.type === "AssignmentPattern" && parent.right === outer) binding(parent.left, path);
  }

  function binding(pattern, path) {
    if (pattern.type === "Identifier") alias(pattern, path);
    else if (pattern.type === "AssignmentPattern") binding(pattern.left, path);
    else if (pattern.type === "ObjectPattern") {
      for (const part of pattern.properties) {
        const rest = part.type === "RestElement";
        const reached = [...path, rest ? COMPUTED : nameOf(part)];
        if (visit({ node: part, outer: part, parent: pattern, path: reached }) === STOP) continue;
        binding(rest ? part.argument : part.value, rest ? path : reached);
      }
    }
  }

  function alias(identifier, path) {
    const variable = names.variables.get(identifier) ?? names.references.get(identifier)?.resolved;
    for (const reference of variable?.references ?? []) {
      if (reference.isRead() && isValue(reference)) expression(reference.identifier, path);
    }
  }
}

/** Whether this expression is where a value is written to: `x` in `x = 1`, `x++`, `delete x`, `[x] = list`. */
export function isWritten(outer, parent) {
  switch (parent.type) {
    case "AssignmentExpression":
    case "AssignmentPattern":
    case "ForInStatement":
    case "ForOfStatement":
      return parent.left === outer;
    case "UpdateExpression":
    case "ArrayPattern":
    case "RestElement":
      return true;
    case "UnaryExpression":
      return parent.operator === "delete";
    case "Property":
      return parent.value === outer && parent.parent.type === "ObjectPattern";
    default:
      return false;
  }
}

const WRITING_CALLS = new Set([
  "Object.assign",
  "Object.defineProperty",
  "Object.defineProperties",
  "Object.setPrototypeOf",
  "Reflect.set",
  "Reflect.defineProperty",
  "Reflect.deleteProperty",
  "Reflect.setPrototypeOf",
]);

/** Whether this expression is handed to a call that writes to its first argument, such as `Object.assign(x, more)`. */
export function isWrittenByCall(outer, parent) {
  return parent.type === "CallExpression" && parent.arguments[0] === outer && WRITING_CALLS.has(dotted(parent.callee));
}

/** `Object.assign` for the expression of that shape; undefined for anything but plain dotted names. */
export function dotted(expression) {
  const node = unwrapped(expression);
  if (node?.type === "Identifier") return node.name;
  if (node?.type !== "MemberExpression") return undefined;
  const object = dotted(node.object);
  const name = nameOf(node);
  return object === undefined || name === COMPUTED ? undefined : `${object}.${name}`;
}
