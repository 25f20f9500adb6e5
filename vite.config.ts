import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { compress } from "lzma1";
import { build, type Plugin, type Rolldown } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { base85 } from "./src/inspector/base85.ts";

// `npm run build` writes the code of what is published: the library as few files of our own, because opening 150 of them took half
// of the time that an import takes: one with what several services need, and one for each. Beside it stands the command line, whose commands are files that are opened when they are asked
// for. Scenarios and charts keep a file each, so that the command line finds them by their names. All have their library from the
// same files: no process ever holds two of it. What the library needs at once stands in it, too: finding and opening those packages
// took a third of an import, xstate most of it, which Node only has as CommonJS. What it imports when that is asked for stays outside.
//
// Tests have tiers. `npm test` leaves out what is tagged `full`, and samples a quarter of the cases of each property; `npm run test:full`
// (`--mode full`) runs all of it. `npm run test:long` and `npm run test:doors` are for changes of what they are about.
export default defineConfig(({ command, mode }) => {
  const isQuick = mode === "test";
  const isLong = mode === "long";
  const isBrowser = mode === "browser";
  return {
    plugins: [inspectorPage()],
    // The README's examples import the package by its name.
    resolve: {
      alias: {
        "hindcast/vitest": new URL("src/testing/vitest/index.ts", import.meta.url).pathname,
        "hindcast/msw": new URL("src/testing/msw/index.ts", import.meta.url).pathname,
        "hindcast/undici": new URL("src/testing/undici/index.ts", import.meta.url).pathname,
        "hindcast/explore": new URL("src/explore/index.ts", import.meta.url).pathname,
        "hindcast/conduct": new URL("src/conduct/index.ts", import.meta.url).pathname,
        "hindcast/inspect": new URL("src/inspector/index.ts", import.meta.url).pathname,
        "hindcast/node": new URL("src/node/index.ts", import.meta.url).pathname,
        "hindcast/runs": new URL("src/runs.ts", import.meta.url).pathname,
        "hindcast/scheduler": new URL("src/scheduler.ts", import.meta.url).pathname,
        "hindcast/secrets": new URL("src/secrets.ts", import.meta.url).pathname,
        hindcast: new URL("src/index.ts", import.meta.url).pathname,
      },
    },
    publicDir: false,
    // The checks that immer makes for those who develop with it: its recipes here are ours.
    define: command === "build" ? { "process.env.NODE_ENV": '"production"' } : {},
    build: {
      lib: {
        entry: {
          "src/index": "src/index.ts",
          ...Object.fromEntries(SERVICES.map((service) => [`src/${service}`, `src/${service}.ts`])),
          "src/inspector/index": "src/inspector/index.ts",
          "src/node/cli": "src/node/cli.ts",
          "src/node/index": "src/node/index.ts",
          "src/node/explore-thread": "src/node/explore-thread.ts",
          "src/node/log-sums-worker": "src/node/log-sums-worker.ts",
          "src/conduct/index": "src/conduct/index.ts",
          "src/explore/index": "src/explore/index.ts",
          "src/testing/vitest/index": "src/testing/vitest/index.ts",
          "src/testing/msw/index": "src/testing/msw/index.ts",
          "src/testing/undici/index": "src/testing/undici/index.ts",
          ...modulesOf("scenarios"),
          ...modulesOf("machines"),
        },
        formats: ["es"],
      },
      outDir: "dist",
      // The types are there already.
      emptyOutDir: false,
      target: "es2023",
      minify: false,
      sourcemap: true,
      license: { fileName: "src/library.licenses.md" },
      rolldownOptions: {
        external: (id) => /^[^./]/.test(id) && !TAKEN_IN.test(id),
        output: {
          entryFileNames: "[name].js",
          // What is loaded when it is asked for stands beside the command line: it finds its files from there.
          chunkFileNames: ({ name }) => (name.startsWith("library") ? `src/${name}.js` : `src/node/${name}.js`),
          codeSplitting: { groups: LIBRARIES.map(groupOf) },
          minifyInternalExports: false,
          // Comments and white space are a third of it, and all is read at the start. Functions keep their names, for stack traces.
          minify: {
            compress: false,
            mangle: { toplevel: false, keepNames: true },
            codegen: { removeWhitespace: true },
          },
        },
      },
    },
    test: {
      include: isBrowser
        ? ["test/browser/**/*.test.ts"]
        : isLong
          ? ["test/long/**/*.test.ts"]
          : mode === "doors"
            ? ["test/contract/through/*.test.ts"]
            : ["test/**/*.test.ts"],
      exclude: [
        "**/node_modules/**",
        "test/types/**",
        ...(isLong ? [] : ["test/long/**"]),
        ...(isBrowser ? [] : ["test/browser/**"]),
      ],
      tags: [
        { name: "full", description: "Takes long for what it finds, or stands in for many: `npm test` leaves it out." },
      ],
      tagsFilter: isQuick ? ["!full"] : [],
      env: { HINDCAST_PROPERTY_FACTOR: process.env["HINDCAST_PROPERTY_FACTOR"] ?? (isQuick ? "0.25" : "1") },
      // A bound for what hangs, on a machine that has much else to do. No test is about time; long runs set their own bounds.
      testTimeout: isLong ? 30 * 60_000 : 5 * 60_000,
      hookTimeout: 5 * 60_000,
      expect: { requireAssertions: true, poll: { timeout: 60_000 } },
      // No module of ours keeps anything, so the files of a worker share them: finding them anew for each took most of the time.
      // Those with a browser do: it and its pages are let go of with the file.
      isolate: isBrowser,
      // One of two processors lies idle otherwise; what transforms modules has little to do, since they are kept on the disk.
      maxWorkers: "100%",
      sequence: { sequencer: LongestFirst },
      experimental: { fsModuleCache: true },
      setupFiles: ["test/support/setup.ts"],
      restoreMocks: true,
      unstubGlobals: true,
      coverage: {
        provider: "v8",
        include: ["src/**", "machines/**", "scenarios/**"],
        reporter: ["text-summary", "html"],
      },
    },
  };
});

/** So that no processor waits at the end for the other. How long files take is known from the run before; in a new clone there is none. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      /\/test\/(model|node|contract\/through)\//.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** The modules of a folder, as entries of their own. */
function modulesOf(folder: string): Record<string, string> {
  const files = readdirSync(new URL(`${folder}/`, import.meta.url)).filter((file) => file.endsWith(".ts"));
  return Object.fromEntries(files.map((file) => [`${folder}/${basename(file, ".ts")}`, `${folder}/${file}`]));
}

/** Packages that every import needs. */
const TAKEN_IN = /^(immer|xstate|nanoid|valibot)$|^(pure-rand|@noble\/hashes)\//;

/** Services with an entry of their own. */
const SERVICES = ["runs", "scheduler", "secrets"];

type Modules = Rolldown.ChunkingContext;

/** Where modules stand: each file takes what it needs that is not in one before it. */
const LIBRARIES = ["library", ...SERVICES.map((service) => `library-${service}`), "library-all", "library-more"];

function groupOf(name: string, index: number): Rolldown.CodeSplittingGroup {
  return {
    name: (file, modules) => (libraryOf(file, modules) === name ? name : null),
    debugName: name,
    test: isOfLibrary,
    priority: LIBRARIES.length - index,
  };
}

/** What one service alone needs stands in a file of its own, beside what several need, and what is not needed at once. */
function libraryOf(file: string, modules: Modules): string {
  const needing = SERVICES.filter((service) => reachedFrom(service, modules).has(file));
  if (needing.length > 0) return needing.length > 1 ? "library" : `library-${needing[0]}`;
  return reachedFrom("index", modules).has(file) ? "library-all" : "library-more";
}

const reached = new Map<string, ReadonlySet<string>>();

/** The modules that an entry needs at once. */
function reachedFrom(entry: string, modules: Modules): ReadonlySet<string> {
  const known = reached.get(entry);
  if (known !== undefined) return known;
  const all = new Set([`${ROOT}src/${entry}.ts`]);
  for (const file of all) for (const imported of modules.getModuleInfo(file)?.importedIds ?? []) all.add(imported);
  reached.set(entry, all);
  return all;
}

const ROOT = new URL(".", import.meta.url).pathname;

function isOfLibrary(file: string): boolean {
  if (!file.startsWith(ROOT)) return false;
  const path = file.slice(ROOT.length);
  return (
    path.startsWith("node_modules/") ||
    path.startsWith("machines/") ||
    (path.startsWith("src/") && !/^src\/(conduct|explore|inspector|node|testing)\//.test(path))
  );
}

/** What all pages of the inspector have stands in the place of this file: scripts, style, and the simulator as a worker. */
const BUILT = `${ROOT}src/inspector/built.ts`;

function inspectorPage(): Plugin {
  return {
    name: "inspector-page",
    enforce: "pre",
    // What it is built from is not among its imports.
    configureVitest: ({ experimental_defineCacheKeyGenerator: keepIf }) =>
      keepIf(({ id }) => (id === BUILT ? false : null)),
    load: async (id) => {
      if (id !== BUILT) return null;
      const [boot, page, worker] = await Promise.all([
        bundled("page/boot.ts"),
        bundled("page/main.tsx"),
        bundled("worker/worker.ts"),
      ]);
      const style = readFileSync(`${ROOT}src/inspector/page/page.css`, "utf8")
        .replace(/\/\*.*?\*\//gs, "")
        .replace(/\s+/g, " ")
        .replace(/ ?([{};]) ?|([:,]) /g, "$1$2");
      const parts = {
        boot: boot.script,
        bootSum: sumOf(boot.script),
        page: gzipped(page.script),
        pageSum: sumOf(page.script),
        style,
        styleSum: sumOf(style),
        // A fifth smaller than gzip makes it, and most of the page.
        worker: base85(compress(Buffer.from(worker.script), 9)),
        licenses: gzipped(`${page.licenses}\n${worker.licenses}`),
      };
      return { code: `export const built = ${JSON.stringify(parts)};`, map: null };
    },
  };
}

function gzipped(text: string): string {
  return base85(gzipSync(text, { level: 9 }));
}

function sumOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

interface Bundled {
  readonly script: string;
  /** Those of the packages in it. */
  readonly licenses: string;
}

/**
 * A script of the inspector with all that it needs. What signs and encrypts, and what reads documents of others, is for commands: the page
 * reads logs. How operations compare with real servers stands in the documents.
 */
async function bundled(entry: string): Promise<Bundled> {
  const nothing: Plugin = {
    name: "left-out",
    enforce: "pre",
    resolveId: (id) => {
      if (/^(openpgp|jose|yaml|@noble\/(curves|ciphers)\/.*)$/.test(id)) return "\0left-out";
      return id.endsWith("/grades.ts") ? "\0no-grades" : null;
    },
    load: (id) => {
      if (id === "\0left-out") return "export {};";
      return id === "\0no-grades" ? "export const GRADES = {};" : null;
    },
  };
  const made = await build({
    configFile: false,
    root: ROOT,
    mode: "production",
    logLevel: "error",
    plugins: [nothing],
    define: { "process.env.NODE_ENV": '"production"', "import.meta.url": '"blob:hindcast/page.js"' },
    build: {
      write: false,
      license: { fileName: "licenses.md" },
      target: "es2023",
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: `${ROOT}src/inspector/${entry}`,
        output: { format: "iife", codeSplitting: false },
      },
    },
  });
  const files = (Array.isArray(made) ? made : [made]).flatMap((bundle) => ("output" in bundle ? bundle.output : []));
  const script = files.find((file) => file.type === "chunk");
  const licenses = files.find((file) => file.type === "asset" && file.fileName === "licenses.md");
  if (script?.type !== "chunk") throw new Error(`${entry} came to no script`);
  return {
    // It stands in a page: nothing in it ends the element, or begins a comment.
    script: script.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"),
    licenses: licenses?.type === "asset" ? String(licenses.source) : "",
  };
}
