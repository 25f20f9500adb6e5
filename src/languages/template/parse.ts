import { Cursor } from "../cursor.ts";
import { shown } from "../shown.ts";
import type { BranchNode, Command, Node, Operand, Pipeline, RangeNode, Template } from "./ast.ts";
import { encodeText } from "./byte-string.ts";
import { FUNCTION_NAMES } from "./functions.ts";
import { Lexer, type Token, type TokenKind } from "./lexer.ts";
import { DEEPEST_NESTING, LONGEST_TEMPLATE, MOST_VARIABLES } from "./limits.ts";
import { constantOf, unquoted } from "./literals.ts";

/** The name of the outermost template, by which it may call itself. */
export const ROOT = "template";

const OPERANDS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  "bool",
  "char",
  "dot",
  "field",
  "word",
  "number",
  "nil",
  "raw",
  "string",
  "variable",
  "(",
]);

/** What ends a list of nodes: `{{end}}`, `{{else}}`, or the `if` or `with` of `{{else if ...}}`. */
type Ending = "end" | "else" | "else if" | "else with";

/**
 * Reads a template of the subset of Go's text/template that decisions-directory.md section 11 names.
 *
 * Understood beyond its list, as the real engine does: `break`, `continue` and `else with`, ranges over an integer, and
 * numbers written as Go writes them. Our choice: complex numbers are refused, since nothing here makes use of them.
 *
 * @param functions the functions that this kind of template has; any other name is a mistake
 * @throws LanguageError with line and column, and nothing else
 * @example
 * renderTemplate(parseTemplate("{{.RoleName | uppercase}}", USERNAME_FUNCTIONS), scope) // "DEV"
 */
export function parseTemplate(text: string, functions: ReadonlySet<string> = FUNCTION_NAMES): Template {
  return new Parser(text, functions).parse();
}

class Parser {
  readonly #cursor: Cursor;
  readonly #lexer: Lexer;
  readonly #functions: ReadonlySet<string>;
  readonly #trees = new Map<string, readonly Node[]>();
  readonly #ahead: Token[] = [];
  /** Names of variables in scope, innermost last. */
  #variables: string[] = ["$"];
  #openRanges = 0;
  #depth = 0;

  constructor(text: string, functions: ReadonlySet<string>) {
    this.#cursor = new Cursor("template", text);
    if (text.length > LONGEST_TEMPLATE) {
      throw this.#cursor.error(`at most ${LONGEST_TEMPLATE}`, { found: `a text of ${text.length} characters` });
    }
    this.#lexer = new Lexer(this.#cursor);
    this.#functions = functions;
  }

  parse(): Template {
    const nodes: Node[] = [];
    for (let token = this.#next(); token.kind !== "end"; token = this.#next()) {
      if (token.kind === "{{" && this.#takesKeyword("define")) this.#definition();
      else {
        const node = this.#node(token);
        if (typeof node === "string") throw this.#error(token, "no such keyword here");
        nodes.push(node);
      }
    }
    this.#keep(ROOT, nodes, 0);
    return { trees: this.#trees };
  }

  #definition(): void {
    const name = this.#templateName();
    this.#expect("}}", "the end of the define clause");
    this.#separateTree(name, "define");
  }

  /** The body of `define` or `block`, which sees no variable of what is round it. */
  #separateTree(name: string, construct: string): void {
    const { offset } = this.#peek();
    const [variables, openRanges] = [this.#variables, this.#openRanges];
    this.#variables = ["$"];
    this.#openRanges = 0;
    const { nodes, ending, token } = this.#list();
    if (ending !== "end") throw this.#error(token, `"end" for the ${construct}`);
    this.#variables = variables;
    this.#openRanges = openRanges;
    this.#keep(name, nodes, offset);
  }

  /** A name may be defined twice only where one of the two is nothing but white space. */
  #keep(name: string, nodes: readonly Node[], offset: number): void {
    const before = this.#trees.get(name);
    if (before === undefined || isBlank(before)) this.#trees.set(name, nodes);
    else if (!isBlank(nodes)) {
      throw this.#cursor.error("one definition only", { offset, found: `another template ${shown(name)}` });
    }
  }

  #node(token: Token): Node | Ending {
    if (token.kind === "text") return { kind: "text", text: encodeText(token.text) };
    if (token.kind !== "{{") throw this.#error(token, "text or an action");
    const first = this.#nextNonSpace();
    if (first.kind === "keyword") return this.#control(first);
    this.#putBack(first);
    return { kind: "action", pipeline: this.#pipeline("command", "}}") };
  }

  #control(keyword: Token): Node | Ending {
    switch (keyword.text) {
      case "if":
      case "with":
        return this.#nested(keyword, () => this.#branch(keyword.text === "if" ? "if" : "with"));
      case "range":
        return this.#nested(keyword, () => this.#range());
      case "template":
        return this.#call();
      case "block":
        return this.#nested(keyword, () => this.#block());
      case "break":
      case "continue":
        this.#expect("}}", `the end of ${keyword.text}`);
        if (this.#openRanges === 0) throw this.#error(keyword, "it inside a range only");
        return { kind: keyword.text };
      case "end":
        this.#expect("}}", "the end of the action");
        return "end";
      case "else":
        return this.#else();
      default:
        throw this.#error(keyword, "a command or a control structure");
    }
  }

  #else(): Ending {
    const token = this.#nextNonSpace();
    if (token.kind === "keyword" && (token.text === "if" || token.text === "with")) return `else ${token.text}`;
    if (token.kind !== "}}") throw this.#error(token, 'the end of the action, "if" or "with"');
    return "else";
  }

  #branch(kind: "if" | "with"): BranchNode {
    const scope = this.#variables.length;
    const pipeline = this.#pipeline(kind, "}}");
    const { nodes: body, ending, token } = this.#list();
    const otherwise = ending === "end" ? undefined : this.#otherwise(kind, ending, token);
    this.#variables.length = scope;
    return { kind, pipeline, body, otherwise };
  }

  #otherwise(kind: "if" | "with", ending: Ending, token: Token): readonly Node[] {
    if (ending === `else ${kind}`) return [this.#nested(token, () => this.#branch(kind))];
    if (ending !== "else") throw this.#error(token, `"else" or "else ${kind}"`);
    return this.#lastList();
  }

  #range(): RangeNode {
    const scope = this.#variables.length;
    const pipeline = this.#pipeline("range", "}}");
    this.#openRanges += 1;
    const { nodes: body, ending, token } = this.#list();
    this.#openRanges -= 1;
    if (ending !== "end" && ending !== "else") throw this.#error(token, '"else" or "end"');
    const otherwise = ending === "end" ? undefined : this.#lastList();
    this.#variables.length = scope;
    return { kind: "range", pipeline, body, otherwise };
  }

  #lastList(): readonly Node[] {
    const { nodes, ending, token } = this.#list();
    if (ending !== "end") throw this.#error(token, '"end"');
    return nodes;
  }

  #call(): Node {
    const name = this.#templateName();
    const token = this.#nextNonSpace();
    if (token.kind === "}}") return { kind: "template", name, pipeline: undefined };
    this.#putBack(token);
    return { kind: "template", name, pipeline: this.#pipeline("template clause", "}}") };
  }

  #block(): Node {
    const name = this.#templateName();
    const pipeline = this.#pipeline("block clause", "}}");
    this.#separateTree(name, "block");
    return { kind: "template", name, pipeline };
  }

  #templateName(): string {
    const token = this.#nextNonSpace();
    const name = token.kind === "string" || token.kind === "raw" ? unquoted(token.text) : undefined;
    if (name === undefined) throw this.#error(token, "the name of a template as a text");
    return name;
  }

  /** The nodes up to what ends them. */
  #list(): { nodes: readonly Node[]; ending: Ending; token: Token } {
    const nodes: Node[] = [];
    for (let token = this.#next(); token.kind !== "end"; token = this.#next()) {
      const node = this.#node(token);
      if (typeof node === "string") return { nodes, ending: node, token };
      nodes.push(node);
    }
    throw this.#cursor.error('"{{end}}"');
  }

  #pipeline(context: string, end: "}}" | ")"): Pipeline {
    const { variables, assigns } = this.#declarations(context);
    const commands: Command[] = [];
    for (let token = this.#nextNonSpace(); token.kind !== end; token = this.#nextNonSpace()) {
      if (!OPERANDS.has(token.kind)) throw this.#error(token, `a command in the ${context}`);
      this.#putBack(token);
      commands.push(this.#command());
    }
    if (commands.length === 0) throw this.#cursor.error(`a value for the ${context}`);
    commands.slice(1).forEach(([first], index) => {
      if (first?.kind === "constant" || first?.kind === "dot" || first?.kind === "nil") {
        throw this.#cursor.error(`a function or a field as stage ${index + 2} of the pipeline`);
      }
    });
    return { kind: "pipeline", variables, assigns, commands };
  }

  /** `$x :=`, `$x =`, and in a range `$i, $x :=`. */
  #declarations(context: string): { variables: readonly string[]; assigns: boolean } {
    const variables: string[] = [];
    for (;;) {
      const variable = this.#nextNonSpace();
      if (variable.kind !== "variable") {
        this.#putBack(variable);
        return { variables, assigns: false };
      }
      const behind = this.#next();
      const next = behind.kind === "space" ? this.#nextNonSpace() : behind;
      const isComma = next.kind === "mark" && next.text === ",";
      if (next.kind !== "assign" && next.kind !== "declare" && !isComma) {
        this.#putBack(variable, ...(next === behind ? [behind] : [behind, next]));
        return { variables, assigns: false };
      }
      variables.push(variable.text);
      if (this.#variables.push(variable.text) > MOST_VARIABLES) {
        throw this.#error(variable, `at most ${MOST_VARIABLES} variables in scope`);
      }
      if (!isComma) return { variables, assigns: next.kind === "assign" };
      if (context !== "range" || variables.length > 1)
        throw this.#error(variable, `one variable only in the ${context}`);
      const second = this.#nextNonSpace();
      if (!["variable", "}}", ")"].includes(second.kind)) throw this.#error(second, "a variable in the range");
      this.#putBack(second);
    }
  }

  #command(): Command {
    const operands: Operand[] = [];
    for (;;) {
      const operand = this.#operand();
      if (operand !== undefined) operands.push(operand);
      const token = this.#next();
      if (token.kind === "space") continue;
      if (token.kind === "}}" || token.kind === ")") this.#putBack(token);
      else if (token.kind !== "pipe") throw this.#error(token, "an operand");
      break;
    }
    if (operands.length === 0) throw this.#cursor.error("a command");
    return operands;
  }

  /** A term with the fields that are asked of it. */
  #operand(): Operand | undefined {
    const term = this.#term();
    if (term === undefined || this.#peek().kind !== "field") return term;
    const names: string[] = [];
    while (this.#peek().kind === "field") names.push(this.#next().text.slice(1));
    switch (term.kind) {
      case "field":
      case "variable":
        return { ...term, names: [...term.names, ...names] };
      case "pipeline":
        return { kind: "chain", of: term, names };
      case "function":
        return { kind: "chain", of: pipelineOf([term]), names };
      case "chain":
        return { ...term, names: [...term.names, ...names] };
      default:
        throw this.#cursor.error("no field of a literal");
    }
  }

  #term(): Operand | undefined {
    const token = this.#nextNonSpace();
    switch (token.kind) {
      case "word":
        if (!this.#functions.has(token.text)) throw this.#error(token, "a function that is defined");
        return { kind: "function", name: token.text };
      case "dot":
        return { kind: "dot" };
      case "nil":
        return { kind: "nil" };
      case "variable":
        if (!this.#variables.includes(token.text)) throw this.#error(token, "a variable that is defined");
        return { kind: "variable", name: token.text, names: [] };
      case "field":
        return { kind: "field", names: [token.text.slice(1)] };
      case "(":
        return this.#nested(token, () => this.#pipeline("parenthesized pipeline", ")"));
      case "string":
      case "raw":
      case "char":
      case "number":
      case "bool": {
        const constant = constantOf(token.kind, token.text);
        if (constant === undefined) throw this.#error(token, "a literal");
        return constant;
      }
      default:
        this.#putBack(token);
        return undefined;
    }
  }

  #takesKeyword(keyword: string): boolean {
    const token = this.#nextNonSpace();
    const isIt = token.kind === "keyword" && token.text === keyword;
    if (!isIt) this.#putBack(token);
    return isIt;
  }

  #expect(kind: TokenKind, expected: string): void {
    const token = this.#nextNonSpace();
    if (token.kind !== kind) throw this.#error(token, expected);
  }

  #next(): Token {
    return this.#ahead.pop() ?? this.#lexer.next();
  }

  #nextNonSpace(): Token {
    let token = this.#next();
    while (token.kind === "space") token = this.#next();
    return token;
  }

  #peek(): Token {
    const token = this.#next();
    this.#putBack(token);
    return token;
  }

  #putBack(...tokens: Token[]): void {
    this.#ahead.push(...tokens.reverse());
  }

  #nested<T>(token: Token, read: () => T): T {
    this.#depth += 1;
    if (this.#depth > DEEPEST_NESTING) throw this.#error(token, `at most ${DEEPEST_NESTING} levels of nesting`);
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #error(token: Token, expected: string): Error {
    const found = token.kind === "end" ? "the end of the text" : shown(token.text);
    return this.#cursor.error(expected, { offset: token.offset, found });
  }
}

/** A function whose result is asked for a field is called without arguments. */
function pipelineOf(command: Command): Pipeline {
  return { kind: "pipeline", variables: [], assigns: false, commands: [command] };
}

function isBlank(nodes: readonly Node[]): boolean {
  return nodes.every((node) => node.kind === "text" && /^[\s\x85]*$/.test(node.text));
}
