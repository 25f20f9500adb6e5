import type { Command, Node, Operand, Pipeline, RangeNode, Template } from "./ast.ts";
import { type ByteString, decodeText } from "./byte-string.ts";
import { plainly } from "./format.ts";
import { functionOf, NO_VALUE, type Parameter, type TemplateFunction } from "./functions.ts";
import { DEEPEST_CALLS } from "./limits.ts";
import { ROOT } from "./parse.ts";
import { Rendering, type TemplateScope } from "./rendering.ts";
import { TemplateError } from "./template-error.ts";
import { fieldOf, fieldsValue, isInteger, isTrue, NIL, type TemplateFields, type Value } from "./value.ts";

/**
 * Fills a template with fields, at an instant, drawing what it has at random from the stream that is given.
 *
 * Nothing but the given fields can be reached, and time and memory are bounded whatever the template says.
 *
 * @throws TemplateError for an unknown field, a wrong argument or a bound that is passed, and nothing else
 */
export function renderTemplate(template: Template, fields: TemplateFields, scope: TemplateScope): string {
  const output: ByteString[] = [];
  const root = new Renderer(template, new Rendering(scope), output, 0);
  root.run(ROOT, fieldsValue(fields));
  return decodeText(output.join("") as ByteString);
}

/** How a list of nodes was left. */
type Outcome = "done" | "break" | "continue";

interface Variable {
  readonly name: string;
  value: Value;
}

/** Renders one template; a template that is called has a renderer of its own, as it sees no variable of the caller. */
class Renderer {
  readonly #template: Template;
  readonly #rendering: Rendering;
  readonly #output: ByteString[];
  readonly #depth: number;
  #variables: Variable[] = [];

  constructor(template: Template, rendering: Rendering, output: ByteString[], depth: number) {
    this.#template = template;
    this.#rendering = rendering;
    this.#output = output;
    this.#depth = depth;
  }

  run(name: string, dot: Value): void {
    const nodes = this.#template.trees.get(name);
    if (nodes === undefined) throw new TemplateError(`template "${name}" not defined`);
    this.#variables = [{ name: "$", value: dot }];
    this.#walk(nodes, dot);
  }

  #walk(nodes: readonly Node[], dot: Value): Outcome {
    for (const node of nodes) {
      this.#rendering.step();
      const outcome = this.#visit(node, dot);
      if (outcome !== "done") return outcome;
    }
    return "done";
  }

  #visit(node: Node, dot: Value): Outcome {
    switch (node.kind) {
      case "text":
        this.#output.push(this.#rendering.spent(node.text));
        return "done";
      case "action":
        this.#act(node.pipeline, dot);
        return "done";
      case "if":
      case "with":
        return this.#scoped(() => {
          const value = this.#pipeline(node.pipeline, dot);
          if (isTrue(value)) return this.#walk(node.body, node.kind === "with" ? value : dot);
          return node.otherwise === undefined ? "done" : this.#walk(node.otherwise, dot);
        });
      case "range":
        return this.#scoped(() => this.#range(node, dot));
      case "template":
        this.#call(node.name, node.pipeline, dot);
        return "done";
      case "break":
      case "continue":
        return node.kind;
    }
  }

  #act(pipeline: Pipeline, dot: Value): void {
    const value = this.#pipeline(pipeline, dot);
    if (pipeline.variables.length > 0) return;
    this.#output.push(value.type === "nil" ? this.#rendering.spent(NO_VALUE) : plainly(this.#rendering, value));
  }

  /** Variables that are declared inside are gone behind it. */
  #scoped(walk: () => Outcome): Outcome {
    const mark = this.#variables.length;
    const outcome = walk();
    this.#variables.length = mark;
    return outcome;
  }

  /** Over the numbers below an integer; nil is empty, and texts and fields cannot be ranged over. */
  #range(node: RangeNode, dot: Value): Outcome {
    const value = this.#pipeline(node.pipeline, dot);
    if (isInteger(value)) {
      if (node.pipeline.variables.length > 1) throw new TemplateError("an integer is ranged over by one variable");
      for (let index = 0n; index < value.integer; index += 1n) {
        const outcome = this.#iterate(node, { type: value.type, integer: index });
        if (outcome === "break") return "done";
      }
      if (value.integer > 0n) return "done";
    } else if (value.type !== "nil") {
      throw new TemplateError(`range can't iterate over a value of type ${value.type}`);
    }
    return node.otherwise === undefined ? "done" : this.#walk(node.otherwise, dot);
  }

  #iterate(node: RangeNode, element: Value): Outcome {
    const { variables, assigns } = node.pipeline;
    const [name] = variables;
    this.#rendering.step();
    return this.#scoped(() => {
      if (name !== undefined && assigns) this.#variable(name).value = element;
      if (name !== undefined && !assigns) this.#newest().value = element;
      return this.#walk(node.body, element);
    });
  }

  #call(name: string, pipeline: Pipeline | undefined, dot: Value): void {
    if (!this.#template.trees.has(name)) throw new TemplateError(`template "${name}" not defined`);
    if (this.#depth >= DEEPEST_CALLS)
      throw new TemplateError(`templates call each other ${DEEPEST_CALLS} deep at most`);
    const argument = pipeline === undefined ? NIL : this.#pipeline(pipeline, dot);
    new Renderer(this.#template, this.#rendering, this.#output, this.#depth + 1).run(name, argument);
  }

  #pipeline({ commands, variables, assigns }: Pipeline, dot: Value): Value {
    let value: Value | undefined;
    for (const command of commands) value = this.#command(command, dot, value);
    const result = value ?? NIL;
    for (const name of variables) {
      if (assigns) this.#variable(name).value = result;
      else this.#variables.push({ name, value: result });
    }
    return result;
  }

  #command(command: Command, dot: Value, final: Value | undefined): Value {
    this.#rendering.step();
    const [first, ...others] = command;
    if (first === undefined) return NIL;
    if (first.kind === "function") return this.#apply(first.name, others, dot, final);
    if (others.length > 0 || final !== undefined) throw new TemplateError("can't give argument to non-function");
    if (first.kind === "nil") throw new TemplateError("nil is not a command");
    return this.#value(first, dot);
  }

  /** The value of an operand by itself. */
  #value(operand: Operand, dot: Value): Value {
    switch (operand.kind) {
      case "constant":
        if (operand.value === undefined) throw new TemplateError("an integer overflows int");
        return operand.value;
      case "nil":
        return NIL;
      case "dot":
        return dot;
      case "field":
        return operand.names.reduce(fieldOf, dot);
      case "variable":
        return operand.names.reduce(fieldOf, this.#variable(operand.name).value);
      case "function":
        return this.#apply(operand.name, [], dot, undefined);
      case "chain":
        return operand.names.reduce(fieldOf, this.#pipeline(operand.of, dot));
      case "pipeline":
        return this.#pipeline(operand, dot);
    }
  }

  #apply(name: string, operands: readonly Operand[], dot: Value, final: Value | undefined): Value {
    this.#rendering.step();
    const called = functionOf(name);
    const given = operands.length + (final === undefined ? 0 : 1);
    const needed = called.parameters.length;
    if (given < needed || (given > needed && called.rest === undefined)) {
      throw new TemplateError(`wrong number of args for ${name}: want ${needed} got ${given}`);
    }
    if (name === "and" || name === "or") return this.#decide(name, operands, dot, final);
    const values = operands.map((operand, index) => this.#argument(called, index, operand, dot));
    if (final !== undefined) values.push(checked(parameterOf(called, operands.length), final));
    return called.apply(this.#rendering, values);
  }

  /** The first operand that decides, or the last; those behind it are not looked at. */
  #decide(name: "and" | "or", operands: readonly Operand[], dot: Value, final: Value | undefined): Value {
    let value: Value = NIL;
    for (const operand of operands) {
      value = this.#value(operand, dot);
      if (isTrue(value) === (name === "or")) return value;
    }
    return final ?? value;
  }

  /** A number written as a float (`1e3`) may stand for an integer, but a value that is one may not. */
  #argument(called: TemplateFunction, index: number, operand: Operand, dot: Value): Value {
    const parameter = parameterOf(called, index);
    if (parameter === "int" && operand.kind === "constant") {
      if (operand.integer === undefined) throw new TemplateError("expected integer");
      return { type: "int", integer: operand.integer };
    }
    return checked(parameter, this.#value(operand, dot));
  }

  #variable(name: string): Variable {
    const found = this.#variables.findLast((variable) => variable.name === name);
    if (found === undefined) throw new TemplateError(`undefined variable: ${name}`);
    return found;
  }

  #newest(): Variable {
    return this.#variables[this.#variables.length - 1] as Variable;
  }
}

function parameterOf(called: TemplateFunction, index: number): Parameter {
  return called.parameters[index] ?? called.rest ?? "any";
}

/** No value is converted: an int64 field is no int, a number no text. */
function checked(parameter: Parameter, value: Value): Value {
  const fits = parameter === "any" || (parameter === "text" ? value.type === "string" : value.type === "int");
  if (!fits) throw new TemplateError(`wrong type for value; expected ${parameter}; found ${value.type}`);
  return value;
}
