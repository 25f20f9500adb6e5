import { filesBelow, through } from "./through.ts";

// A client who knows other words; the suite of secrets does it by itself.
await through("sim.fetch in other words", [...filesBelow("runs"), ...filesBelow("scheduler")]);
