import { messageOf } from "../../scenario/message.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { fitted, wrapped } from "../terminal/columns.ts";
import { type Key, nextKey } from "../terminal/keys.ts";
import type { Output } from "../terminal/output.ts";
import { progressOfWork } from "../terminal/progress.ts";
import { LineOfTime } from "./line-of-time.ts";
import { begin, kept, type Play, replaysOf, seedOf } from "./play.ts";
import { Story } from "./story.ts";

const CLEAR = "\r\u001b[K";

/** Tells a story and waits for a key before each step. @returns what the moment says at which it was left */
export async function stepThrough(play: Play, output: Output): Promise<ExitCode> {
  const { scenario } = play.found;
  const progress = progressOfWork();
  const { sim, cast } = await begin(play, progress);
  const time = new LineOfTime(new Story(scenario, output.style, output.columns), sim, cast, scenario.steps);
  await kept(play, time.now.world, progress);
  show(time, play, output);
  for (;;) {
    const key = await nextKey(() => {
      output.write(output.style.quiet(fitted(`-- ${choicesAt(time)} `, output.columns - 1)));
    });
    output.write(CLEAR);
    if (key === undefined || key === "q" || key === "\u0004") return ended(time);
    if (key === "\u0003") return EXIT.interrupted;
    if (await moved(key, time, output, progress.on)) {
      progress.off();
      show(time, play, output);
      await kept(play, time.now.world, progress);
    }
  }
}

function choicesAt(time: LineOfTime): string {
  const on = time.canGoOn ? ["enter next"] : [];
  const back = time.now.before === undefined ? [] : ["b back"];
  return [...on, ...back, "f fork", "q quit"].join(", ");
}

/** Does what a key stands for. @returns whether there is something to show */
async function moved(key: Key, time: LineOfTime, output: Output, begins: (what: string) => void): Promise<boolean> {
  switch (key) {
    case "\r":
    case "\n":
    case " ":
    case "n": {
      if (!time.canGoOn) return false;
      const [step] = time.now.ahead;
      if (!time.knowsNext && step !== undefined) begins(step.title);
      await time.on();
      return true;
    }
    case "b": {
      if (time.now.before === undefined) return false;
      time.back();
      return true;
    }
    case "f":
      return forked(time, output);
    default:
      return false;
  }
}

async function forked(time: LineOfTime, output: Output): Promise<boolean> {
  const { askOtherwise } = await import("./otherwise.ts");
  const otherwise = await askOtherwise(time.now);
  if (otherwise === undefined) return false;
  try {
    await time.otherwise(otherwise);
    return true;
  } catch (error) {
    output.print([...wrapped(messageOf(error), "  not done  ", output.columns).map(output.style.bad), ""]);
    return false;
  }
}

function show({ now, canGoOn }: LineOfTime, play: Play, output: Output): void {
  output.print(now.lines);
  if (canGoOn) return;
  const { scenario } = play.found;
  const story = new Story(scenario, output.style, output.columns);
  if (!now.differs) output.print(story.end(now.deeds, seedOf(now.world), replaysOf(play, now.world)));
  else output.print([output.style.strong("the end of this line of time")]);
}

function ended({ now }: LineOfTime): ExitCode {
  return now.deeds.at(-1)?.ok === false ? EXIT.failed : EXIT.held;
}
