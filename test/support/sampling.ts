import { configureGlobal } from "fast-check";
import { runs } from "./runs.ts";

// Properties that say nothing of their cases: a hundred of them, as in fast-check, and always the same.
configureGlobal(runs(100));
