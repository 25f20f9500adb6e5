import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe } from "vitest";
import { closeTransports, type TransportName, travelBy } from "../transports.ts";

const CONTRACT = fileURLToPath(new URL("../", import.meta.url));

/** Every method, status, body and header that there is, and each service. */
const PART = ["runs/requests", "scheduler/requests", "secrets/bodies-and-statuses", "secrets/kv", "secrets/leases"];

/** What walks through each path of each chart. */
const LONG = new Set(["runs/paths"]);

/**
 * What moves the clock as soon as it has asked: a request by `sim.fetch` has been decided by then, all others are still on their way. That
 * they wait, wake and are given up is tested with each door.
 */
const AT_ONCE = /^scheduler\/(blocking|leader)$/;

/** Lets a part of the contract suite go by another way; `npm run test:doors` lets all of it that can. */
export async function throughDoor(way: TransportName): Promise<void> {
  const whole = process.env["MODE"] === "doors";
  await through(way, whole ? filesBelow("").filter((file) => !AT_ONCE.test(file)) : PART);
}

/** Registers the tests of these files once more, their requests going by another way. */
export async function through(way: TransportName, files: readonly string[]): Promise<void> {
  travelBy(way);
  afterEach(closeTransports);
  // A worker keeps its modules from file to file.
  afterAll(() => travelBy("sim.fetch"));
  for (const file of files) {
    // A module of its own for each way: one that was imported registers nothing any more.
    describe(
      file,
      { tags: LONG.has(file) ? "full" : [] },
      () => import(/* @vite-ignore */ `${CONTRACT}${file}.test.ts?by=${encodeURIComponent(way)}`),
    );
  }
}

/** The files of the suite below a folder, without `.test.ts`. */
export function filesBelow(folder: string): string[] {
  return readdirSync(`${CONTRACT}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.startsWith("through/"))
    .map((file) => (folder === "" ? file : `${folder}/${file}`).slice(0, -".test.ts".length))
    .sort();
}
