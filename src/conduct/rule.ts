import { type EpochMs, logPosition } from "../kernel/brand.ts";
import type { Command } from "../kernel/commit.ts";
import type { JournalEntry, RequestEntry } from "../kernel/journal.ts";
import { requestLine } from "../programs/request-line.ts";
import { LiveSimulator } from "../simulator/live-simulator.ts";
import type { Simulator } from "../simulator/types.ts";

/** Where a program did not keep to a rule. */
export interface Breach {
  /** The name of the rule: `usesNothingEnded`. */
  readonly rule: string;
  readonly atMs: EpochMs;
  /** The request with which it happened, or after which something is missing. */
  readonly entry: RequestEntry;
  /** Who did what, when, and with which request. */
  readonly text: string;
}

/**
 * A rule for programs: it looks at what they did, and tells where one did not keep to it.
 *
 * @param journal the entries, oldest first
 * @param sim the simulator at the end of it
 * @param program the name of the program that is judged; without one each of them is, but not the author
 */
export type Rule = (journal: readonly JournalEntry[], sim: Simulator, program?: string) => Breach[];

/** What a rule looks at: the requests of one program, in their order, and where it tells of a breach. */
export interface Looking {
  readonly program: string;
  readonly requests: readonly RequestEntry[];
  /** Those of others, too. */
  readonly all: readonly RequestEntry[];
  readonly sim: Simulator;
  readonly breach: (entry: RequestEntry, text: string) => void;
}

/** Makes a rule of what looks at one program. */
export function ruleNamed(rule: string, look: (looking: Looking) => void): Rule {
  const named: Rule = (journal, sim, program) => {
    const all = journal.filter((entry) => entry.kind === "request");
    const names = program === undefined ? new Set(all.map((entry) => entry.program)) : new Set([program]);
    if (program === undefined) names.delete("author");
    const breaches: Breach[] = [];
    for (const name of names) {
      const requests = all.filter((entry) => entry.program === name);
      const breach = (entry: RequestEntry, text: string): void => {
        breaches.push({ rule, atMs: entry.atMs, entry, text: `${name} ${text}: ${requestLine(entry)}` });
      };
      look({ program: name, requests, all, sim, breach });
    }
    return breaches;
  };
  return Object.defineProperty(named, "name", { value: rule });
}

/** Whether a request was answered well. */
export function isAnswered({ response }: RequestEntry): boolean {
  return response !== undefined && response.status < 400;
}

/** Whether nobody knows what became of a request: it may have been decided. */
export function isUncertain({ response, fault }: RequestEntry): boolean {
  return response === undefined ? fault !== "ECONNREFUSED" && !fault?.startsWith("cut") : UNREAD.has(fault ?? "");
}

/** What lets an answer be lost, or arrive in part, or too late for whoever waits. */
const UNREAD: ReadonlySet<string> = new Set(["lose-answer", "reset", "truncate", "slow"]);

/** An object in an answer or a request, as far as it is one. */
export function objectIn(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: unknown })
    : {};
}

/** The token that a request was made with: its header has it, or, of a typed call, the commit that it made. */
export function tokenOf({ request, operation, position }: RequestEntry, sim: Simulator): string | undefined {
  for (const [name, value] of Object.entries(request.headers)) {
    if (/^x-[\w-]+-token$/.test(name)) return value;
    if (name === "authorization") return value.replace(/^Bearer /i, "");
  }
  const command = operation === undefined ? undefined : commandAt(sim, position);
  const token = command?.name === operation && command?.via === "call" ? command?.caller?.["token"] : undefined;
  return typeof token === "string" ? token : undefined;
}

function commandAt(sim: Simulator, position: number): Command | undefined {
  const { history, position: last } = LiveSimulator.insideOf(sim).timeline;
  return position >= 1 && position <= last ? history.commitAt(logPosition(position)).command : undefined;
}
