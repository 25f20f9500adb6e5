import * as v from "valibot";
import { optionsSchema, readArgument } from "../kernel/arguments.ts";
import type { LossForecast, LostCommit } from "../services/secrets/replication/loss/report.ts";
import type { WorldService } from "./model.ts";
import { momentOf, type Place } from "./place.ts";
import type { WorldTimeline } from "./world.ts";

/** From where a loss report looks, and how much it tells. */
export interface LossReportOptions {
  /** A place in history; the present if absent. */
  readonly at?: Place;
  /** Also what is never shipped, and what a filter keeps back. */
  readonly all?: boolean;
}

const place = v.custom<Place>(
  (given) => ["number", "string", "object"].includes(typeof given),
  "a place is a position, an instant or a mark",
);
const lossReportOptions = optionsSchema({ at: v.optional(place), all: v.optional(v.boolean(), false) });

/** @throws TypeError for a wrong option, and for twice the same cluster at no other time; Rejection `unknown_place` */
export function lossReport(
  timeline: WorldTimeline,
  services: readonly WorldService[],
  [from, to]: readonly [string, string],
  options: LossReportOptions,
): readonly LostCommit[] {
  const { at, all } = readArgument(lossReportOptions, "lossReport: options", options);
  if (from === to && at === undefined) {
    throw new TypeError(
      `lossReport: both clusters are ${from}; one cluster is compared with itself at another time, which \`at\` names`,
    );
  }
  const { history, position } = timeline;
  const then = at === undefined ? position : momentOf(timeline, at).position;
  // What a cluster had is held against what it has now; two clusters are compared as they were then.
  const past = { history, position: from === to ? position : then };
  const report = services.find(({ calls }) => calls.lossReport !== undefined)?.calls.lossReport;
  return (report?.(past as never, from as never, to as never, { had: then, all } as never) ??
    []) as readonly LostCommit[];
}

export function lossForecast(
  { history, position }: WorldTimeline,
  services: readonly WorldService[],
  to: string,
): readonly LossForecast[] {
  const forecast = services.find(({ calls }) => calls.lossForecast !== undefined)?.calls.lossForecast;
  return (forecast?.({ history, position } as never, to as never) ?? []) as readonly LossForecast[];
}
