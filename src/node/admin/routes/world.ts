import { serviceDocument } from "../../../http/openapi/services.ts";
import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import { LiveSimulator } from "../../../simulator/live-simulator.ts";
import type { WorldService } from "../../../simulator/model.ts";
import type { Simulator } from "../../../simulator/types.ts";
import { VERSION } from "../../../simulator/version.ts";
import { adminDocument } from "../document.ts";
import type { AdminRoute, WorldSubject } from "../route.ts";
import { shape, shapes } from "../shapes.ts";
import { clockRoutes } from "./clock.ts";
import { deedRoutes } from "./deeds.ts";
import { pastRoutes } from "./past.ts";
import { scenarioRoutes } from "./scenarios.ts";
import { json, nowOf } from "./schemas.ts";

const servicesIn = (sim: Simulator): readonly WorldService[] => LiveSimulator.insideOf(sim).hosts.services;

/** All that the admin path answers of a world, but for the calls of the control surface. */
export const adminRoutes: readonly AdminRoute<WorldSubject>[] = [
  {
    method: "GET",
    path: "/",
    id: "getIndex",
    answers: shape("Index"),
    summary: "What is served, where, and where it stands",
    answer: ({ world, sim, url }) => {
      const documents = ["admin", ...servicesIn(sim).map(({ name }) => name)];
      return json({
        version: VERSION,
        position: sim.position,
        ...nowOf(sim),
        services: world.urls,
        documents: documents.map((name) => `${new URL(url).pathname}/openapi/${name}.json`),
      });
    },
  },
  {
    method: "GET",
    path: "/openapi/{document}",
    id: "getDocument",
    answers: shape("Document"),
    summary: "An OpenAPI 3.1 document: admin.json, runs.json, scheduler.json or secrets.json",
    answer: ({ world, sim, routes, url, captures: { document = "" } }) => {
      const name = document.replace(/\.json$/, "");
      if (name === "admin") return json(adminDocument(sim, url, routes));
      const service = servicesIn(sim).find((one) => one.name === name);
      if (service === undefined) return { missing: `there is no document ${document}` };
      const own = (
        world.urls as unknown as { readonly [service: string]: string | { readonly [name: string]: string } }
      )[name];
      const [at = url] = typeof own === "string" ? [own] : Object.values(own ?? {});
      return json(serviceDocument(service, at, VERSION, wordsOf(sim.state)));
    },
  },
  {
    method: "GET",
    path: "/operations",
    id: "listOperations",
    answers: shapes("Operation"),
    summary: "Every operation that the services answer",
    answer: ({ sim }) => json(sim.operations()),
  },
  ...clockRoutes,
  ...pastRoutes,
  ...deedRoutes,
  ...scenarioRoutes,
];
