// No built-in module of Node in the core, and none of the packages' own clocks and random sources.

import { builtinModules } from "node:module";

const BUILTIN = new Set(builtinModules.filter((name) => !name.startsWith("_")));

/** Names of packages that are random or read the clock by themselves. */
const OUTSIDE_NAMES = [
  { from: /^nanoid$/, names: /^(?!customRandom$|urlAlphabet$)/, why: "draws from crypto; use customRandom" },
  { from: /^nanoid\/non-secure$/, names: /^/, why: "draws from Math.random; use customRandom of nanoid" },
  {
    from: /^date-fns\/(constructNow|(startOf|endOf|is)(Today|Tomorrow|Yesterday)|isThis\w+|isFuture|isPast|formatDistanceToNow(Strict)?)$/,
    names: /^/,
    why: "reads the real clock; compare with the virtual instant",
  },
];

export const noOutsideImports = {
  create(context) {
    const judge = (node, source, named) => {
      const message = complaint(source, named);
      if (message) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => {
        const named = node.specifiers.filter((part) => part.importKind !== "type").map(importedName);
        judge(node, node.source.value, node.importKind === "type" ? [] : named);
      },
      ExportNamedDeclaration: (node) => {
        if (node.source)
          judge(
            node,
            node.source.value,
            node.specifiers.map((part) => nameIn(part.local)),
          );
      },
      ExportAllDeclaration: (node) => judge(node, node.source.value, ["*"]),
      ImportExpression: (node) => judge(node, literalText(node.source), ["*"]),
      TSImportType: (node) => judge(node, literalText(node.source ?? node.argument), []),
      TSImportEqualsDeclaration: (node) => judge(node, literalText(node.moduleReference.expression), ["*"]),
    };
  },
};

function complaint(source, named) {
  if (source === undefined) return "An import of a computed name cannot be judged; write the name.";
  if (source.startsWith("node:") || BUILTIN.has(source)) {
    return `${source} is a built-in module of Node; only src/node and src/testing may import it.`;
  }
  for (const { from, names, why } of OUTSIDE_NAMES) {
    const name = from.test(source) ? named.find((candidate) => names.test(candidate)) : undefined;
    if (name !== undefined) return `${name} of ${source} ${why}.`;
  }
  return undefined;
}

/** `*` for a namespace, which would bring every name. */
function importedName(part) {
  if (part.type === "ImportSpecifier") return nameIn(part.imported);
  return part.type === "ImportDefaultSpecifier" ? "default" : "*";
}

function nameIn(node) {
  return String(node.name ?? node.value);
}

function literalText(node) {
  const literal = node?.type === "TSLiteralType" ? node.literal : node;
  if (literal?.type === "TemplateLiteral" && literal.expressions.length === 0) return literal.quasis[0].value.cooked;
  return typeof literal?.value === "string" ? literal.value : undefined;
}
