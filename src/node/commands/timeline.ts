import { rfc3339 } from "../../languages/instant.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT } from "../exit.ts";
import { logOptions } from "../logs/read-log.ts";
import { STRETCH_OPTIONS, stretchOf } from "../logs/stretch.ts";
import { witnessFile } from "../logs/witness.ts";
import { marksWithin, pictureLines } from "../timeline/picture.ts";
import { aheadOf, presentOf, Survey } from "../timeline/survey.ts";

/** So many columns has a picture in JSON. */
const COLUMNS_IN_JSON = 64;

/** What happened when, as a picture. */
export const timeline = defineCommand({
  name: "timeline",
  about: "Draws what happened when, and the deadlines ahead. The log is read piece by piece, however long it is.",
  args: { ...LOG_OPTIONS, ...STRETCH_OPTIONS },
  run: async (args, { columns, style, print, printJson }) => {
    const survey = new Survey(await stretchOf(args));
    const outcome = await witnessFile(args.log, survey, logOptions(args));
    if (!args.json) {
      print(pictureLines(survey, outcome, columns, style));
      return EXIT.held;
    }
    const nowMs = presentOf(survey, outcome);
    const ahead = aheadOf(nowMs, survey.stretch, outcome.pending);
    printJson({
      seed: survey.seed,
      commits: survey.commits,
      from: rfc3339(survey.startMs),
      now: rfc3339(nowMs),
      facts: survey.past.totals().map(([type, count]) => ({
        type,
        count,
        columns: survey.past.columns(type, nowMs, COLUMNS_IN_JSON),
      })),
      requests: survey.requests.totals().map(([kind, count]) => ({
        kind,
        count,
        columns: survey.requests.columns(kind, nowMs, COLUMNS_IN_JSON),
      })),
      marks: marksWithin(survey, outcome).map(([name, { position, atMs }]) => ({
        name,
        position,
        at: rfc3339(atMs),
      })),
      ahead: {
        until: rfc3339(ahead.lastMs),
        deadlines: ahead.bins.totals().map(([command, count]) => ({
          command,
          count,
          columns: ahead.bins.columns(command, ahead.lastMs, COLUMNS_IN_JSON),
        })),
      },
    });
    return EXIT.held;
  },
});
