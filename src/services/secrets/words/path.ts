import { renamed, renamedValue } from "../../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../../languages/vocabulary/worded.ts";
import type { Direction, ServiceWords } from "../../../languages/vocabulary/words.ts";
import { AUTH } from "../mounts/state.ts";
import type { MountPath, NamespacePlace } from "../place.ts";
import { mountOfPath, type SecretsWorld } from "../world.ts";

/** Below it lies the authorization page (decisions-oidc.md, 9). */
export const PAGES = "/ui/secrets/";

/** Whose paths are renamed, and in what world. */
export interface PathContext {
  readonly world: SecretsWorld;
  readonly at: NamespacePlace;
  /** What was asked for, in neutral words. */
  readonly asked?: string;
}

/**
 * A path of a namespace in other words. The service's own segments are renamed: those of its routes, and the first one of a mount. Names that
 * callers gave, such as those of secrets and roles, stay as they are.
 *
 * Our choice: of a mount it is the first segment only, so that a mount that is named like one of the service's own is one in every listing,
 * and `prod/kubernetes` is nobody's word.
 */
export function renamedPath(words: ServiceWords, { world, at }: PathContext, path: string, to: Direction): string {
  if (path.startsWith("/")) return `/${renamedPath(words, { world, at }, path.slice(1), to)}`;
  const moved = renamedMount(words, path, to);
  // Nothing but a mount is renamed in most paths.
  if (words.inPaths[to]?.test(path) !== true) return moved;
  const given = path.split("/");
  const segments = moved.split("/");
  const mount = to === "own" ? path : moved;
  const within = mountOfPath(world, at, `${mount}/`);
  // Without a mount, what its path would begin with has been turned all the same.
  const own = within === undefined ? (mount.startsWith(AUTH) ? 2 : 1) : within.path.split("/").length - 1;
  const turned = segments.map((segment, index) => (index < own ? segment : renamed(words.segments, segment, to)));
  const asked = to === "own" ? path : turned.join("/");
  const places = placesIn(words, { world, at }, asked);
  if (places === undefined) return moved;
  return segments
    .map((_, index) => {
      const place = places[index - (segments.length - places.length)];
      if (place === undefined || place.kind === "route") return turned[index] as string;
      const name = given[index] as string;
      if (place.kind === "name") return name;
      if (place.kind === "value") return renamedValue(words, "name", name, to);
      return place.isFirst ? renamed(words.segments, name, to) : name;
    })
    .join("/");
}

/** What paths over HTTP begin with, which no vocabulary renames. */
const ROOT = "/v1/";

/**
 * The path of an operation in the words of a vocabulary, captures and all. What is no capture is a word of its route, or of the mount that is
 * there from the start: it is renamed as in the paths of that mount, whatever is mounted in a world.
 */
export function renamedTemplate({ segments }: ServiceWords, path: string): string {
  const below = path.slice(ROOT.length).split("/");
  return ROOT + below.map((part) => (part.startsWith("{") ? part : renamed(segments, part, "own"))).join("/");
}

const METHODS = AUTH.slice(0, -1);

/** The path of a mount, or one that begins with it: of a lease, for instance. */
export function renamedMount(words: ServiceWords, path: string, to: Direction): string {
  if (path.startsWith("/")) return `/${renamedMount(words, path.slice(1), to)}`;
  const slash = path.indexOf("/");
  const first = slash < 0 ? path : path.slice(0, slash);
  const other = words.segments[to].get(first) ?? first;
  const rest = path.slice(first.length);
  // A method has the segment behind `auth/` as a mount has its first one.
  const isMethod = (to === "own" ? first : other) === METHODS && rest.startsWith("/");
  return other + (isMethod ? renamedMount(words, rest, to) : rest);
}

/**
 * The path of a mount as clients write it, or the mount that they mean by one. Child namespaces stand beside mounts in paths, and keep the names
 * that they were given: in these words the two must differ.
 */
export function mountPathOf(world: SecretsWorld, path: string, to: Direction): MountPath {
  const words = wordsOf(world)?.secrets;
  return (words === undefined ? path : renamedMount(words, path, to)) as MountPath;
}

/** What a segment of a path is: a word of the route, a caller's name, a value of the service, or one of a path inside the path. */
type Place =
  | { readonly kind: "route" }
  | { readonly kind: "name" }
  | { readonly kind: "value" }
  | { readonly kind: "path"; readonly isFirst: boolean };

const ROUTE: Place = { kind: "route" };
const NAME: Place = { kind: "name" };
const VALUE: Place = { kind: "value" };

/** The places of the segments below the mount, or of all where there is none. */
function placesIn(words: ServiceWords, { world, at }: PathContext, path: string): readonly Place[] | undefined {
  const found = words.routesAt?.(world, at, path);
  if (found === undefined) return undefined;
  const given = found.below.split("/").slice(1);
  for (const pattern of found.patterns) {
    const places = placesOf(pattern, given);
    if (places !== undefined) return places;
  }
  return undefined;
}

/** Which segments are words of a pattern; undefined where it fits no such path. */
function placesOf(pattern: string, given: readonly string[]): readonly Place[] | undefined {
  const parts = pattern.split("/").slice(1);
  const many = parts.findIndex((part) => part.startsWith("**:"));
  const rest = given.length - parts.length;
  if (rest < 0 || (rest > 0 && many < 0)) return undefined;
  return parts.flatMap((part, index): readonly Place[] => {
    if (!part.includes(":")) return [ROUTE];
    const count = index === many ? rest + 1 : 1;
    return Array.from({ length: count }, (_, nth) => placeOfCapture(pattern, nth));
  });
}

/** Captures that are no callers' names: paths of mounts and of leases, and the names of plugins, which are types of mounts. */
function placeOfCapture(pattern: string, nth: number): Place {
  if (HOLDS_PATH.test(pattern)) return { kind: "path", isFirst: nth === 0 };
  return pattern.startsWith("/sys/plugins/catalog/") ? VALUE : NAME;
}

const HOLDS_PATH = /^\/sys\/(mounts|auth|leases|renew|revoke|internal\/ui\/mounts)\//;
