import type { Host } from "../../kernel/host.ts";
import type { Noted } from "../../kernel/journal.ts";
import { type Fault, faultMet, isClear, type LineWorld, lineOf } from "../../surroundings/faults/line.ts";
import type { RequestSeen } from "../../surroundings/faults/rules.ts";
import { connectionReset, unreachable } from "./connection.ts";

/** A typed call on its way. */
export interface Called extends RequestSeen {
  readonly operation: string;
  /** Where it goes to. */
  readonly url: string;
}

/**
 * Makes a typed call by the line of its program.
 *
 * @param noted is told what happens to it
 * @param decide gives the answer, or lets it fail with a status
 * @throws TypeError as `fetch` does for a broken line, and one that names `fetch` for what needs a promise
 */
export function byLine<A>(
  host: Host<LineWorld>,
  noted: Pick<Noted, "met" | "failed"> | undefined,
  called: () => Called,
  decide: (failsWith: number | undefined) => A,
): A {
  if (!host.takesCommands || isClear(host.state)) return decide(undefined);
  const { url, ...seen } = called();
  const line = lineOf(host.program, seen);
  if (line.isCut(host.state)) {
    noted?.failed(line.cut);
    throw unreachable(url, host.program);
  }
  if (line.lagMsThere(host.state) + line.lagMsBack(host.state) > 0) throw needsFetch(seen.operation, "a line with lag");
  const fault = faultMet(host, seen, ({ effect: { kind } }) => {
    if (LATER.has(kind)) throw needsFetch(seen.operation, `the effect ${kind}`);
  });
  if (fault === undefined) return decide(undefined);
  const { effect } = fault;
  if (effect.kind === "status") {
    noted?.met(effect.kind);
    return decide(effect.status);
  }
  // A typed answer is there as a whole, or not at all.
  if (effect.kind === "lose-answer" || (effect.kind === "reset" && effect.after !== undefined)) {
    const answer: unknown = decide(undefined);
    if (answer instanceof Promise) {
      const lost = (): never => {
        noted?.met(effect.kind);
        throw connectionReset();
      };
      return answer.then(lost) as A;
    }
  }
  noted?.failed(effect.kind);
  throw connectionReset();
}

const LATER: ReadonlySet<Fault["effect"]["kind"]> = new Set(["delay", "hang", "slow", "truncate"]);

function needsFetch(operation: string, what: string): TypeError {
  return new TypeError(`${operation}: a typed call has its answer at once, and ${what} takes time: ask by fetch`);
}
