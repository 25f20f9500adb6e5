import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// `npm run build` writes the code of what is published: the library as one file of our own, because opening 150 of them took half
// of the time that an import takes, and beside it the command line, whose commands are files that are opened when they are asked
// for. Scenarios and charts keep a file each, so that the command line finds them by their names. All have their library from the
// same file: no process ever holds two of it. What the library needs at once stands in it, too: finding and opening those packages
// took a third of an import, xstate most of it, which Node only has as CommonJS. What it imports when that is asked for stays outside.
//
// Tests have tiers. `npm test` leaves out what is tagged `full`, and samples a quarter of the cases of each property; `npm run test:full`
// (`--mode full`) runs all of it. `npm run test:long` and `npm run test:doors` are for changes of what they are about.
export default defineConfig(({ command, mode }) => {
  const isQuick = mode === "test";
  const isLong = mode === "long";
  return {
    // The README's examples import the package by its name.
    resolve: {
      alias: {
        "hindcast/vitest": new URL("src/testing/vitest/index.ts", import.meta.url).pathname,
        "hindcast/msw": new URL("src/testing/msw/index.ts", import.meta.url).pathname,
        "hindcast/undici": new URL("src/testing/undici/index.ts", import.meta.url).pathname,
        "hindcast/node": new URL("src/node/index.ts", import.meta.url).pathname,
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
          "src/node/cli": "src/node/cli.ts",
          "src/node/index": "src/node/index.ts",
          "src/node/log-sums-worker": "src/node/log-sums-worker.ts",
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
          chunkFileNames: ({ name }) => (name === "library" ? "src/library.js" : `src/node/${name}.js`),
          codeSplitting: { groups: [{ name: "library", test: isOfLibrary }] },
          minifyInternalExports: false,
        },
      },
    },
    test: {
      include: isLong
        ? ["test/long/**/*.test.ts"]
        : mode === "doors"
          ? ["test/contract/through/*.test.ts"]
          : ["test/**/*.test.ts"],
      exclude: ["**/node_modules/**", "test/types/**", ...(isLong ? [] : ["test/long/**"])],
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
      isolate: false,
      // One of two processors lies idle otherwise; what transforms modules has little to do, since they are kept on the disk.
      maxWorkers: "100%",
      sequence: { sequencer: LongestFirst },
      experimental: { fsModuleCache: true },
      setupFiles: ["test/support/sampling.ts"],
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
const TAKEN_IN = /^(immer|xstate|nanoid|valibot|rou3)$|^(pure-rand|@noble\/hashes)\//;

const ROOT = new URL(".", import.meta.url).pathname;

function isOfLibrary(file: string): boolean {
  if (!file.startsWith(ROOT)) return false;
  const path = file.slice(ROOT.length);
  return (
    path.startsWith("node_modules/") ||
    path.startsWith("machines/") ||
    (path.startsWith("src/") && !/^src\/(node|testing)\//.test(path))
  );
}
