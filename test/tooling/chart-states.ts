import { parseSync, Visitor } from "vite";

/** A place in a source at which a state of a chart stands beside `status`, `mode` or `state`. */
export interface StateUse {
  readonly line: number;
  readonly text: string;
}

type Node = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]["BinaryExpression"]>>[0]["left"];

/** Where a source compares a member or a variable of these names with a state, chooses by it, or gives it one. */
export function stateUses(file: string, source: string, states: ReadonlySet<string>): readonly StateUse[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file} does not parse: ${errors[0]?.message}`);
  const uses: StateUse[] = [];
  const add = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    uses.push({ line: source.slice(0, start).split("\n").length, text: source.slice(start, end) });
  };
  const isState = (node: { readonly type: string; readonly value?: unknown } | null): boolean =>
    node?.type === "Literal" && typeof node.value === "string" && states.has(node.value);
  new Visitor({
    BinaryExpression: (node) => {
      const pair = (isHolder(node.left) && isState(node.right)) || (isHolder(node.right) && isState(node.left));
      if (/^[=!]==?$/.test(node.operator) && pair) add(node);
    },
    SwitchStatement: (node) => {
      if (isHolder(node.discriminant) && node.cases.some(({ test }) => isState(test))) add(node.discriminant);
    },
    AssignmentExpression: (node) => {
      if (isHolder(node.left) && isState(node.right)) add(node);
    },
    Property: (node) => {
      if (isNamed(node.key) && isState(node.value)) add(node);
    },
  }).visit(program);
  return uses;
}

const NAMES: ReadonlySet<unknown> = new Set(["status", "mode", "state"]);

function isNamed(node: { readonly type: string; readonly name?: unknown }): boolean {
  return node.type === "Identifier" && NAMES.has(node.name);
}

/** `status`, `x.status` and `x?.status`. */
function isHolder(node: Node | { readonly type: string }): boolean {
  if ("expression" in node && node.type === "ChainExpression") return isHolder(node.expression);
  if ("property" in node && node.type === "MemberExpression") return isNamed(node.property);
  return isNamed(node);
}
