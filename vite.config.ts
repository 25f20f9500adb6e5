import { defineConfig } from "vitest/config";

// `npm run build` writes the code of what is published as one file of our own: opening 150 of them took half of the time
// that an import takes. The command line is an entry beside it and has its library from the same file, so that no process
// ever holds two of it.
//
// `npm test` runs everything but test/long; `npm run test:long` is the same with `--mode long`.
export default defineConfig(({ mode }) => {
  const long = mode === "long";
  return {
    // The README's examples import the package by its name.
    resolve: { alias: { hindcast: new URL("src/index.ts", import.meta.url).pathname } },
    publicDir: false,
    build: {
      lib: { entry: { index: "src/index.ts", "node/start": "src/node/start.ts" }, formats: ["es"] },
      outDir: "dist/src",
      // The types are there already.
      emptyOutDir: false,
      target: "es2023",
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        // What we depend on stays outside.
        external: /^[^./]/,
        output: { chunkFileNames: "library.js", minifyInternalExports: false },
      },
    },
    test: {
      include: [long ? "test/long/**/*.test.ts" : "test/**/*.test.ts"],
      exclude: ["test/types/**", ...(long ? [] : ["test/long/**"])],
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
