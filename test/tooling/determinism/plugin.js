// The determinism lint: what invariant 3 of the design forbids, as rules that oxlint runs over the core.
// It is JavaScript because oxlint loads it with the Node at hand, and Node 20 does not read TypeScript.
// test/tooling/determinism-lint.test.ts proves it: each forbidden form reported, each allowed form left alone.

import { noMachineLocale } from "./machine-locale.js";
import { noModuleState } from "./module-state.js";
import { noOutsideImports } from "./outside-imports.js";
import { noOutsideWorld } from "./outside-world.js";

export default {
  meta: { name: "hindcast" },
  rules: {
    "no-outside-world": noOutsideWorld,
    "no-outside-imports": noOutsideImports,
    "no-module-state": noModuleState,
    "no-machine-locale": noMachineLocale,
  },
};
