import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { drFailoverUnplanned } from "../../../scenarios/dr-failover-unplanned.ts";
import { drOfAPerformancePrimary } from "../../../scenarios/dr-of-a-performance-primary.ts";
import { libraryLoan } from "../../../scenarios/library-loan.ts";
import { regionOutage } from "../../../scenarios/region-outage.ts";
import { LineOfTime, type Moment } from "../../../src/node/story/line-of-time.ts";
import { choicesAt } from "../../../src/node/story/otherwise.ts";
import { Story } from "../../../src/node/story/story.ts";
import { PLAIN_STYLE } from "../../../src/node/terminal/style.ts";
import { type Cast, defineScenario, type Scenario } from "../../../src/scenario/define.ts";
import { beginScenario } from "../../../src/scenario/run.ts";
import type { Simulator } from "../../../src/simulator/types.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";

async function lineOf<C extends Cast>(scenario: Scenario<C>): Promise<LineOfTime> {
  const { sim, cast } = await beginScenario(scenario);
  const plain = scenario as unknown as Scenario;
  return new LineOfTime(new Story(plain, PLAIN_STYLE, 80), sim, cast, plain.steps);
}

/** The moments of a story that is told without a pause. */
async function momentsOf(time: LineOfTime): Promise<Moment[]> {
  const moments = [time.now];
  while (time.canGoOn) moments.push(await time.on());
  return moments;
}

const shownAt = ({ lines, world }: Moment): object => ({
  lines,
  state: world.stateHash(),
  now: world.clock.now(),
  log: world.log.toNdjson(),
});

describe("stepping back and forth", () => {
  const expected = new Map<string, object[]>();

  beforeAll(async () => {
    for (const scenario of [libraryLoan, regionOutage] as unknown as Scenario[]) {
      expected.set(scenario.name, (await momentsOf(await lineOf(scenario))).map(shownAt));
    }
  });

  property(
    [
      fc.constantFrom(libraryLoan, regionOutage),
      fc.array(fc.constantFrom("on", "back", "fork", "pass"), { maxLength: 25 }),
    ],
    runs(40),
  )("always shows the same moment, whatever was tried on the way", async (scenario, ways) => {
    const time = await lineOf(scenario as unknown as Scenario);
    const moments = expected.get(scenario.name) ?? [];
    const trail: (object | undefined)[] = [moments[0]];
    for (const way of ways) {
      if (way === "back") {
        time.back();
        if (trail.length > 1) trail.pop();
      } else if (way === "on") {
        if (!time.canGoOn) continue;
        const { differs } = time.now;
        await time.on();
        trail.push(differs ? shownAt(time.now) : moments[trail.length]);
      } else {
        const does = way === "fork" ? () => undefined : (sim: Moment["world"]) => sim.clock.advance("7m");
        await time.otherwise({ title: way, does });
        trail.push(shownAt(time.now));
      }
      expect(shownAt(time.now)).toEqual(trail.at(-1));
    }
  });

  it("keeps the line of time that was left, beside the fork", async () => {
    const time = await lineOf(libraryLoan);
    const first = await time.on();
    const second = await time.on();
    time.back();
    await time.otherwise({ title: "an hour", does: (sim) => sim.clock.advance("1h") });
    expect(time.now.differs).toBe(true);
    expect(time.back()).toBe(first);
    expect(time.knowsNext).toBe(true);
    expect(await time.on()).toBe(second);
  });

  it("goes no further than a step that failed, and still forks from there", async () => {
    const failing = defineScenario({
      ...libraryLoan,
      steps: [
        ...libraryLoan.steps.slice(0, 1),
        {
          title: "no",
          expect: () => {
            throw new Error("no");
          },
        },
        ...libraryLoan.steps.slice(1),
      ],
    });
    const time = await lineOf(failing);
    await time.on();
    await time.on();
    expect(time.canGoOn).toBe(false);
    await time.otherwise({ title: "a minute", does: (sim) => sim.clock.advance("1m") });
    expect(time.canGoOn).toBe(true);
  });

  it("leaves a moment as it was when what was tried is refused half way", async () => {
    const time = await lineOf(libraryLoan);
    const before = shownAt(time.now);
    const half = (sim: Moment["world"]): void => {
      sim.secrets.cluster("east").seal();
      throw new Error("half done");
    };
    await expect(time.otherwise({ title: "half", does: half })).rejects.toThrow("half done");
    expect(shownAt(time.now)).toEqual(before);
  });

  it("goes on in the world that the steps were taken in, so that what waits in it goes on waiting", async () => {
    const waiting = defineScenario({
      name: "waiting",
      title: "A reader waits over two steps",
      world: { scheduler: { regions: ["eu"] } },
      cast: (sim) => ({ root: sim.scheduler.region("eu").as().acl.bootstrap().SecretID }),
      steps: [
        {
          title: "Somebody waits",
          does: async (sim, { root }) => {
            void sim.scheduler.region("eu").as(root).policies.list({}, { index: 99, wait: "5m" });
          },
        },
        { title: "They still do", does: (sim) => expect(sim.clock.waiting()).toHaveLength(1) },
      ],
    });
    const time = await lineOf(waiting);
    await time.on();
    time.back();
    await time.on();
    expect((await time.on()).deeds.map(({ ok }) => ok)).toEqual([true, true]);
  });
});

describe("what can be done otherwise", () => {
  const world = defineScenario({
    name: "world",
    title: "World",
    world: { secrets: { clusters: ["east", "west"] }, scheduler: { regions: ["eu", "us"] } },
    cast: (sim) => {
      sim.secrets.cluster("east").createToken({ policies: ["default"], ttl: "5m" });
      sim.scheduler.region("eu").as().acl.bootstrap();
      sim.settle();
      return {};
    },
    steps: [
      {
        title: "East is sealed, and west stops",
        does: (sim) => {
          sim.secrets.cluster("east").seal();
          sim.network.stop(sim.secrets.cluster("west"));
          sim.scheduler.region("us").setLeader(false);
        },
      },
      { title: "Nothing" },
    ],
  });

  it("is offered for what there is, and can be done", async () => {
    const time = await lineOf(world);
    const offered: string[][] = [];
    for (;;) {
      const here = time.now;
      offered.push(choicesAt(here).map(({ title }) => title));
      const before = shownAt(here);
      for (const choice of choicesAt(here)) {
        if (!("does" in choice)) continue;
        const there = await time.otherwise(choice);
        expect(there.lines[0]).toContain("Otherwise: ");
        time.back();
      }
      expect(shownAt(time.now)).toEqual(before);
      if (!time.canGoOn) break;
      await time.on();
    }
    expect(offered[0]).toEqual(
      expect.arrayContaining([
        "time passes ...",
        "the next deadline comes: tokenExpiry, 2026-01-01 00:05:00",
        "it is left out: East is sealed, and west stops",
        "east stops",
        "east is sealed",
        "us loses its leader",
        "us becomes authoritative",
        "the line between eu and us is cut",
        "the directory does not answer",
      ]),
    );
    expect(offered[1]).toEqual(
      expect.arrayContaining(["east is unsealed", "west starts", "us has a leader again", "it is left out: Nothing"]),
    );
    expect(offered.at(-1)?.some((title) => title.startsWith("it is left out"))).toBe(false);
  });

  it.each([drFailoverUnplanned, drOfAPerformancePrimary] as unknown as Scenario[])(
    "of clusters that replicate are changes of role and lines, at every moment of $name",
    async (scenario) => {
      for (const here of await momentsOf(await lineOf(scenario))) {
        const before = shownAt(here);
        for (const choice of choicesAt(here)) {
          if (!("does" in choice)) continue;
          await choice.does(here.world.fork());
        }
        expect(shownAt(here)).toEqual(before);
      }
    },
  );

  it("a promotion, a demotion and a cut of the line do what they say", async () => {
    const [start, joined] = await momentsOf(await lineOf(drFailoverUnplanned));
    if (start === undefined || joined === undefined) throw new Error("it has two moments");
    const titles = (moment: Moment): string[] => choicesAt(moment).map(({ title }) => title);
    expect(titles(start).filter((title) => /promoted|demoted|the line/.test(title))).toEqual([]);
    expect(titles(joined)).toEqual(
      expect.arrayContaining([
        "east is demoted (DR)",
        "west is promoted (DR)",
        "the line between east and west is cut",
      ]),
    );
    const having = async (wanted: string): Promise<Simulator> => {
      const choice = choicesAt(joined).find(({ title }) => title === wanted);
      const fork = joined.world.fork();
      if (choice !== undefined && "does" in choice) await choice.does(fork);
      return fork;
    };
    const modes = (sim: Simulator): unknown =>
      ["east", "west"].map((name) => sim.secrets.cluster(name).as().replication.dr.status().data.mode);
    expect(modes(joined.world)).toEqual(["primary", "secondary"]);
    expect(modes(await having("west is promoted (DR)"))).toEqual(["primary", "primary"]);
    expect(modes(await having("east is demoted (DR)"))).toEqual(["secondary", "secondary"]);
    const cut = await having("the line between east and west is cut");
    const titlesThere = titles({ ...joined, world: cut });
    expect(titlesThere).toContain("the line between east and west is mended");
    cut.clock.advance("11s");
    expect(cut.secrets.cluster("west").as().replication.dr.status().data).toMatchObject({ state: "idle" });
    choicesAt({ ...joined, world: cut }).forEach((choice) => {
      if (choice.title.endsWith("is mended") && "does" in choice) choice.does(cut);
    });
    expect(cut.secrets.cluster("west").as().replication.dr.status().data).toMatchObject({ state: "stream-wals" });
  });

  it("a promotion gives up an attempt that is under way, and whoever is sealed or stopped changes no role", async () => {
    const [, joined] = await momentsOf(await lineOf(drFailoverUnplanned));
    if (joined === undefined) throw new Error("it has two moments");
    const world = joined.world.fork();
    await world.secrets.cluster("west").as().replication.dr.operationToken.start();
    const promotion = choicesAt({ ...joined, world }).find(({ title }) => title === "west is promoted (DR)");
    if (promotion !== undefined && "does" in promotion) await promotion.does(world);
    expect(world.secrets.cluster("west").as().replication.dr.status().data.mode).toBe("primary");
    world.secrets.cluster("west").seal();
    world.network.stop(world.secrets.cluster("east"));
    expect(choicesAt({ ...joined, world }).filter(({ title }) => /promoted|demoted/.test(title))).toEqual([]);
  });
});
