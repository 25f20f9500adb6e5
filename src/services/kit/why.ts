import type { Behind } from "../../kernel/behind.ts";
import type { EpochMs, LogPosition } from "../../kernel/brand.ts";
import { AUTHOR, type Caller, type Command, programOf } from "../../kernel/commit.ts";
import type { Past, Recorded } from "../../kernel/event-index.ts";
import type { Host } from "../../kernel/host.ts";
import type { Refusal } from "../../kernel/outcome.ts";
import { rfc3339 } from "../../languages/instant.ts";
import type { RequestFaultEvents } from "../../surroundings/faults/rules.ts";

// Why a request was refused. With the refusal only references are kept; facts are looked for when somebody asks.

/** A fact, or a configured value, to which a refusal leads back. */
export interface Fact {
  /** What it is about, in a word: `token`, `policy`, `gate`, `argument`, `object` ... */
  readonly kind: string;
  /** The commit that made it so, where one did. */
  readonly position?: number;
  readonly text: string;
}

/** Why something was refused. */
export interface Why {
  readonly code: string;
  /** The facts in one line. */
  readonly text: string;
  readonly facts: readonly Fact[];
}

export type { Behind };

/** What stands behind a refusal that was just made. */
export function behind(
  host: Host<unknown>,
  command: Command,
  refusal: Refusal,
  commit: LogPosition | undefined,
): Behind {
  const { origin, nowMs: atMs } = host;
  if (commit !== undefined) return { origin, position: commit, atMs, committed: true, command, refusal };
  return { origin, position: host.position, atMs, committed: false, command, refusal, state: host.state };
}

/** The code of a request that could not be read, which no handler refused. */
const UNREADABLE = "request_unreadable";

/** The refusal of a request that could not be read. */
export function unreadable(errors: readonly string[]): Refusal {
  return { code: UNREADABLE, data: { errors } };
}

/** What stands behind rejections that were thrown. */
const thrown = new WeakMap<object, Behind>();

export function noteBehind<E extends Error>(rejection: E, what: Behind): E {
  thrown.set(rejection, what);
  return rejection;
}

export function behindRejection(rejection: object): Behind | undefined {
  return thrown.get(rejection);
}

// --- explainers -----------------------------------------------------------------------------------------------------

/** A refusal as explainers meet it: `W` is the world that was looked at, `M` the facts that may have led there, `C` who asked. */
export interface Met<W, M extends object, C extends Caller = Caller> {
  readonly state: W;
  readonly nowMs: EpochMs;
  readonly caller: C;
  readonly command: Command;
  readonly refusal: Refusal;
  readonly past: Past<M>;
}

/** Finds the facts behind a refusal; what it does not find is undefined. */
export type Explainer<D, T> = (met: T, data: D) => readonly (Fact | undefined)[];

/** An explainer for each code: one without does not compile. */
export type ExplainersOf<C extends object, T> = { readonly [N in keyof C & string]: Explainer<C[N], T> };

/** The facts behind a refusal, by the explainer of its code. */
export function factsBy<T extends { readonly refusal: Refusal }>(
  explainers: { readonly [code: string]: (met: T, data: never) => readonly (Fact | undefined)[] },
  met: T,
): readonly Fact[] {
  const { code, data } = met.refusal;
  const found = Object.hasOwn(explainers, code) ? explainers[code]?.(met, data as never) : undefined;
  return (found ?? told(data)).filter((fact) => fact !== undefined);
}

/** What a refusal says itself: for codes that no service has, such as those of a request that could not be read. */
export function told(data: object): readonly Fact[] {
  return Object.entries(data).map(([name, value]) => ({ kind: "request", text: `${name}: ${String(value)}` }));
}

/** A fact without a commit: a configured value, or what is there or not. */
export function fact(kind: string, text: string): Fact {
  return { kind, text };
}

/** A fact that a commit made; undefined without one. */
export function recorded(kind: string, text: string, found: Recorded<unknown> | undefined): Fact | undefined {
  return found && { kind, position: found.position, text: `${text} ${when(found)}` };
}

/** The failure with a status that a test asked for: by a rule for requests, or for the next ones. */
export function failureFact(
  { past }: Pick<Met<never, { RequestRuleMade: RequestFaultEvents["RequestRuleMade"] }>, "past">,
  status: number,
  injected: Recorded<unknown> | undefined,
): Fact {
  const rule = past.last(
    "RequestRuleMade",
    ({ rule: { effect } }) => effect.kind === "status" && effect.status === status,
  );
  const last = (rule?.position ?? 0) > (injected?.position ?? 0) ? rule : injected;
  const text = `a test asked for a failure with ${status}`;
  return recorded("fault", text, last) ?? fact("fault", text);
}

/** As in "at 2026-01-01T01:00:00Z (#4, timer.tokenExpiry)". */
export function when({ position, atMs, command }: Recorded<unknown>, word: "at" | "since" = "at"): string {
  const program = programOf(command);
  return `${word} ${rfc3339(atMs)} (#${position}, ${command.name}${program === AUTHOR ? "" : ` of ${program}`})`;
}

type Asked = Pick<Met<never, object>, "command">;

/** What came as an argument. */
export function given({ command: { input } }: Asked, name: string): unknown {
  return typeof input === "object" && input !== null && Object.hasOwn(input, name)
    ? (input as { readonly [name: string]: unknown })[name]
    : undefined;
}

/** A text that came as an argument; `""` for anything else. */
export function textGiven(met: Asked, name: string): string {
  const value = given(met, name);
  return typeof value === "string" ? value : "";
}

/** Explains a refusal that is about an argument: what came, and what was expected. Text may be a secret, and is told by its length. */
export function argument(name: string, expected: string): Explainer<unknown, Asked> {
  return (met) => [fact("argument", `${name} is ${shape(given(met, name))}: ${expected}`)];
}

/** The same of an argument whose text is no secret. */
export function shownArgument(name: string, expected: string): Explainer<unknown, Asked> {
  return (met) => {
    const value = given(met, name);
    const came = typeof value === "string" && value !== "" ? JSON.stringify(value) : shape(value);
    return [fact("argument", `${name} is ${came}: ${expected}`)];
  };
}

/** The same of several arguments, which do not go together. */
export function argumentsTogether(names: readonly string[], expected: string): Explainer<unknown, Asked> {
  return (met) => [
    fact("argument", `${names.map((name) => `${name} is ${shape(given(met, name))}`).join(", ")}: ${expected}`),
  ];
}

/** What a value is, without what it says. */
function shape(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "not given";
    case "string":
      return value === "" ? "empty" : `a text of ${value.length} characters`;
    case "number":
    case "boolean":
      return String(value);
    default:
      if (value === null) return "null";
      return Array.isArray(value) ? `a list of ${value.length}` : "an object";
  }
}
