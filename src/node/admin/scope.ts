import type { ServedWorld } from "../listener/served-world.ts";
import { ADMIN_PATH } from "./path.ts";
import type { AdminAnswer, AdminRequest, AdminRoute, RouteShape, WorldSubject } from "./route.ts";
import { inspectorRoutes } from "./routes/inspector.ts";
import { adminRoutes } from "./routes/world.ts";

/** A part of the admin path, and what it is about: a world, or all worlds of a listener. */
export interface AdminScope {
  /** What opens it, besides the listener's own secret. */
  readonly secret?: string | undefined;
  /** The world that it is about. */
  readonly world?: ServedWorld | undefined;
  /** Whether there is the inspector. */
  readonly isInspected: boolean;
  readonly routes: readonly RouteShape[];
  readonly answer: (route: RouteShape, request: AdminRequest) => AdminAnswer | Promise<AdminAnswer>;
}

/** Finds the scope of a path, and the path in it. */
export type Scopes = (
  path: string,
) =>
  | { readonly scope: AdminScope; readonly path: string }
  | { readonly scope: undefined; readonly path: string; readonly missing: string };

/** A scope of routes that are about something. */
export function scopeOf<S>(routes: readonly AdminRoute<S>[], subject: () => S, about: Partial<AdminScope>): AdminScope {
  const answers = new Map<RouteShape, AdminRoute<S>["answer"]>(routes.map((route) => [route, route.answer]));
  return {
    isInspected: false,
    ...about,
    routes,
    answer: (route, request) => {
      const answer = answers.get(route);
      if (answer === undefined) throw new TypeError(`${route.path} is a route of something else`);
      return answer({ ...request, ...subject() });
    },
  };
}

/** The routes of a world; with the inspector, those that show it, too. */
export function worldRoutes(inspect: boolean): readonly AdminRoute<WorldSubject>[] {
  return inspect ? INSPECTED : adminRoutes;
}

const INSPECTED = [...adminRoutes, ...inspectorRoutes];

/** The admin path of a listener with one world, which all of it is about. */
export function soleWorldScopes(
  world: ServedWorld,
  { url, inspect }: { readonly url: () => string; readonly inspect: boolean },
): Scopes {
  const routes = worldRoutes(inspect);
  const subject = (): WorldSubject => ({ world, sim: world.sim, url: url() + ADMIN_PATH, routes });
  const scope = scopeOf(routes, subject, { world, isInspected: inspect });
  return (path) => ({ scope, path });
}
