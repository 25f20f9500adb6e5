import { messageOf } from "../../scenario/message.ts";
import { placesOf } from "../../scenario/places.ts";
import { playStep, type StepReport } from "../../scenario/run.ts";
import { defineCommand, JSON_OPTION, seedIn } from "../command.ts";
import { EXIT, type ExitCode, usageError } from "../exit.ts";
import { findScenario } from "../scenarios/find.ts";
import { begin, kept, type Play, replaysOf, seedOf, stepText } from "../story/play.ts";
import { Story } from "../story/story.ts";
import { counted } from "../terminal/counted.ts";
import type { Output } from "../terminal/output.ts";
import { progressOfWork } from "../terminal/progress.ts";

/** Runs a scenario, and tells it as it unfolds. */
export const run = defineCommand({
  name: "run",
  about: "Runs a scenario and tells it as it unfolds.",
  args: {
    scenario: {
      type: "positional",
      description: "the name of a scenario, or a file that exports one",
      required: false,
    },
    seed: { type: "string", description: "in place of the scenario's own seed", valueHint: "n" },
    log: { type: "string", description: "where the log is kept", valueHint: "out.ndjson" },
    step: {
      type: "boolean",
      description:
        "wait for a key before each step: enter goes on, b back one, f forks and goes on differently, q ends",
    },
    ...JSON_OPTION,
  },
  run: async (args, output) => {
    if (args.step && args.json) throw usageError("--step is for people, and --json for programs: take one of them");
    if (args.step && !output.isInteractive) {
      throw usageError(
        "--step waits for keys, and this is no terminal",
        "leave --step out, and the story is told at once",
      );
    }
    const word = args.scenario ?? (await chosen(output, args.json === true));
    const found = await findScenario(word);
    const play: Play = { found, seed: seedIn(args.seed), word, log: args.log };
    if (args.step) return (await import("../story/stepping.ts")).stepThrough(play, output);
    return args.json ? inJson(play, output) : inWords(play, output);
  },
});

async function inWords(play: Play, output: Output): Promise<ExitCode> {
  const { scenario } = play.found;
  const story = new Story(scenario, output.style, output.columns);
  const progress = progressOfWork();
  const { sim, cast } = await begin(play, progress);
  const title = story.title(sim, cast);
  // First, because a log that cannot be kept is told before anything is done.
  await kept(play, sim, progress);
  output.print(title.lines);
  const steps: StepReport[] = [];
  let { told } = title;
  for (const step of scenario.steps) {
    progress.on(stepText(steps.length, scenario));
    const report = await playStep(step, sim, cast);
    const telling = story.step(report, sim, cast, told);
    steps.push(report);
    told = telling.told;
    progress.off();
    output.print(telling.lines);
    // After each step, so that whoever interrupts the next one keeps what was done.
    await kept(play, sim, progress);
    if (!report.ok) break;
  }
  if (play.log !== undefined) output.print([`log: ${play.log}, ${counted(sim.position, "commit")}`]);
  output.print(story.end(steps, seedOf(sim), replaysOf(play, sim)));
  return steps.every(({ ok }) => ok) ? EXIT.held : EXIT.failed;
}

async function inJson(play: Play, output: Output): Promise<ExitCode> {
  const { scenario } = play.found;
  const { name, title, steps: all } = scenario;
  const progress = progressOfWork();
  const { sim, cast } = await begin(play, progress);
  const steps: object[] = [];
  let ok = true;
  await kept(play, sim, progress);
  for (const step of all) {
    const from = sim.position;
    progress.on(stepText(steps.length, scenario));
    const { error, ...report } = await playStep(step, sim, cast);
    progress.off();
    steps.push({
      ...report,
      at: new Date(report.atMs).toISOString(),
      ...(error === undefined ? {} : { error: messageOf(error) }),
      commits: sim.log.commits().slice(from),
      places: placesOf(sim),
    });
    ok = report.ok;
    await kept(play, sim, progress);
    if (!ok) break;
  }
  output.printJson({
    scenario: name,
    title,
    seed: seedOf(sim),
    ok,
    stepsHeld: ok ? steps.length : steps.length - 1,
    stepsInAll: all.length,
    steps,
    stateHash: sim.stateHash(),
    replay: replaysOf(play, sim).map((line) => line.replace(/^\w+: +/, "")),
    ...(play.log === undefined ? {} : { log: play.log }),
  });
  return ok ? EXIT.held : EXIT.failed;
}

/** Asks which scenario, where somebody is there to answer. */
async function chosen(output: Output, json: boolean): Promise<string> {
  if (!output.isInteractive || json) {
    throw usageError("which scenario?", "hindcast list   shows them all", "hindcast run <name or file>");
  }
  const { chooseScenario } = await import("../scenarios/choose.ts");
  return chooseScenario();
}
