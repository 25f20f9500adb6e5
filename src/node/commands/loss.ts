import { rfc3339 } from "../../languages/instant.ts";
import { nearestNames } from "../../languages/nearest.ts";
import type { LostCommit } from "../../services/secrets/replication/loss/report.ts";
import type { Simulator } from "../../simulator/types.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { placeTyped, viewAt } from "../logs/place.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { harmless } from "../terminal/columns.ts";
import { counted } from "../terminal/counted.ts";

/** What one cluster acknowledged and another one lacks. */
export const loss = defineCommand({
  name: "loss",
  about:
    "Tells which commits one cluster acknowledged and another one does not hold, why, and what became of each object.",
  args: {
    ...LOG_OPTIONS,
    from: { type: "string", description: "who acknowledged; every cluster if absent", valueHint: "cluster" },
    to: { type: "string", description: "who may lack it; every cluster if absent", valueHint: "cluster" },
    at: { type: "string", description: "a position, an instant or a mark; by default the end", valueHint: "place" },
    all: { type: "boolean", description: "also what is never shipped, and what a filter keeps back" },
  },
  run: async (args, { print, printJson }) => {
    const log = await openLog(args.log, logOptions(args));
    const { sim } = log;
    const names = Object.keys((args.at === undefined ? sim : viewAt(log, args.at)).state.secrets);
    const at = args.at === undefined ? {} : { at: placeTyped(args.at) };
    const options = { ...at, ...(args.all === true ? { all: true } : {}) };
    const reports = chosen(names, args.from).flatMap((from) =>
      chosen(names, args.to).flatMap((to) => {
        // A cluster and itself are compared where that is asked for: what it held then, and holds no more.
        if (from === to && (args.from !== args.to || args.at === undefined || args.from === undefined)) return [];
        return [{ from, to, commits: sim.lossReport(sim.secrets.cluster(from), sim.secrets.cluster(to), options) }];
      }),
    );
    if (reports.length === 0)
      throw usageError("loss compares two clusters, or one with itself at another place (--at)");
    if (args.json) printJson(reports);
    else print(reports.flatMap((report) => reportLines(report, sim)).map(harmless));
    return EXIT.held;
  },
});

function chosen(names: readonly string[], name: string | undefined): readonly string[] {
  if (name === undefined) return names;
  if (names.includes(name)) return [name];
  const near = nearestNames(name, names);
  throw usageError(`no cluster has the name ${name}`, `clusters: ${(near.length > 0 ? near : names).join(", ")}`);
}

interface Report {
  readonly from: string;
  readonly to: string;
  readonly commits: readonly LostCommit[];
}

function reportLines({ from, to, commits }: Report, sim: Simulator): string[] {
  const head = commits.length === 0 ? "nothing" : counted(commits.length, "commit");
  return [`${to} lacks ${head} of ${from}`, ...commits.flatMap((commit) => commitLines(commit, sim))];
}

function commitLines(commit: LostCommit, sim: Simulator): string[] {
  const { position, atMs, command, kind, because, acknowledgedTo, objects } = commit;
  const { program, accessor, displayName } = acknowledgedTo;
  const by =
    because.position === undefined
      ? ""
      : ` at #${because.position} (${sim.log.commits()[because.position - 1]?.command.name})`;
  const token = accessor === undefined ? "" : `, token ${accessor} (${displayName})`;
  return [
    `  #${position} ${rfc3339(atMs)} ${command}: ${kind}, ${because.reason}${by}`,
    `      acknowledged to ${program}${token}`,
    ...objects.map((object) => `      ${object.change} ${object.kind} ${object.path}: ${fateText(object)}`),
  ];
}

function fateText(object: LostCommit["objects"][number]): string {
  switch (object.fate) {
    case "missing":
      return "missing";
    case "removed":
      return "removed later by who wrote it";
    case "other":
      return object.rival === undefined ? "other content" : `other content, written at #${object.rival}`;
    default:
      return object satisfies never;
  }
}
