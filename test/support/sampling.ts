import { fc } from "@fast-check/vitest";
import { runs } from "./runs.ts";

// Properties that say nothing of their cases: a hundred of them, as in fast-check, and always the same.
fc.configureGlobal(runs(100));
