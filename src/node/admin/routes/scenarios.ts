import { messageOf } from "../../../scenario/message.ts";
import { runScenario } from "../../../scenario/run.ts";
import { builtIn, builtInNames } from "../../scenarios/built-in.ts";
import type { AdminRoute, WorldSubject } from "../route.ts";
import { shape, shapes } from "../shapes.ts";
import { json } from "./schemas.ts";

/** The stories that come with the library. */
export const scenarioRoutes: readonly AdminRoute<WorldSubject>[] = [
  {
    method: "GET",
    path: "/scenarios",
    id: "listScenarios",
    answers: shapes("Scenario"),
    summary: "The ready-made stories",
    answer: async () => {
      const found = await Promise.all(builtInNames().map(builtIn));
      return json(found.map(({ scenario: { name, title } }) => ({ name, title })));
    },
  },
  {
    method: "POST",
    path: "/scenarios/{name}",
    id: "runScenario",
    answers: shape("ScenarioRun"),
    summary: "Tells a story, in a world of its own; with serve, that world is served from now on",
    body: { seed: { type: ["string", "number"] }, serve: { type: "boolean", default: false } },
    answer: async ({ world, captures: { name = "" }, body: { seed, serve } }) => {
      const names = builtInNames();
      if (!names.includes(name)) return { missing: `no scenario is named ${name}; there are ${names.join(", ")}` };
      const { scenario } = await builtIn(name);
      const report = await runScenario(scenario, seed === undefined ? {} : { seed: seed as string });
      if (serve === true) await world.reset(report.sim);
      const steps = report.steps.map(({ error, ...step }) => ({
        ...step,
        ...(error === undefined ? {} : { error: messageOf(error) }),
      }));
      return json({ ok: report.ok, steps, cast: report.cast, position: report.sim.position, served: serve === true });
    },
  },
];
