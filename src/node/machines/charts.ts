import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyStateMachine } from "xstate";
import { nameOf } from "../../kernel/machine.ts";
import { fileIn, HOUSE, moduleName } from "../package-files.ts";

/** A chart as it is drawn. */
export interface Chart {
  readonly id: string;
  /** What it is the chart of. */
  readonly description: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
  /** In the order in which the chart tries them. */
  readonly moves: readonly ChartMove[];
}

export interface ChartState {
  readonly name: string;
  /** No move leads out of it. */
  readonly isFinal: boolean;
  /** It is there because clients know it; nothing that the simulator does leads there. */
  readonly isNeverEntered: boolean;
  readonly description: string;
}

export interface ChartMove {
  readonly from: string;
  readonly to: string;
  readonly event: string;
  /** The question that has to be answered with yes. */
  readonly guard?: string;
  /** What else the move does. */
  readonly actions: readonly string[];
  readonly description: string;
}

/** Every chart, by its id. */
export async function allCharts(): Promise<Chart[]> {
  const names = readdirSync(join(HOUSE, "machines")).flatMap((file) => moduleName(file) ?? []);
  const modules = await Promise.all(
    names.map(async (name) => (await import(pathToFileURL(fileIn("machines", name)).href)) as object),
  );
  return modules
    .flatMap((module) => Object.values(module) as (() => AnyStateMachine)[])
    .map((make) => chartOf(make()))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** What the definition of a machine says. */
export function chartOf({ id, root }: AnyStateMachine): Chart {
  const nodes = Object.values(root.states);
  return {
    id,
    description: root.description ?? "",
    initial: root.initial.target[0]?.key ?? "",
    states: nodes.map(({ key, type, tags, description = "" }) => ({
      name: key,
      isFinal: type === "final",
      isNeverEntered: tags.includes("never entered"),
      description,
    })),
    moves: nodes.flatMap((node) =>
      [...node.transitions].flatMap(([event, candidates]) =>
        candidates.map(({ target, guard, actions, description = "" }) => ({
          from: node.key,
          to: target?.[0]?.key ?? node.key,
          event,
          ...(guard === undefined ? {} : { guard: nameOf(guard) }),
          actions: actions.map(nameOf),
          description,
        })),
      ),
    ),
  };
}

/** A move as it stands at its arrow. */
export function moveText({ event, guard, actions }: ChartMove): string {
  const done = actions.length === 0 ? "" : ` / ${actions.join(", ")}`;
  return `${event}${guard === undefined ? "" : ` [${guard}]`}${done}`;
}

/** A move as it stands among those of its state. */
export function listedText(move: ChartMove): string {
  return `${moveText(move)} → ${move.to}`;
}
