import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { collectGarbage } from "../harness/measure.ts";
import { RoundsProfile } from "../harness/profile.ts";
import { Effort } from "../harness/row.ts";
import { type HotPath, hotPaths } from "./paths.ts";
import { type ProfiledPath, profileTable } from "./table.ts";

// npm run profile                              where the time of the hot paths goes
// npm run profile -- --only commands,seeks     of some of them
// npm run profile -- --top 30                  with more functions of each
//
// Each path runs in a process of its own: first without the profile until the code is compiled, then with it.

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    top: { type: "string", default: "8" },
    quick: { type: "boolean", default: false },
    worker: { type: "string" },
  },
});

/** How long each path runs, and is warmed up before. */
const PROFILED_MS = values.quick ? 100 : 2_000;

if (values.worker === undefined) {
  const profiled: ProfiledPath[] = [];
  for (const { name } of chosen(values.only.flatMap((names) => names.split(",")))) {
    console.error(`profiling ${name}`);
    profiled.push(await inProcess(name));
  }
  console.log(profileTable(profiled, Number(values.top)));
} else {
  const [path] = chosen([values.worker]);
  if (path !== undefined) process.send?.(await profileOf(path));
}

/** @throws TypeError for a name that no path has */
function chosen(only: readonly string[]): readonly HotPath[] {
  for (const asked of only) {
    if (!hotPaths.some(({ name }) => name === asked)) {
      throw new TypeError(`--only ${asked}: there are ${hotPaths.map(({ name }) => name).join(", ")}`);
    }
  }
  return only.length === 0 ? hotPaths : hotPaths.filter(({ name }) => only.includes(name));
}

function inProcess(name: string): Promise<ProfiledPath> {
  const words = ["--worker", name, ...(values.quick ? ["--quick"] : [])];
  const child = fork(fileURLToPath(import.meta.url), words, { execArgv: ["--expose-gc"] });
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as ProfiledPath));
    child.once("exit", (code) => reject(new Error(`${name}: its process ended with code ${code}`)));
  });
}

async function profileOf({ name, what, prepare }: HotPath): Promise<ProfiledPath> {
  const work = prepare(new Effort(values.quick));
  const times = await timesWithin(PROFILED_MS, work);
  collectGarbage();
  const profile = new RoundsProfile(`profile-${name}`);
  let tookMs = 0;
  await profile.record(async () => {
    const begun = performance.now();
    await work(times);
    tookMs = performance.now() - begun;
  });
  return { name, what, perSecond: (times * 1_000) / tookMs, selfUs: [...profile.selfUs] };
}

/** How often a path can be done in a time: found by doing more and more of it, which compiles it as well. */
async function timesWithin(ms: number, work: (times: number) => void | Promise<void>): Promise<number> {
  for (let times = 100; ; times *= 2) {
    const begun = performance.now();
    await work(times);
    const took = performance.now() - begun;
    if (took > ms / 2) return Math.ceil((times * ms) / took);
  }
}
