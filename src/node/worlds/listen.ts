import { worldModel } from "../../simulator/services.ts";
import type { Simulator } from "../../simulator/types.ts";
import { createSimulator } from "../../simulator.ts";
import { Admin } from "../admin/admin.ts";
import { adminDocument } from "../admin/document.ts";
import { ADMIN_PATH, isAdminPath } from "../admin/path.ts";
import type { AdminRoute } from "../admin/route.ts";
import {
  belowWorld,
  pathOfWorld,
  type WorldAmongOthersSubject,
  type WorldsSubject,
  worldAmongOthersRoutes,
  worldsRoutes,
} from "../admin/routes/worlds.ts";
import { type AdminScope, type Scopes, scopeOf, worldRoutes } from "../admin/scope.ts";
import { WORLDS_PATH } from "../listener/addresses.ts";
import { Doors, type PortAsked } from "../listener/doors.ts";
import { type Inbound, sendText } from "../listener/exchange.ts";
import { readWorldsListenOptions, type WorldsListenOptions, type WorldsListenSettings } from "../listener/options.ts";
import { placeInPath } from "../listener/places.ts";
import type { WorldsListener } from "./listener.ts";
import type { WorldAmongOthers } from "./world.ts";
import type { Worlds } from "./worlds.ts";

/** Answers for worlds: `listen`. */
export async function listenToWorlds(worlds: Worlds, options: WorldsListenOptions): Promise<WorldsListener> {
  const settings = readWorldsListenOptions(options);
  let listening: WorldsListening | undefined;
  const doors = await Doors.open(settings, [{ port: settings.port }], [], (inbound, door) => {
    listening?.answer(inbound, door);
  });
  const { onError = () => undefined } = settings;
  listening = new WorldsListening(worlds, doors, settings);
  try {
    await worlds.attach(doors, onError);
    return listening;
  } catch (error) {
    await doors.close();
    throw error;
  }
}

class WorldsListening implements WorldsListener {
  readonly worlds: Worlds;
  readonly #doors: Doors;
  readonly #admin: Admin;
  readonly #inspect: boolean;
  readonly #all: AdminScope;
  readonly #scopes = new WeakMap<WorldAmongOthers, AdminScope>();
  #closing: Promise<void> | undefined;

  constructor(worlds: Worlds, doors: Doors, { admin, inspect, host, onError = () => undefined }: WorldsListenSettings) {
    this.worlds = worlds;
    this.#doors = doors;
    this.#inspect = inspect;
    const subject: WorldsSubject = { worlds, inspect, url: this.url, document: () => this.#document() };
    this.#all = scopeOf(worldsRoutes, () => subject, {});
    const options = typeof admin === "boolean" ? {} : admin;
    this.#admin = new Admin({ scopes: (path) => this.#scopeOf(path), options, address: host, onError });
  }

  get port(): number {
    return this.#doors.main.port;
  }

  get url(): string {
    return this.#doors.urlAt(this.port);
  }

  get adminSecret(): string {
    return this.#admin.secret;
  }

  get certificate(): string | undefined {
    return this.#doors.certificate?.cert;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.worlds.detach();
    await this.#doors.close();
  }

  answer(inbound: Inbound, door: PortAsked): void {
    if (isAdminPath(inbound.target)) {
      this.#admin.answer(inbound);
      return;
    }
    const called = door.world === undefined ? worldCalled(inbound) : { id: door.world, inbound };
    if (called === undefined) {
      sendText(
        inbound.response,
        404,
        `no world is called: paths begin with ${WORLDS_PATH}/<id>/secrets/main/..., for example`,
      );
      return;
    }
    const world = this.worlds.get(called.id);
    if (world === undefined) {
      refuseMissing(called.inbound, this.worlds.missing(called.id));
      return;
    }
    world.asked();
    world.served.answer(called.inbound, door.place);
  }

  // --- the admin path ----------------------------------------------------------------------------------------------

  #scopeOf(path: string): ReturnType<Scopes> {
    const [, id, rest = ""] = /^\/worlds\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (id === undefined) return { scope: this.#all, path };
    const world = this.worlds.get(id);
    if (world === undefined) return { scope: undefined, path, missing: this.worlds.missing(id) };
    world.asked();
    return { scope: this.#scopeOfWorld(world), path: rest || "/" };
  }

  #scopeOfWorld(own: WorldAmongOthers): AdminScope {
    let scope = this.#scopes.get(own);
    if (scope === undefined) {
      const inspect = this.#inspect;
      const { worlds } = this;
      const { secret, served: world } = own;
      const url = this.url + pathOfWorld(own.id);
      const routes = routesOfWorld(inspect);
      const subject = (): WorldAmongOthersSubject => ({ world, sim: world.sim, url, routes, own, worlds, inspect });
      scope = scopeOf(routes, subject, { world, isInspected: inspect, secret });
      this.#scopes.set(own, scope);
    }
    return scope;
  }

  #document(): object {
    const sim: Simulator = createSimulator(this.worlds.options);
    const routes = [...worldsRoutes, ...routesOfWorld(this.#inspect).map(belowWorld)];
    return adminDocument(sim, this.url + ADMIN_PATH, routes, "/worlds/{world}");
  }
}

/** Those of a world among others first: they take the place of the same of a world alone. */
function routesOfWorld(inspect: boolean): readonly AdminRoute<WorldAmongOthersSubject>[] {
  return inspect ? INSPECTED : PLAIN;
}

const PLAIN = merged(false);
const INSPECTED = merged(true);

function merged(inspect: boolean): readonly AdminRoute<WorldAmongOthersSubject>[] {
  const own = new Set(worldAmongOthersRoutes.map(({ method, path }) => `${method} ${path}`));
  const others = worldRoutes(inspect).filter(({ method, path }) => !own.has(`${method} ${path}`));
  return [...worldAmongOthersRoutes, ...others];
}

/** The world that a request calls, by the beginning of its path or of its host, and the request as that world sees it. */
function worldCalled(inbound: Inbound): { readonly id: string; readonly inbound: Inbound } | undefined {
  const { target, host = "" } = inbound;
  if (target.startsWith(`${WORLDS_PATH}/`)) {
    const end = target.slice(WORLDS_PATH.length + 1).search(/[/?]/);
    const id = end < 0 ? target.slice(WORLDS_PATH.length + 1) : target.slice(WORLDS_PATH.length + 1).slice(0, end);
    const rest = target.slice(WORLDS_PATH.length + 1 + id.length);
    return { id, inbound: { ...inbound, target: rest.startsWith("/") ? rest : `/${rest}` } };
  }
  const [, id, named] = /^([a-z0-9-]+)\.([a-z0-9-]+\.localhost(?::\d+)?)$/i.exec(host) ?? [];
  return id === undefined || named === undefined
    ? undefined
    : { id: id.toLowerCase(), inbound: { ...inbound, host: named } };
}

/** In the words of the service that was asked, where the path tells which. */
function refuseMissing({ response, target, method }: Inbound, message: string): void {
  const service = placeInPath(worldModel.services, target)?.service;
  if (service === undefined) {
    sendText(response, 404, message);
    return;
  }
  const { type, body } = service.http.failure(404, message);
  response.writeHead(404, {
    "Content-Type": type,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
  });
  response.end(method === "HEAD" ? undefined : body);
}
