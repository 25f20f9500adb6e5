import * as v from "valibot";
import { optionsSchema } from "../../kernel/arguments.ts";
import type { Plain } from "../../kernel/plain.ts";
import type { OptionsRead } from "../kit/module.ts";
import { originAt, whole } from "../kit/options.ts";
import { DEFAULT_RUNS_URL, newRunService } from "./state.ts";
import type { RunsWorld } from "./world.ts";

/** The options of a simulator for this service. */
export interface RunsOptions {
  /** Where the run service answers. Default `https://runs.test`. */
  readonly url?: string;
  /**
   * Requests that one user, team or organization may make in a clock second. Default any number.
   *
   * The second is the virtual clock's: while nobody moves it, a client that was refused and tries again is refused for ever.
   */
  readonly rateLimitPerSecond?: number;
}

/** Its settings. */
export interface RunsSettings {
  readonly runs: { readonly url: string; readonly rateLimitPerSecond?: number };
}

const schema = optionsSchema({
  url: v.optional(v.string("url is a text"), DEFAULT_RUNS_URL),
  rateLimitPerSecond: v.optional(whole(1)),
});

export interface RunsRead {
  readonly url: string;
  readonly rateLimitPerSecond?: number | undefined;
}

function settingsOf({ url, rateLimitPerSecond }: RunsRead): RunsSettings {
  return { runs: { url, ...(rateLimitPerSecond === undefined ? {} : { rateLimitPerSecond }) } };
}

const isUsual = ({ runs }: RunsSettings): boolean =>
  runs.url === DEFAULT_RUNS_URL && runs.rateLimitPerSecond === undefined;

export const runsOptions = {
  schema,
  read: ({ url: given, rateLimitPerSecond }: v.InferOutput<typeof schema>): OptionsRead => {
    const url = originAt("runs.url is", given);
    return { settings: settingsOf({ url, rateLimitPerSecond }), urls: [["runs.url", url]] };
  },
  logged: { runs: v.optional(v.strictObject({ url: v.string(), rateLimitPerSecond: v.optional(whole(1)) })) },
  readLogged: ({ runs = { url: DEFAULT_RUNS_URL } }: { readonly runs?: RunsRead }): RunsSettings => settingsOf(runs),
  toLog: (settings: RunsSettings): { readonly runs?: Plain } => (isUsual(settings) ? {} : { runs: settings.runs }),
  newPart: (settings: RunsSettings): RunsWorld =>
    isUsual(settings) ? {} : { runs: newRunService(settings.runs.url, settings.runs.rateLimitPerSecond) },
};
