import { asyncProperty, check, sample } from "fast-check";
import type { Simulator } from "../index.ts";
import { hashOfText } from "../kernel/hash.ts";
import { Draw, seedKey } from "../kernel/randomness.ts";
import { shown } from "../languages/shown.ts";
import { LiveSimulator } from "../simulator/live-simulator.ts";
import { type Drawing, drawingOf } from "./arbitraries.ts";
import type { Settings } from "./options.ts";
import { type Played, Player, type PlayOptions } from "./play.ts";
import { Schedule, type ScheduleParts, type Step, type Wait } from "./schedule.ts";
import { surfaceOf } from "./surface.ts";

/** An exploration whose worlds are made. Schedules are drawn, varied, played and shrunk here; all of it follows from the seed. */
export class Prepared {
  readonly settings: Settings;
  readonly #worlds: readonly Simulator[];
  readonly #player: Player;
  readonly #drawing: Drawing;

  private constructor(settings: Settings, worlds: readonly Simulator[]) {
    this.settings = settings;
    this.#worlds = worlds;
    this.#player = new Player(settings);
    const programs = settings.programs.map(([name]) => name);
    // Worlds are told apart by how much is in them: what is in the richest can be named in all, and what is missing is not done.
    const surface = surfaceOf(worlds.at(-1) as Simulator, programs);
    const { steps, calmMs, actions, faults } = settings;
    this.#drawing = drawingOf(surface, faults, { worlds: worlds.length, steps, calmMs, actions: [...actions.keys()] });
  }

  /** @throws TypeError for a world that is no simulator */
  static async of(call: string, settings: Settings): Promise<Prepared> {
    const worlds: Simulator[] = [];
    for (const make of settings.worlds) {
      const sim: unknown = await make();
      try {
        LiveSimulator.insideOf(sim as Simulator);
      } catch {
        throw new TypeError(`${call}: world gave ${shown(sim)}, and has to give a simulator`);
      }
      worlds.push(sim as Simulator);
    }
    return new Prepared(settings, worlds);
  }

  /** So many schedules of a seed from one number on, each as it is drawn by itself. */
  drawn(seed: number | string, from: number, count: number): Schedule[] {
    const first = hashOfText(`${seedKey(seed)}:schedules:${from}`).a | 0;
    return sample(this.#drawing.swarm, { seed: first, numRuns: count }).map((parts) => new Schedule(withTurns(parts)));
  }

  /** A schedule that was drawn, as a variation of one that reached something new. */
  varied(base: Schedule, drawn: Schedule, key: string): Schedule {
    return variation(base, drawn, new Draw(`variation:${key}`), this.settings.steps);
  }

  /** Plays a schedule. Whoever has looked at what came of it leaves it, before the next is played. */
  play(schedule: Schedule, options?: PlayOptions): Promise<Played> {
    const world = this.#worlds[Math.min(schedule.world, this.#worlds.length - 1)] as Simulator;
    return this.#player.play(world, schedule, options);
  }

  leave(played: Played): Promise<void> {
    return this.#player.leave(played);
  }

  /** The least schedule that fails with the same: fast-check shrinks, and each try is played. */
  async shrunk(schedule: Schedule, key: string): Promise<Schedule> {
    let tries = 0;
    let least = schedule;
    const holds = async (parts: ScheduleParts): Promise<boolean> => {
      tries += 1;
      if (tries > MOST_TRIES) return true;
      const tried = new Schedule(parts);
      const played = await this.play(tried);
      await this.leave(played);
      if (played.failed?.key !== key) return true;
      least = tried;
      return false;
    };
    // A shrunk step may let more of the others go: it begins again until nothing does.
    for (let before = ""; before !== `${least}` && tries < MOST_TRIES; ) {
      before = `${least}`;
      const { world, seed, ties, turns, steps } = least;
      const property = asyncProperty(this.#drawing.any, holds);
      await check(property, { examples: [[{ world, seed, ties, turns: [...turns], steps: [...steps] }]], numRuns: 1 });
    }
    // This comes last: one long wait in place of two may be longer than what is drawn, and fast-check shrinks nothing that it cannot draw.
    for (let at = 0; at + 1 < least.steps.length; ) {
      const { world, seed, ties, turns } = least;
      const steps = withoutCalm(least.steps, at);
      if (steps === undefined || (await holds({ world, seed, ties, turns, steps }))) at += 1;
    }
    return least;
  }

  dispose(): void {
    this.#player.end();
    for (const world of this.#worlds) world.dispose();
  }
}

/** A failure is shrunk in so many tries at most. */
const MOST_TRIES = 10_000;

/** Steps without one in which nothing happens: the next one waits for both. */
function withoutCalm(steps: readonly Step[], at: number): Step[] | undefined {
  const [calm, next] = steps.slice(at, at + 2);
  if (calm?.act.kind !== "calm" || next === undefined) return undefined;
  const wait = waitOfBoth(calm.wait, next.wait);
  return wait && [...steps.slice(0, at), { ...next, wait }, ...steps.slice(at + 2)];
}

function waitOfBoth(first: Wait, second: Wait): Wait | undefined {
  if (first.kind === "after" && second.kind === "after") return { kind: "after", ms: first.ms + second.ms };
  if (first.kind === "request" && second.kind === "request") return { kind: "request", n: first.n + second.n };
  return undefined;
}

/** Half of the schedules let requests set out as they come. */
function withTurns(parts: ScheduleParts): ScheduleParts {
  return parts.seed % 2 === 0 ? { ...parts, turns: [] } : parts;
}

/** A schedule that reached something new, changed in one place or two by what another one has. */
function variation(base: Schedule, other: Schedule, draw: Draw, most: number): Schedule {
  let steps: readonly Step[] = base.steps;
  const { length } = other.steps;
  for (let left = 1 + draw.below(2); left > 0; left--) {
    const at = draw.below(steps.length + 1);
    const theirs = draw.below(length);
    const [before, after] = [steps.slice(0, at), steps.slice(at)];
    switch (draw.below(5)) {
      case 0:
        steps = [...before, ...other.steps.slice(theirs)];
        break;
      case 1:
        steps = [...before, other.steps[theirs] as Step, ...after];
        break;
      case 2:
        steps = after.length === 0 ? before : [...before, ...after.slice(1)];
        break;
      case 3:
        steps =
          after[0] === undefined
            ? before
            : [...before, { ...after[0], wait: (other.steps[theirs] as Step).wait }, ...after.slice(1)];
        break;
      default:
        steps = after[0] === undefined ? before : [...before, after[0], ...after];
    }
  }
  const { seed, ties, turns, world } = draw.below(2) === 0 ? base : other;
  return new Schedule({ world, seed, ties, turns, steps: steps.slice(0, most) });
}
