// Rules for programs, over what they did. `hindcast/explore` judges by them, and a test may ask them itself:
// `expect(usesNothingEnded()(sim.journal, sim, "shop")).toEqual([])`.
export { type BackOff, backsOff, followsRetryAfter } from "./patience.ts";
export { repeatsOnlyTheRepeatable } from "./repeating.ts";
export type { Breach, Rule } from "./rule.ts";
export { holdsNoSecretOfAnother, renewsBefore, returnsWhatItBorrowed, usesNothingEnded } from "./secrets.ts";
export { leavesNoWatcherBehind, waitsWithAnIndex } from "./watching.ts";
