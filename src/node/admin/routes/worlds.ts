import { VERSION } from "../../../simulator/version.ts";
import { keysOf } from "../../serve/keys.ts";
import type { WorldAmongOthers } from "../../worlds/world.ts";
import type { NewWorld, Worlds } from "../../worlds/worlds.ts";
import { ADMIN_PATH } from "../path.ts";
import type { AdminAnswer, AdminRoute, RouteShape, WorldSubject } from "../route.ts";
import { shape, shapes } from "../shapes.ts";
import { json, nowOf, PLACE, placeIn } from "./schemas.ts";

/** What routes of all worlds are about. */
export interface WorldsSubject {
  readonly worlds: Worlds;
  /** The URL of the listener. */
  readonly url: string;
  /** Whether worlds are shown in a browser. */
  readonly inspect: boolean;
  /** The document of the admin path. */
  readonly document: () => object;
}

/** What routes of one world among others are about. */
export interface WorldAmongOthersSubject extends WorldSubject {
  readonly own: WorldAmongOthers;
  readonly worlds: Worlds;
  readonly inspect: boolean;
}

/** Where the routes of a world are, below the URL of the listener. */
export function pathOfWorld(id: string): string {
  return `${ADMIN_PATH}/worlds/${id}`;
}

/** What is told of a world: where it is served, and what opens it. */
type Telling = Pick<WorldsSubject, "url" | "inspect">;

/** A world, with what opens it: what its maker is told. */
function opened({ url, inspect }: Telling, { id, name, secret, urls, sim }: WorldAmongOthers): object {
  const admin = { url: url + pathOfWorld(id), secret };
  return {
    id,
    name,
    urls,
    admin,
    inspectUrl: inspect ? `${admin.url}/inspect#secret=${encodeURIComponent(secret)}` : undefined,
    ...keysOf(sim),
    position: sim.position,
    ...nowOf(sim),
  };
}

async function created(
  { worlds, ...telling }: Telling & Pick<WorldsSubject, "worlds">,
  asked: NewWorld,
): Promise<AdminAnswer> {
  const { at } = asked;
  const world = await worlds.create(at === undefined ? asked : { ...asked, at: placeIn(at) });
  return { created: opened(telling, world) };
}

const NAME = { type: "string", description: "what you call the world; shown in lists" } as const;
const PORTS = {
  description: "true for free ports of its own, or { runs, scheduler, secrets } with a port, or ports by name",
} as const;

/** The worlds of a listener. */
export const worldsRoutes: readonly AdminRoute<WorldsSubject>[] = [
  {
    method: "GET",
    path: "/",
    id: "getServer",
    answers: shape("Server"),
    summary: "How many worlds there are",
    answer: ({ worlds }) =>
      json({ version: VERSION, worlds: worlds.size, documents: [`${ADMIN_PATH}/openapi/admin.json`] }),
  },
  {
    method: "GET",
    path: "/openapi/{document}",
    id: "getServerDocument",
    answers: shape("Document"),
    summary: "The OpenAPI 3.1 document of this path, admin.json; each world has those of its services",
    answer: ({ document, captures }) =>
      captures["document"] === "admin.json"
        ? json(document())
        : { missing: `there is no document ${captures["document"]}: those of services are below a world` },
  },
  {
    method: "GET",
    path: "/worlds",
    id: "listWorlds",
    answers: shapes("WorldInList"),
    summary: "The worlds, in the order of their making",
    answer: ({ worlds }) =>
      json(
        worlds.list().map(({ id, name, createdAt, sim }) => {
          return { id, name, createdAt, position: sim.position, ...nowOf(sim) };
        }),
      ),
  },
  {
    method: "POST",
    path: "/worlds",
    id: "createWorld",
    answers: shape("World"),
    summary: "Makes a world: from options, from a log, or as a fork of another one at a place",
    body: {
      options: {
        type: "object",
        description: "options of createSimulator, over those that the server was started with",
      },
      log: { type: "string", description: "the text of a log" },
      fork: { type: "string", description: "the id of a world" },
      at: PLACE,
      name: NAME,
      ports: PORTS,
    },
    status: 201,
    answer: ({ worlds, url, inspect, body }) => created({ worlds, url, inspect }, body),
  },
];

/** What a world among others has besides the routes of every world. */
export const worldAmongOthersRoutes: readonly AdminRoute<WorldAmongOthersSubject>[] = [
  {
    method: "GET",
    path: "/",
    id: "getWorld",
    answers: shape("World"),
    summary: "The world: where it is served, what opens it, and where it stands",
    answer: ({ own, url, inspect }) => json(opened({ url: listenerOf(url), inspect }, own)),
  },
  {
    method: "DELETE",
    path: "/",
    id: "deleteWorld",
    summary: "Ends the world: who waits in it is told so",
    status: 204,
    answer: async ({ own, worlds }) => {
      await worlds.delete(own.id);
      return { nothing: true };
    },
  },
  {
    method: "POST",
    path: "/fork",
    id: "forkWorld",
    answers: shape("World"),
    summary: "Makes a world with the same past up to a place, by default the present",
    body: { at: PLACE, name: NAME, ports: PORTS },
    status: 201,
    answer: ({ own, worlds, url, inspect, body }) =>
      created({ worlds, inspect, url: listenerOf(url) }, { ...body, fork: own.id }),
  },
];

function listenerOf(url: string): string {
  return new URL(url).origin;
}

/** A route as the document of the whole admin path shows it. */
export function belowWorld(route: RouteShape): RouteShape {
  return { ...route, path: `/worlds/{world}${route.path === "/" ? "" : route.path}` };
}
