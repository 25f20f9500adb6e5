import { rfc3339 } from "../../languages/instant.ts";
import { clockFace } from "../../scenario/clock-face.ts";
import { placesOf } from "../../scenario/places.ts";
import { shortName } from "../../scenario/words.ts";
import type { Simulator } from "../../simulator/types.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT } from "../exit.ts";
import { placeTyped, viewAt } from "../logs/place.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { layoutFor, panelLines } from "../story/panel.ts";
import { commitLines } from "../story/words.ts";
import { fitted } from "../terminal/columns.ts";
import { counted } from "../terminal/counted.ts";
import type { Output } from "../terminal/output.ts";

/** Rebuilds the world of a log, and shows it at a place. */
export const replayCommand = defineCommand({
  name: "replay",
  about: "Rebuilds the world of a log from its facts, and shows it at a place.",
  args: {
    ...LOG_OPTIONS,
    at: { type: "string", description: "a position, an instant or a mark; by default the end", valueHint: "place" },
  },
  run: async (args, output) => {
    const log = await openLog(args.log, logOptions(args));
    // A fork, so that its deadlines can be told; and a look first, because it says which places there are.
    if (args.at !== undefined) viewAt(log, args.at);
    const sim = args.at === undefined ? log.sim : log.sim.fork(placeTyped(args.at));
    const marks = [...log.marks].map(([name, { position, atMs }]) => ({ name, position, at: rfc3339(atMs) }));
    if (args.json) {
      output.printJson({
        log: log.file,
        seed: log.seed,
        commits: log.sim.position,
        position: sim.position,
        at: rfc3339(sim.clock.now()),
        places: placesOf(sim),
        marks,
        pending: sim.clock.pending().map(({ dueAtMs, ...rest }) => ({ dueAt: rfc3339(dueAtMs), ...rest })),
        stateHash: sim.stateHash(),
      });
      return EXIT.held;
    }
    const { print, columns, style } = output;
    const commits = `${counted(log.sim.position, "commit")}, ${clockFace(log.startAtMs)} to ${clockFace(log.sim.clock.now())}`;
    print([style.strong(fitted(log.file, columns)), fitted(`seed ${log.seed}, ${commits}`, columns), ""]);
    print(momentLines(sim, output));
    print(marks.map(({ name, position, at }) => fitted(`mark   ${JSON.stringify(name)} #${position}, ${at}`, columns)));
    print([fitted(`state  ${sim.stateHash()}`, columns)]);
    return EXIT.held;
  },
});

/** It is a look: so many of the last commits, and of the next deadlines. */
const COMMITS_TOLD = 3;
const DEADLINES_TOLD = 5;

function momentLines(sim: Simulator, { columns, style }: Output): string[] {
  const layout = layoutFor(columns);
  const last = sim.log.commits().slice(-COMMITS_TOLD);
  const pending = sim.clock.pending().filter((due) => due.timer === undefined);
  const ahead = pending.slice(0, DEADLINES_TOLD).map(({ dueAtMs, command, owner }) => {
    const whose = Object.values(owner).join(", ");
    return fitted(`${layout.margin}${clockFace(dueAtMs)}  ${shortName(command)}${whose && ` (${whose})`}`, columns);
  });
  const more = pending.length - ahead.length;
  return [
    style.strong(fitted(`at #${sim.position}, ${clockFace(sim.clock.now())}`, columns)),
    ...panelLines(placesOf(sim), [], layout, style),
    ...(last.length === 0 ? [] : ["", fitted("the last commits", columns), ...commitLines(last, {}, layout, style)]),
    "",
    fitted(pending.length === 0 ? "no deadline ahead" : `deadlines ahead: ${pending.length}`, columns),
    ...ahead,
    ...(more > 0 ? [fitted(`${layout.margin}and ${more} more`, columns)] : []),
    "",
  ];
}
