import { servedBehind } from "../http/served.ts";
import { type EpochMs, type LogPosition, logPosition } from "../kernel/brand.ts";
import { armedAtOf } from "../kernel/calendar.ts";
import type { Caller, RecordedEvent } from "../kernel/commit.ts";
import type { Difference } from "../kernel/diff.ts";
import { explainCommit } from "../kernel/explain.ts";
import type { Move, RefusedMove } from "../kernel/outcome.ts";
import { Rejection } from "../kernel/rejection.ts";
import { whyBehind } from "../services/kit/explained.ts";
import type { Evidence } from "../services/kit/operation.ts";
import type { Behind, Why } from "../services/kit/why.ts";
import { answerOf } from "./answer.ts";
import { servicesOf, type WorldService } from "./model.ts";
import type { WorldTimeline } from "./world.ts";

/** How a commit or an answer came about. */
export interface Explanation {
  /** The commit; for an answer that committed nothing, the last one before it. */
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  /** The name of the operation, control call or timer. */
  readonly operation?: string;
  readonly route?: string;
  readonly caller?: Caller;
  /** Of a timer: the position of the commit that armed its deadline. */
  readonly armedAt?: LogPosition;
  /** What charts were asked for, in order. */
  readonly moves: readonly Move[];
  /** The move that a chart did not allow, where that is why a request was refused. */
  readonly refusedMove?: RefusedMove;
  readonly events: readonly RecordedEvent[];
  /** What the commit changed in the state. */
  readonly changes: readonly Difference[];
  /**
   * What was answered: the body, or a refusal's code and data. Absent where nobody was answered or the body was empty, and for a
   * commit to whose facts today's rules do not lead. That of a response is what it carries; else it has no `request_id`.
   */
  readonly answer?: unknown;
  /** Why it was refused, when it was. */
  readonly why?: Why;
  /** How far the answer can be trusted. */
  readonly evidence?: Evidence;
}

/** Explains a commit by its position, or what a response of this simulator carries. */
export function explained(timeline: WorldTimeline, what: number | Response): Explanation {
  if (typeof what === "number") return explainedCommit(timeline, what);
  const served = servedBehind(what);
  if (served?.origin !== timeline.history)
    throw new TypeError("explain: the response does not come from this simulator");
  const { operation, caller, answer, committed, position, atMs } = served;
  const refused = refusedPart(timeline, served.refused);
  if (committed) return { ...explainedCommit(timeline, position), ...refused, answer };
  return {
    position,
    atMs,
    ...operationPart(servicesOf(timeline), operation),
    caller,
    moves: [],
    ...refused,
    events: [],
    changes: [],
    answer,
  };
}

function explainedCommit(timeline: WorldTimeline, position: number): Explanation {
  if (!Number.isInteger(position) || position < 1)
    throw new TypeError(`explain: ${position} is no position of a commit`);
  if (position > timeline.position) {
    throw new Rejection({
      code: "unknown_place",
      status: 400,
      data: { place: `${position}` },
      message: `explain: the log ends at position ${timeline.position}, before ${position}`,
    });
  }
  const { atMs, command, moves, events, changes, outcome } = explainCommit(timeline, logPosition(position));
  const answer =
    outcome === undefined || command.via === "timer" ? null : answerOf(servicesOf(timeline), command, outcome);
  const refused =
    outcome?.kind === "failed"
      ? {
          origin: timeline.history,
          position: logPosition(position),
          atMs,
          committed: true,
          command,
          refusal: outcome.refusal,
        }
      : undefined;
  return {
    position: logPosition(position),
    atMs,
    ...operationPart(servicesOf(timeline), command.name),
    caller: command.caller,
    ...armedPart(command.caller),
    moves,
    events,
    changes,
    ...refusedPart(timeline, refused),
    ...(answer === null ? {} : { answer }),
  };
}

function refusedPart(timeline: WorldTimeline, refused: Behind | undefined): Pick<Explanation, "refusedMove" | "why"> {
  if (refused === undefined) return {};
  const { refusedMove } = refused.refusal;
  return {
    ...(refusedMove === undefined ? {} : { refusedMove }),
    why: whyBehind(servicesOf(timeline), refused),
  };
}

function armedPart(caller: Caller): Pick<Explanation, "armedAt"> {
  const deadline = caller?.["deadline"];
  const armedAt = typeof deadline === "string" ? armedAtOf(deadline) : undefined;
  return armedAt === undefined ? {} : { armedAt };
}

function operationPart(
  services: readonly WorldService[],
  name: string | undefined,
): Pick<Explanation, "operation" | "route" | "evidence"> {
  if (name === undefined) return {};
  for (const { registry } of services) {
    const operation = registry.byName.get(name);
    if (operation === undefined) continue;
    return { operation: name, route: `${operation.verb} ${operation.path}`, evidence: operation.evidence };
  }
  return { operation: name };
}
