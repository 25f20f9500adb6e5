import { times as section } from "../../comparison/contests.ts";
import { contestOf, type Entry, rowsOf } from "../../comparison/entries.ts";
import { Dice, seconds } from "../../harness/measure.ts";
import type { Family } from "../../harness/row.ts";
import { rounded } from "../../harness/statistics.ts";
import { type Rotations, rotationsByHand, simulatedRotations } from "../clocks/rotations.ts";
import { fakeTimers, kernelTimers, type MakeTimers } from "../clocks/timers.ts";

/** Time that somebody moves. */
export const times: readonly Family[] = [
  {
    name: "timers",
    rows: rowsOf(section, contestOf(section, "timers"), {
      hindcast: timers(kernelTimers),
      "fake-timers": timers(fakeTimers),
    }),
  },
  {
    name: "year",
    rows: rowsOf(section, contestOf(section, "year"), {
      hindcast: year(simulatedRotations),
      "fake-timers": year(rotationsByHand),
    }),
  },
];

const DAY_MS = 86_400_000;

function timers(make: MakeTimers): Entry {
  return {
    rounds: 3,
    warmUps: 0,
    prepare: (effort) => {
      const count = effort.size(1_000_000);
      const round = (): { readonly value: number; readonly detail: string } => {
        const made = make();
        const dice = new Dice(1);
        const armSeconds = seconds(() => {
          for (let timer = 0; timer < count; timer++) made.arm(timer, 1 + dice.below(DAY_MS));
        });
        const fireSeconds = seconds(() => made.advance(DAY_MS));
        if (made.fired() !== count) throw new Error(`${made.fired()} of ${count} timers fired`);
        const thousands = count / 1_000;
        return {
          value: (2 * thousands) / (armSeconds + fireSeconds),
          detail: `last round: armed ${rounded(thousands / armSeconds, 3)}, fired ${rounded(thousands / fireSeconds, 3)}`,
        };
      };
      return { round, answers: firings(make) };
    },
  };
}

/** Who fires when, of a few that have many ties, in two steps. */
function firings(make: MakeTimers): string {
  const fired: string[] = [];
  const made = make((timer, nowMs) => fired.push(`${timer} at ${nowMs}`));
  const dice = new Dice(2);
  for (let timer = 0; timer < 1_000; timer++) made.arm(timer, 1 + dice.below(200));
  made.advance(100);
  for (let timer = 1_000; timer < 1_100; timer++) made.arm(timer, 1 + dice.below(100));
  made.advance(100);
  return fired.join("\n");
}

function year(make: () => Rotations): Entry {
  return {
    rounds: 3,
    warmUps: 0,
    prepare: (effort) => {
      const days = effort.count(365);
      const few = make();
      few.advanceDays(3);
      const answers = few.told();
      return {
        round: () => {
          const made = make();
          return seconds(() => made.advanceDays(days));
        },
        answers,
      };
    },
  };
}
