import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig } from "vitest/config";

// `npm run build` writes the code of what is published: the library as one file of our own, because opening 150 of them took half
// of the time that an import takes, and beside it the command line, whose commands are files that are opened when they are asked
// for. Scenarios and charts keep a file each, so that the command line finds them by their names. All have their library from the
// same file: no process ever holds two of it.
//
// `npm test` runs everything but test/long; `npm run test:long` is the same with `--mode long`.
export default defineConfig(({ mode }) => {
  const long = mode === "long";
  return {
    // The README's examples import the package by its name.
    resolve: {
      alias: {
        "hindcast/node": new URL("src/node/index.ts", import.meta.url).pathname,
        hindcast: new URL("src/index.ts", import.meta.url).pathname,
      },
    },
    publicDir: false,
    build: {
      lib: {
        entry: {
          "src/index": "src/index.ts",
          "src/node/cli": "src/node/cli.ts",
          "src/node/index": "src/node/index.ts",
          "src/node/log-sums-worker": "src/node/log-sums-worker.ts",
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
      rolldownOptions: {
        // What we depend on stays outside.
        external: /^[^./]/,
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
      include: [long ? "test/long/**/*.test.ts" : "test/**/*.test.ts"],
      exclude: ["**/node_modules/**", "test/types/**", ...(long ? [] : ["test/long/**"])],
      typecheck: {
        enabled: !long,
        include: ["test/types/**/*.types.test.ts"],
        tsconfig: "tsconfig.json",
      },
      // A unit test takes milliseconds; a property explores for seconds. Long runs set their own bounds.
      testTimeout: long ? 30 * 60_000 : 20_000,
      hookTimeout: 60_000,
      expect: { requireAssertions: true },
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

const ROOT = new URL(".", import.meta.url).pathname;

function isOfLibrary(file: string): boolean {
  if (!file.startsWith(ROOT)) return false;
  const path = file.slice(ROOT.length);
  return path.startsWith("machines/") || (path.startsWith("src/") && !path.startsWith("src/node/"));
}
