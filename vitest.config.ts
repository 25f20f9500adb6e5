import { defineConfig } from "vitest/config";

// `npm test` runs everything but test/long; `npm run test:long` is the same with `--mode long`.
export default defineConfig(({ mode }) => {
  const long = mode === "long";
  return {
    // The README's examples import the package by its name.
    resolve: { alias: { hindcast: new URL("src/index.ts", import.meta.url).pathname } },
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
