import type { Cast, Step } from "../../scenario/define.ts";
import { playStep } from "../../scenario/run.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { Deed, Story, Told } from "./story.ts";

/** A moment of a story between two steps. What it shows was told once, and never changes. */
export interface Moment {
  readonly lines: readonly string[];
  readonly told: Told;
  /** The world as it was then: nobody goes on with it, so it stays as it is. Whoever goes on does so with a fork. */
  readonly world: Simulator;
  /** The steps that are still to come. */
  readonly ahead: readonly Step<Cast>[];
  /** What was done so far, on the way to here. */
  readonly deeds: readonly Deed[];
  /** Where this line of time left that of the scenario. */
  readonly differs: boolean;
  readonly before: Moment | undefined;
}

/** Something that is done in place of what the story has next. */
export interface Otherwise {
  readonly title: string;
  readonly does: (sim: Simulator) => unknown;
  /** Whether the step that comes next is left out. */
  readonly leavesOut?: true;
}

/**
 * The moments of a story, and the way through them: on with the next step, back by one, and off in another direction.
 *
 * A world that goes on is the one that all steps were taken in, so that what waits in it goes on waiting; every moment keeps a
 * fork of it, which nobody touches.
 */
export class LineOfTime {
  readonly #story: Story;
  readonly #cast: Cast;
  /** What follows each moment in its own line, once it was told; and the worlds that go on from the last ones. */
  readonly #next = new Map<Moment, Moment>();
  readonly #live = new Map<Moment, Simulator>();
  #now: Moment;

  constructor(story: Story, sim: Simulator, cast: Cast, steps: readonly Step<Cast>[]) {
    this.#story = story;
    this.#cast = cast;
    const title = story.title(sim, cast);
    this.#now = { ...title, world: sim.fork(), ahead: steps, deeds: [], differs: false, before: undefined };
    this.#live.set(this.#now, sim);
  }

  get now(): Moment {
    return this.#now;
  }

  /** Whether the next step was told before: then it is shown again, and not taken again. */
  get knowsNext(): boolean {
    return this.#next.has(this.#now);
  }

  /** Whether there is a step to go on with. A story ends with its first step that failed. */
  get canGoOn(): boolean {
    return this.knowsNext || (this.#now.ahead.length > 0 && this.#now.deeds.at(-1)?.ok !== false);
  }

  /** Goes on by one step. */
  async on(): Promise<Moment> {
    const here = this.#now;
    const known = this.#next.get(here);
    if (known !== undefined) return this.#enter(known);
    const [step, ...ahead] = here.ahead;
    if (step === undefined) throw new Error("the story has no further step");
    const sim = this.#liveAt(here);
    const report = await playStep(step, sim, this.#cast);
    const moment = this.#after(here, sim, report, { ahead, differs: here.differs });
    this.#live.delete(here);
    this.#next.set(here, moment);
    return this.#enter(moment);
  }

  /** Goes back by one, if there is anything before. */
  back(): Moment {
    return this.#now.before === undefined ? this.#now : this.#enter(this.#now.before);
  }

  /**
   * Goes on in another direction, on a fork. Whoever comes back from there and goes on is in the story again.
   *
   * @throws what the deed throws; then nothing has changed
   */
  async otherwise({ title, does, leavesOut }: Otherwise): Promise<Moment> {
    const here = this.#now;
    const sim = here.world.fork();
    await does(sim);
    const ahead = leavesOut === true ? here.ahead.slice(1) : here.ahead;
    return this.#enter(this.#after(here, sim, { title: `Otherwise: ${title}`, ok: true }, { ahead, differs: true }));
  }

  #after(here: Moment, sim: Simulator, deed: Deed, on: Pick<Moment, "ahead" | "differs">): Moment {
    const telling = this.#story.step(deed, sim, this.#cast, here.told);
    const moment: Moment = { ...telling, ...on, world: sim.fork(), deeds: [...here.deeds, deed], before: here };
    this.#live.set(moment, sim);
    return moment;
  }

  #enter(moment: Moment): Moment {
    this.#now = moment;
    return moment;
  }

  #liveAt(moment: Moment): Simulator {
    return this.#live.get(moment) ?? moment.world.fork();
  }
}
