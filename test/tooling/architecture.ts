import { builtinModules } from "node:module";
import { posix } from "node:path";
import { parseSync, Visitor } from "vite";

/** Where a file stands in the house. `own` sets apart the parts of one layer that do not import each other. */
interface Place {
  readonly layer: Layer;
  readonly own?: string;
}

type Layer = keyof typeof BELOW;

const BELOW_SURROUNDINGS = ["machines", "kernel", "languages"] as const;
const BELOW_SERVICES = ["kit", "surroundings", ...BELOW_SURROUNDINGS] as const;
const BELOW_HTTP = ["services", ...BELOW_SERVICES] as const;
const BELOW_SCENARIO = ["simulator", "programs", "http", ...BELOW_HTTP] as const;
const BELOW_DOOR = ["scenario", ...BELOW_SCENARIO] as const;

/** What each layer may import of ours, besides itself. Everything runs downward. */
const BELOW = {
  languages: [],
  machines: [],
  kernel: ["languages"],
  surroundings: BELOW_SURROUNDINGS,
  kit: ["surroundings", ...BELOW_SURROUNDINGS],
  services: BELOW_SERVICES,
  http: BELOW_HTTP,
  programs: ["kernel", "languages"],
  simulator: ["programs", "http", ...BELOW_HTTP],
  scenario: BELOW_SCENARIO,
  door: BELOW_DOOR,
  scenarios: ["door"],
  inspector: ["door", ...BELOW_DOOR],
  conduct: BELOW_SCENARIO,
  explore: ["conduct", "inspector", "door", ...BELOW_DOOR],
  testing: ["explore", "inspector", "door", ...BELOW_DOOR],
  node: ["explore", "conduct", "inspector", "scenarios", "door", ...BELOW_DOOR],
} as const satisfies Record<string, readonly string[]>;

/** Layers that may know Node, the test runner and the interception libraries. */
const AT_THE_EDGE: ReadonlySet<Layer> = new Set<Layer>(["node", "testing", "explore"]);

/** What knows services by their modules alone: the wire, the listener, and what puts a world together. */
const NAMELESS =
  /^src\/(http|node\/listener)\/|^src\/simulator\/(answer|explain|fault-doors|faults|log|logged-options|model|options|past-view|read-options|read-vocabulary|rewrite|simulator-of)\.ts$/;

/** What is written for people, beside the sources that it is about, and the style of a page. */
const PAGE = /^(machines|src\/services(\/.+)?)\/README\.md$|^src\/inspector\/page\/page\.css$/;

const TEST_LIBRARIES: ReadonlySet<string> = new Set(["fast-check", "vitest", "msw", "nock", "undici"]);
/** What stands in the page itself: nobody who installs the library needs it. */
const IN_THE_PAGE: ReadonlySet<string> = new Set(["preact", "@preact/signals", "@tanstack/virtual-core", "lzma1"]);
const NODE_BUILTINS: ReadonlySet<string> = new Set(builtinModules);

const FOLDERS: readonly (readonly [RegExp, Layer])[] = [
  [/^src\/languages\/.+\.ts$/, "languages"],
  [/^machines\/.+\.ts$/, "machines"],
  [/^src\/kernel\/.+\.ts$/, "kernel"],
  [/^src\/surroundings\/.+\.ts$/, "surroundings"],
  [/^src\/services\/kit\/.+\.ts$/, "kit"],
  [/^src\/services\/.+\.ts$/, "services"],
  [/^src\/http\/.+\.ts$/, "http"],
  [/^src\/programs\/.+\.ts$/, "programs"],
  [/^src\/simulator(\.ts$|\/.+\.ts$)/, "simulator"],
  [/^src\/scenario\/.+\.ts$/, "scenario"],
  [/^src\/(index|entry|runs|scheduler|secrets)\.ts$/, "door"],
  [/^scenarios\/.+\.ts$/, "scenarios"],
  [/^src\/inspector\/.+\.tsx?$/, "inspector"],
  [/^src\/conduct\/.+\.ts$/, "conduct"],
  [/^src\/explore\/.+\.ts$/, "explore"],
  [/^src\/testing\/.+\.ts$/, "testing"],
  [/^src\/node\/.+\.ts$/, "node"],
];

/** Every breach of the import order of design section 1 by these files (path from the project's root -> source). */
export function breaches(files: ReadonlyMap<string, string>, dependencies: ReadonlySet<string>): string[] {
  return [...files].flatMap(([file, source]) => {
    if (PAGE.test(file)) return [];
    const place = placeOf(file);
    if (!place) return [`${file} belongs to no layer`];
    return importsOf(file, source).flatMap((target) => {
      const why = target.startsWith(".")
        ? complaintAboutOurs(file, place, posix.join(posix.dirname(file), target), files)
        : complaintAboutPackage(place, target, dependencies);
      return why ? [`${file} imports ${target}: ${why}`] : [];
    });
  });
}

/** The modules a file names, in types as well; `undefined` sources (computed names) read as `?`. */
export function importsOf(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file} does not parse: ${errors[0]?.message}`);
  const targets: string[] = [];
  const add = (node: { readonly type: string; readonly value?: unknown } | null) => {
    if (node) targets.push(typeof node.value === "string" ? node.value : "?");
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
  }).visit(program);
  return targets;
}

function placeOf(file: string): Place | undefined {
  const layer = FOLDERS.find(([pattern]) => pattern.test(file))?.[1];
  if (layer === undefined) return undefined;
  if (layer === "machines") return { layer, own: file };
  if (layer === "kit") return { layer };
  const service = /^src\/services\/([^/]+)\//.exec(file)?.[1];
  return service === undefined ? { layer } : { layer, own: service };
}

function complaintAboutOurs(
  file: string,
  from: Place,
  target: string,
  files: ReadonlyMap<string, string>,
): string | undefined {
  const to = placeOf(target);
  if (!to) return "it belongs to no layer";
  if (!files.has(target)) return "there is no such file";
  if (to.layer === from.layer) {
    if (to.own === undefined || to.own === from.own) return undefined;
    return from.layer === "machines"
      ? "a machine imports nothing but xstate"
      : `${from.own ?? file} must not know ${to.own}`;
  }
  if (to.layer === "services" && NAMELESS.test(file)) return "it goes through the list of services, and names none";
  const below: readonly string[] = BELOW[from.layer];
  return below.includes(to.layer) ? undefined : `${to.layer} is not below ${from.layer}`;
}

function complaintAboutPackage(from: Place, target: string, dependencies: ReadonlySet<string>): string | undefined {
  const edge = AT_THE_EDGE.has(from.layer);
  if (target === "?") return edge ? undefined : "a computed name hides what it is";
  if (target.startsWith("node:") || NODE_BUILTINS.has(target)) {
    return edge ? undefined : "only src/node and src/testing may import Node's modules";
  }
  const name = target.split("/", target.startsWith("@") ? 2 : 1).join("/");
  if (from.layer === "machines" && name !== "xstate") return "a machine imports nothing but xstate";
  if (from.layer === "scenarios") return "a scenario imports only the public door";
  if (target === "date-fns") return "import its subpaths, the root costs up to 0.9 s";
  if (TEST_LIBRARIES.has(name) || name.startsWith("@fast-check/") || name.startsWith("@vitest/")) {
    return from.layer === "testing" || (from.layer === "explore" && name === "fast-check")
      ? undefined
      : "a test library, for src/testing alone";
  }
  if (from.layer === "inspector" && IN_THE_PAGE.has(name)) return undefined;
  return dependencies.has(name) ? undefined : "it is not among the dependencies of package.json";
}
