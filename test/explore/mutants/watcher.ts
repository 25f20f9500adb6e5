import { createSimulator } from "hindcast";
import { backsOff, leavesNoWatcherBehind, waitsWithAnIndex } from "hindcast/conduct";
import type { Run } from "hindcast/explore";
import { type Place, placeOf } from "../../programs/modes.ts";
import type { Answered } from "../../programs/patient.ts";
import { type Kept, Watcher } from "../../programs/watcher.ts";
import { type Subject, subject } from "./subject.ts";

let token = "";

/** It knows the policies that there are. */
function knowsThem({ sim, programs }: Run): boolean {
  const { told } = programs["watcher"] as Watcher;
  const here = sim.scheduler.region("eu").as(token).policies.list({});
  return told.at(-1)?.[0] === here.map(({ Name }) => Name).join(" ");
}

class WaitsForNothing extends Watcher {
  readonly #place: Place;

  constructor(place: Place, url: string | readonly string[], token: string, kept: Kept) {
    super(place, url, token, kept);
    this.#place = place;
  }

  protected override query(): string {
    return "stale";
  }

  protected override rest(): Promise<void> {
    return new Promise((resolve) => void this.#place.setTimeout(resolve, 5_000));
  }
}

class KeepsItsIndex extends Watcher {
  protected override indexElsewhere(index: string): string {
    return index;
  }
}

class SkipsAnIndex extends Watcher {
  protected override query(index: string): string {
    return super.query(index === "0" ? index : `${Number(index) + 1}`);
  }
}

class LeavesOneBehind extends Watcher {
  protected override ask(place: Place, url: string, init: RequestInit): Promise<Answered | undefined> {
    const late = new Promise<undefined>((resolve) => void place.setTimeout(() => resolve(undefined), 60_000));
    return Promise.race([super.ask(place, url, init), late]);
  }
}

class TakesAnyAnswer extends Watcher {
  protected override isTaken(response: Answered | undefined): response is Answered {
    return response !== undefined;
  }
}

class GivesUp extends Watcher {
  protected override goesOn(): boolean {
    return false;
  }
}

function inMemory(): Kept {
  let kept = "";
  return {
    write: (text) => {
      kept = text;
      return Promise.resolve();
    },
    read: () => Promise.resolve(kept),
  };
}

export const watcher: Subject = subject(
  "watcher",
  (Program: typeof Watcher) => ({
    world: () => {
      const sim = createSimulator({ scheduler: { regions: ["eu", "us"], maxBlockingWait: "5m" } });
      const eu = sim.scheduler.region("eu");
      token = eu.as().acl.bootstrap().SecretID ?? "";
      for (let n = 0; n < 5; n++) eu.as(token).policies.write({ policy_name: `p${n}`, Name: `p${n}`, Rules: "" });
      sim.settle();
      return sim;
    },
    programs: {
      watcher: (program, _random, sim) => {
        const urls = ["eu", "us"].map((region) => sim.scheduler.region(region).url);
        const watcher = new Program(placeOf(program), urls, token, inMemory());
        return { told: watcher.told, ended: watcher.watch(new AbortController().signal) };
      },
    },
    actions: {
      write: (sim, n) => {
        const name = `p${n % 10}`;
        sim.scheduler.region("eu").as(token).policies.write({ policy_name: name, Name: name, Rules: "" });
      },
    },
    faults: { lines: true, requests: true, longest: "10m" },
    conduct: [waitsWithAnIndex(), leavesNoWatcherBehind(), backsOff()],
    finally: [knowsThem],
    steps: 12,
    calm: "10m",
    settle: "30m",
  }),
  Watcher,
  {
    "no-index": ["it asks every five seconds, where it could wait", WaitsForNothing],
    "index-not-reset": ["it waits for an index of another region", KeepsItsIndex],
    "index-skipped": ["it waits for the change after the next one", SkipsAnIndex],
    "watcher-left-behind": ["each minute one more waits for the same", LeavesOneBehind],
    "any-answer": ["the body of an error is taken for policies", TakesAnyAnswer],
    "one-failure-ends-it": ["one answer that fails is the last", GivesUp],
  },
);
