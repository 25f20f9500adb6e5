import { instantMs, isInstantText } from "../../languages/instant.ts";
import { usageError } from "../exit.ts";
import { ALL_TIME, type Stretch } from "../timeline/survey.ts";
import { placeTyped, viewAt } from "./place.ts";
import { logOptions, openLog } from "./read-log.ts";

/** Options of commands that show a part of a log's time. */
export const STRETCH_OPTIONS = {
  from: {
    type: "string",
    description: "a position, an instant or a mark; by default the beginning",
    valueHint: "place",
  },
  to: {
    type: "string",
    description: "a position, an instant or a mark; by default all that is known",
    valueHint: "place",
  },
} as const;

/** Between which instants a command's words want a log to be shown. An instant may lie ahead: deadlines do. @throws CommandError */
export async function stretchOf(args: {
  readonly log: string;
  readonly "accept-prefix"?: boolean | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): Promise<Stretch> {
  const { from, to } = args;
  const msOf = async (text: string): Promise<number> => {
    const place = placeTyped(text);
    if (typeof place === "string" && isInstantText(place)) return instantMs(place);
    // A position or a mark is known when the log was read.
    const log = await openLog(args.log, logOptions(args));
    return viewAt(log, text).clock.now();
  };
  const stretch = {
    fromMs: from === undefined ? ALL_TIME.fromMs : await msOf(from),
    toMs: to === undefined ? ALL_TIME.toMs : await msOf(to),
  };
  if (stretch.fromMs > stretch.toMs) throw usageError(`--from ${from} lies behind --to ${to}`);
  return stretch;
}
