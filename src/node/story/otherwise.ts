import { isCancel, select, text } from "@clack/prompts";
import { durationMs } from "../../languages/duration.ts";
import { clockFace } from "../../scenario/clock-face.ts";
import { messageOf } from "../../scenario/message.ts";
import { shortName } from "../../scenario/words.ts";
import { numbersOf, stoppedAt, stoppedSinceMs } from "../../services/secrets/cluster/state.ts";
import type { Cluster } from "../../services/secrets/state.ts";
import type { Simulator } from "../../simulator/types.ts";
import { lineChoices, roleChoices } from "./changes-of-role.ts";
import type { Moment, Otherwise } from "./line-of-time.ts";

/** Asks what is to happen instead. @returns undefined when nothing is */
export async function askOtherwise(moment: Moment): Promise<Otherwise | undefined> {
  const choices = choicesAt(moment);
  const answer = await select({
    message: "What happens instead?",
    options: choices.map(({ title }, value) => ({ value, label: title })),
    maxItems: 12,
  });
  if (isCancel(answer)) return undefined;
  const choice = choices[answer];
  if (choice !== undefined) return "does" in choice ? choice : choice.ask();
  return undefined;
}

interface Question {
  readonly title: string;
  readonly ask: () => Promise<Otherwise | undefined>;
}

/** What can be done at a moment without a line of code. */
export function choicesAt({ world, ahead }: Moment): (Otherwise | Question)[] {
  const [next] = ahead;
  const due = world.clock.pending().find((one) => one.timer === undefined);
  return [
    { title: "time passes ...", ask: askForTime },
    ...(due === undefined
      ? []
      : [
          {
            title: `the next deadline comes: ${shortName(due.command)}, ${clockFace(due.dueAtMs)}`,
            does: (sim: Simulator) => sim.clock.next(),
          },
        ]),
    ...(next === undefined
      ? []
      : [{ title: `it is left out: ${next.title}`, does: () => undefined, leavesOut: true } satisfies Otherwise]),
    ...Object.keys(world.state.secrets).flatMap((name) => clusterChoices(world, name)),
    ...lineChoices(world),
    ...regionChoices(world),
    { title: "all links are mended, and what is in flight arrives", does: mendAll },
    { title: "the directory does not answer", does: (sim) => sim.directory.setAvailable(false) },
    { title: "the directory answers", does: (sim) => sim.directory.setAvailable(true) },
  ];
}

function mendAll(sim: Simulator): void {
  sim.network.heal();
  sim.settle();
}

function clusterChoices(world: Simulator, name: string): Otherwise[] {
  const ignored = world.state.secrets[name]?.ignored;
  if (ignored === undefined) return [];
  if (stoppedAt(ignored) !== undefined) {
    return [{ title: `${name} starts`, does: (sim) => sim.network.start(sim.secrets.cluster(name)) }];
  }
  return [
    { title: `${name} stops`, does: (sim) => sim.network.stop(sim.secrets.cluster(name)) },
    ...(ignored.nodes.count === 1 ? [] : numbersOf(ignored.nodes).map((node) => nodeChoice(name, ignored, node))),
    ignored.seal.status === "sealed"
      ? { title: `${name} is unsealed`, does: (sim) => sim.secrets.cluster(name).unseal() }
      : { title: `${name} is sealed`, does: (sim) => sim.secrets.cluster(name).seal() },
    ...(ignored.seal.status === "sealed" ? [] : roleChoices(world, name)),
  ];
}

function nodeChoice(name: string, { nodes }: Cluster["ignored"], node: number): Otherwise {
  return stoppedSinceMs(nodes, node) === undefined
    ? { title: `node ${node} of ${name} stops`, does: (sim) => sim.network.stopNode(sim.secrets.cluster(name), node) }
    : {
        title: `node ${node} of ${name} starts`,
        does: (sim) => sim.network.startNode(sim.secrets.cluster(name), node),
      };
}

function regionChoices({ state }: Simulator): Otherwise[] {
  const { regions = {}, authoritative } = state.scheduler ?? {};
  return Object.entries(regions).flatMap(([name, region]): Otherwise[] => {
    const isLeaderless = region.leaderLostAtMs !== undefined;
    const leader: Otherwise = {
      title: isLeaderless ? `${name} has a leader again` : `${name} loses its leader`,
      does: (sim) => sim.scheduler.region(name).setLeader(isLeaderless),
    };
    if (name === authoritative || authoritative === undefined) return [leader];
    return [
      leader,
      {
        title: `${name} becomes authoritative`,
        does: (sim) => sim.scheduler.setAuthoritative(sim.scheduler.region(name)),
      },
      {
        title: `the line between ${authoritative} and ${name} is cut`,
        does: (sim) => sim.network.cut(sim.scheduler.region(authoritative), sim.scheduler.region(name)),
      },
    ];
  });
}

async function askForTime(): Promise<Otherwise | undefined> {
  const answer = await text({
    message: "How much time?",
    placeholder: "90s, 1h30m, 2d",
    validate: (value) => faultOfDuration(value ?? ""),
  });
  if (isCancel(answer)) return undefined;
  return { title: `${answer} pass`, does: (sim) => sim.clock.advance(answer) };
}

function faultOfDuration(value: string): string | undefined {
  try {
    durationMs(value);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
