import * as v from "valibot";
import { duration, optionsSchema } from "../../kernel/arguments.ts";
import type { Plain } from "../../kernel/plain.ts";
import type { Duration } from "../../languages/duration.ts";
import type { OptionsRead } from "../kit/module.ts";
import { labels, originAt, urlsByName, whole } from "../kit/options.ts";
import { DEFAULT_SCHEDULER, defaultRegionUrl, isDefaultScheduler, newScheduler, type SchedulerBirth } from "./birth.ts";
import { regionName } from "./control.ts";
import type { RegionName } from "./ids.ts";
import { SCHEDULER_QUIRKS, type SchedulerQuirk } from "./state.ts";
import type { SchedulerWorld } from "./world.ts";

/** The options of a simulator for this service. */
export interface SchedulerOptions {
  /** Names of the regions: DNS labels. The first is authoritative. Default `["global"]`. */
  readonly regions?: readonly string[];
  /** Without the ACL system every endpoint answers 400. Default true. */
  readonly aclEnabled?: boolean;
  /** From a commit in the authoritative region to its arrival in another one. Default 100 ms. */
  readonly replicationLag?: Duration;
  /** No blocking query waits longer. Default 300 s. */
  readonly maxBlockingWait?: Duration;
  /** Adds up to a sixteenth to how long a blocking query waits, from the seed. Default false. */
  readonly blockingJitter?: boolean;
  /** Behaviour of other releases of the real service. Default none. */
  readonly quirks?: readonly SchedulerQuirk[];
  /** Where a region answers. Default `https://scheduler-<region>.test`. */
  readonly url?: (region: string) => string;
}

/** Its settings. */
export interface SchedulerSettings {
  readonly scheduler: SchedulerBirth;
  /** Where a region answers that is added later: a log does not carry it. */
  readonly regionUrlOf: (region: string) => string;
}

const quirk = v.picklist(SCHEDULER_QUIRKS, `a quirk is one of ${SCHEDULER_QUIRKS.join(", ")}`);

const schema = optionsSchema({
  regions: v.optional(labels("region"), ["global"]),
  aclEnabled: v.optional(v.boolean("aclEnabled is true or false"), DEFAULT_SCHEDULER.aclEnabled),
  replicationLag: v.optional(duration, DEFAULT_SCHEDULER.replicationLagMs),
  maxBlockingWait: v.optional(duration, DEFAULT_SCHEDULER.maxBlockingWaitMs),
  blockingJitter: v.optional(v.boolean("blockingJitter is true or false"), DEFAULT_SCHEDULER.blockingJitter),
  quirks: v.optional(v.array(quirk), []),
  url: v.optional(urlsByName("region")),
});

const logged = v.strictObject({
  regions: v.pipe(v.array(v.strictObject({ name: regionName, url: v.string() })), v.minLength(1)),
  aclEnabled: v.boolean(),
  replicationLagMs: whole(0),
  maxBlockingWaitMs: whole(0),
  blockingJitter: v.boolean(),
  quirks: v.exactOptional(v.array(quirk)),
});

export const schedulerOptions = {
  schema,
  read: ({ regions, url, aclEnabled, blockingJitter, quirks, ...read }: v.InferOutput<typeof schema>): OptionsRead => {
    const regionUrlOf =
      url === undefined
        ? defaultRegionUrl
        : (region: string) => originAt(`scheduler.url gives for ${region}`, url(region));
    const scheduler: SchedulerBirth = {
      regions: regions.map((name) => ({ name: name as RegionName, url: regionUrlOf(name) })),
      aclEnabled,
      replicationLagMs: read.replicationLag,
      maxBlockingWaitMs: read.maxBlockingWait,
      blockingJitter,
      ...(quirks.length === 0 ? {} : { quirks }),
    };
    const settings: SchedulerSettings = { scheduler, regionUrlOf };
    return { settings, urls: scheduler.regions.map((region) => [`the region ${region.name}`, region.url]) };
  },
  logged: { scheduler: v.optional(logged) },
  readLogged: ({ scheduler }: { readonly scheduler?: v.InferOutput<typeof logged> }): SchedulerSettings => ({
    scheduler:
      scheduler === undefined
        ? DEFAULT_SCHEDULER
        : { ...scheduler, regions: scheduler.regions.map(({ name, url }) => ({ name: name as RegionName, url })) },
    regionUrlOf: defaultRegionUrl,
  }),
  toLog: ({ scheduler }: SchedulerSettings): { readonly scheduler?: Plain } =>
    isDefaultScheduler(scheduler) ? {} : { scheduler: { ...scheduler } },
  newPart: ({ scheduler = DEFAULT_SCHEDULER }: Partial<SchedulerSettings>): SchedulerWorld =>
    isDefaultScheduler(scheduler) ? {} : { scheduler: newScheduler(scheduler) },
};
