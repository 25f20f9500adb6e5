import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

// `npm run build` writes the code of what is published: the library as one file of our own, because opening 150 of them took half
// of the time that an import takes, and beside it the command line, whose commands are files that are opened when they are asked
// for. Scenarios and charts keep a file each, so that the command line finds them by their names. All have their library from the
// same file: no process ever holds two of it. What the library needs at once stands in it, too: finding and opening those packages
// took a third of an import, xstate most of it, which Node only has as CommonJS. What it imports when that is asked for stays outside.
//
// `npm test` runs everything but test/long; `npm run test:long` is the same with `--mode long`. The contract suite reaches a simulator by
// `sim.fetch` and by typed calls; `npm test` sends a part of it through
// every other door, and `npm run test:doors` (`--mode doors`) all of it.
export default defineConfig(({ command, mode }) => {
  const long = mode === "long";
  const whole = mode === "doors";
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
      projects: long ? [LONG] : whole ? throughDoors(["**/*"]) : [SUITE, IN_OTHER_WORDS, ...throughDoors(PART)],
      // A unit test takes milliseconds; a property explores for seconds. Long runs set their own bounds.
      testTimeout: long ? 30 * 60_000 : 20_000,
      hookTimeout: 60_000,
      expect: { requireAssertions: true },
      // No module of ours keeps anything, so the files of a worker share them: finding them anew for each took most of the time.
      isolate: false,
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

/** The modules of a folder, as entries of their own. */
function modulesOf(folder: string): Record<string, string> {
  const files = readdirSync(new URL(`${folder}/`, import.meta.url)).filter((file) => file.endsWith(".ts"));
  return Object.fromEntries(files.map((file) => [`${folder}/${basename(file, ".ts")}`, `${folder}/${file}`]));
}

/** Packages that every import needs. */
const TAKEN_IN = /^(immer|xstate|nanoid|valibot|rou3)$|^(pure-rand|@noble\/hashes)\//;

const LONG: TestProjectInlineConfiguration = {
  extends: true,
  // What a project extends is read without the mode.
  test: { name: "long", include: ["test/long/**/*.test.ts"], testTimeout: 30 * 60_000 },
};

const SUITE: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "hindcast",
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/types/**", "test/long/**"],
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.types.test.ts"],
      tsconfig: "tsconfig.json",
    },
  },
};

/** Requests of these services by a client who knows other words; the suite of secrets does it by itself. */
const IN_OTHER_WORDS: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "in other words",
    include: ["runs", "scheduler"].map((service) => `test/contract/${service}/*.test.ts`),
    provide: { transport: "sim.fetch in other words" },
  },
};

/** Ways on which requests of the contract suite go, as test/contract/transports.ts has them. */
const DOORS = ["a socket", "http.request and the agent", "msw", "undici", "fetch and the dispatcher"] as const;

/** Every method, status, body and header that there is, and each service. */
const PART = ["runs/requests", "scheduler/requests", "secrets/bodies-and-statuses", "secrets/kv", "secrets/leases"];

/**
 * What moves the clock as soon as it has asked: a request by `sim.fetch` has been decided by then, all others are still on their way. That
 * they wait, wake and are given up is tested with each door.
 */
const AT_ONCE = ["blocking", "leader"].map((file) => `test/contract/scheduler/${file}.test.ts`);

function throughDoors(files: readonly string[]): TestProjectInlineConfiguration[] {
  return DOORS.map((door) => ({
    extends: true,
    test: {
      name: `through ${door}`,
      include: files.map((file) => `test/contract/${file}.test.ts`),
      exclude: AT_ONCE,
      setupFiles: ["test/contract/take-down.ts"],
      provide: { transport: door },
    },
  }));
}

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
