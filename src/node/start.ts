import { styleText } from "node:util";
import { libraryLoan } from "../../scenarios/library-loan.ts";
import type { Cast, Scenario } from "../scenario/define.ts";
import { runScenario } from "../scenario/run.ts";
import { PLAIN_STYLE, Story, type Style } from "./story.ts";

/** Marks for a terminal that shows colours and whose owner wants them (https://no-color.org). */
function terminalStyle(): Style {
  const wanted = (process.env["NO_COLOR"] ?? "") === "" && process.stdout.isTTY && process.stdout.hasColors();
  if (!wanted) return PLAIN_STYLE;
  return {
    strong: (text) => styleText("bold", text),
    quiet: (text) => styleText("dim", text),
    good: (text) => styleText("green", text),
    bad: (text) => styleText("red", text),
  };
}

/** Runs a scenario and tells it on the standard output; a step that fails makes the exit code 1. */
async function tell<C extends Cast>(scenario: Scenario<C>): Promise<void> {
  const print = (lines: readonly string[]): void => console.log(lines.join("\n"));
  const story = new Story(scenario, terminalStyle());
  print(story.title());
  const { ok, steps } = await runScenario(scenario, {
    onStep: (step, sim, cast) => print(story.step(step, sim, cast)),
  });
  print(story.end(steps, scenario.world.seed ?? 1));
  if (!ok) process.exitCode = 1;
}

await tell(libraryLoan);
