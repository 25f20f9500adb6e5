import type { EpochMs } from "../../kernel/brand.ts";

/** The instants at which statuses were reached, by their keys on the wire. They are added to, in the order of time. */
export type StatusTimestamps<K extends string = string> = { readonly [key in K]?: EpochMs };

/** `status-timestamps` values: whole seconds, cut, with a numeric offset (decisions-policy-checks.md, 3). */
function secondsText(ms: EpochMs): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}

/** `created-at` and `updated-at`: UTC with exactly three fraction digits and `Z`. */
export function millisecondsText(ms: EpochMs): string {
  return new Date(ms).toISOString();
}

/** `status-timestamps` as documents show them. */
export function shownTimestamps<K extends string>(timestamps: StatusTimestamps<K>): { [key in K]?: string } {
  const shown: { [key in K]?: string } = {};
  for (const key of Object.keys(timestamps) as K[]) {
    const ms = timestamps[key];
    if (ms !== undefined) shown[key] = secondsText(ms);
  }
  return shown;
}
