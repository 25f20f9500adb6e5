import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyStateMachine } from "xstate";
import { fileIn, HOUSE, moduleName } from "../package-files.ts";

/** A chart as it is drawn. */
export interface Chart {
  readonly id: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
  /** In the order in which the chart tries them. */
  readonly moves: readonly ChartMove[];
}

export interface ChartState {
  readonly name: string;
  /** No move leads out of it. */
  readonly isFinal: boolean;
}

export interface ChartMove {
  readonly from: string;
  readonly to: string;
  readonly event: string;
  /** The question that has to be answered with yes. */
  readonly guard?: string;
  /** What else the move does. */
  readonly actions: readonly string[];
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
    initial: root.initial.target[0]?.key ?? "",
    states: nodes.map(({ key, type }) => ({ name: key, isFinal: type === "final" })),
    moves: nodes.flatMap((node) =>
      [...node.transitions].flatMap(([event, candidates]) =>
        candidates.map(({ target, guard, actions }) => ({
          from: node.key,
          to: target?.[0]?.key ?? node.key,
          event,
          ...(guard === undefined ? {} : { guard: nameOf(guard) }),
          actions: actions.map(nameOf),
        })),
      ),
    ),
  };
}

/** Guards and actions are named in `setup`. */
function nameOf(named: unknown): string {
  if (typeof named === "string") return named;
  if (typeof named === "function") return named.name;
  return String((named as { readonly type: unknown }).type);
}

/** A move as it stands at its arrow. */
export function moveText({ event, guard, actions }: ChartMove): string {
  const done = actions.length === 0 ? "" : ` / ${actions.join(", ")}`;
  return `${event}${guard === undefined ? "" : ` [${guard}]`}${done}`;
}
