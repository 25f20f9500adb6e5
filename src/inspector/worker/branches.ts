import { diff, parting, replay, type Simulator } from "../../index.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type {
  Beginning,
  BranchShown,
  Comparison,
  Deed,
  DeedShown,
  Losses,
  Offers,
  PartingShown,
  PastEdit,
} from "../protocol.ts";
import { rowOf } from "./commit-rows.ts";
import { textsIn } from "./log-bytes.ts";
import { changedShown, jsonShown, TOLD } from "./shown-values.ts";

interface Done {
  readonly deed: Deed;
  answer: DeedShown["answer"];
}

export interface Branch {
  readonly sim: Simulator;
  readonly from: Beginning;
  readonly done: Done[];
  readonly changed: readonly { readonly position: number; readonly before: unknown; readonly after: unknown }[];
}

/** What might have been: forks of the log, and what was done on them. The log itself is branch 0, on which nothing is done. */
export class Branches {
  readonly #all: Branch[];

  constructor(sim: Simulator) {
    this.#all = [{ sim, from: { at: sim.position }, done: [], changed: [] }];
  }

  shown(): BranchShown[] {
    return this.#all.map(({ sim, from, done, changed }, id) => ({
      id,
      name: id === 0 ? "the log" : `${id}: ${beginningText(from)}`,
      position: sim.position,
      atMs: sim.clock.now(),
      stateHash: sim.stateHash(),
      deeds: done.map(({ deed, answer }) => ({ text: deedText(deed), answer })),
      changed: changed
        .slice(0, TOLD)
        .map(({ position, before, after }) => ({ position, before: jsonShown(before), after: jsonShown(after) })),
    }));
  }

  /**
   * @throws Rejection for a position that the log does not have; TypeError for an edit of what the clock fires; LogError for another log that
   * cannot be read
   */
  async begin(from: Beginning): Promise<BranchShown[]> {
    const [log] = this.#all;
    if (log === undefined) throw new Error("there is no log");
    if ("at" in from) {
      this.#all.push({ sim: log.sim.fork(from.at), from, done: [], changed: [] });
    } else if ("log" in from) {
      this.#all.push({ sim: await replay(textsIn(from.log.bytes)), from, done: [], changed: [] });
    } else {
      const { edit } = from;
      const made = await log.sim.rewrite(["replace" in edit ? { ...edit, input: JSON.parse(edit.input) } : edit]);
      this.#all.push({ sim: made.fork, from, done: [], changed: made.changed });
    }
    return this.shown();
  }

  /** Does something on a branch. A refusal is an answer; what the simulator cannot be asked is thrown. */
  async act(branch: number, deed: Deed): Promise<BranchShown[]> {
    if (branch === 0) throw new Error("the log stays as it is: fork it first");
    const { sim, done } = this.at(branch);
    const entry: Done = { deed, answer: "" };
    const doing = perform(sim, deed);
    done.push(entry);
    const told = doing.then(
      (answer) => {
        entry.answer = answer;
      },
      (error: unknown) => {
        entry.answer = error instanceof Error ? error.message : String(error);
      },
    );
    entry.answer = "on its way: move the clock";
    // What takes virtual time is not there when everything that takes none has been done.
    await Promise.race([told, new Promise((rest) => setTimeout(rest, 50))]);
    return this.shown();
  }

  compare(one: number, other: number): Comparison {
    const [left, right] = [this.at(one).sim, this.at(other).sim];
    const found = diff(left, right);
    const parted = partingShown(left, right);
    return {
      ...(parted === undefined ? {} : { parting: parted }),
      ...changedShown(found),
      losses: [lossesOf(left), lossesOf(right)],
    };
  }

  at(branch: number): Branch {
    const found = this.#all[branch];
    if (found === undefined) throw new RangeError(`there is no branch ${branch}`);
    return found;
  }
}

/** What a request can be sent to, and each operation with its fields. */
export function offersOf(sim: Simulator): Offers {
  const { services } = LiveSimulator.insideOf(sim).hosts;
  const clusters = Object.keys(sim.state.secrets);
  const regions = Object.keys(sim.state.scheduler?.regions ?? {});
  return {
    clusters,
    regions,
    programs: sim.programs().map(({ name }) => name),
    operations: services.flatMap(({ name: service, registry }) =>
      [...registry.byName].map(([name, { verb, path, fields }]) => ({
        name,
        service,
        method: verb,
        path: path.replace(/(?:\*\*)?:(\w+)/g, "{$1}"),
        fields: Object.keys(fields),
      })),
    ),
    origins: [
      ...clusters.map((name) => {
        const { url, rootToken } = sim.secrets.cluster(name);
        return { service: "secrets", name, url, header: `X-Secrets-Token: ${rootToken}` };
      }),
      ...regions.map((name) => {
        const { url } = sim.scheduler.region(name);
        return { service: "scheduler", name, url, header: "X-Scheduler-Token: {token}" };
      }),
      { service: "runs", name: "runs", url: sim.runs.url, header: "Authorization: Bearer {token}" },
    ],
  };
}

async function perform(sim: Simulator, deed: Deed): Promise<string> {
  switch (deed.kind) {
    case "advance":
      return `${sim.clock.advance(deed.by).length} deadlines fired`;
    case "cut":
    case "heal":
      sim.network[deed.kind](end(sim, deed.a), end(sim, deed.b));
      return "done";
    case "stop":
    case "start":
      sim.network[deed.kind](sim.secrets.cluster(deed.cluster));
      return "done";
    case "seal":
    case "unseal":
      sim.secrets.cluster(deed.cluster)[deed.kind]();
      return "done";
    case "promote":
      return promoted(sim, deed.cluster);
    case "send": {
      const { program, method, url, headers, body } = deed;
      const init = { method, headers, ...(body === "" ? {} : { body }) };
      const response = await sim.program(program).fetch(url, init);
      const why = sim.why(response)?.text;
      return [`${response.status}`, await response.text(), ...(why === undefined ? [] : [`why: ${why}`])].join("\n");
    }
    default:
      return deed satisfies never;
  }
}

/** What a place of the topology is to the network. */
function end(sim: Simulator, id: string) {
  const [kind, name = ""] = id.split(" ");
  switch (kind) {
    case "cluster":
      return sim.secrets.cluster(name);
    case "region":
      return sim.scheduler.region(name);
    case "program":
      return sim.program(name);
    default:
      return sim.runs;
  }
}

/** As operators do it: the holders of key shares make an operation token for a disaster-recovery secondary, and it is promoted by that. */
async function promoted(sim: Simulator, name: string): Promise<string> {
  const cluster = sim.secrets.cluster(name);
  const { dr, performance } = cluster.as(cluster.rootToken).replication;
  const links = Object.entries(sim.state.secrets).find(([own]) => own === name)?.[1].ignored.links;
  const upstream = links?.dr?.upstream;
  if (upstream === undefined) return jsonShown(performance.promote({}));
  const { nonce, otp = "", required } = await dr.operationToken.start();
  let encoded = "";
  for (const key of sim.secrets.cluster(upstream).keyShares.slice(0, required)) {
    encoded = (await dr.operationToken.update({ key, nonce })).encoded_token;
  }
  const bytes = [...atob(encoded)].map((character, index) => character.charCodeAt(0) ^ otp.charCodeAt(index));
  return jsonShown(dr.promote({ dr_operation_token: String.fromCharCode(...bytes) }));
}

/** What each cluster acknowledged that another one lacks. */
function lossesOf(sim: Simulator): Losses[] {
  const names = Object.keys(sim.state.secrets);
  return names.flatMap((from) =>
    names.flatMap((to) => {
      if (from === to) return [];
      const rows = sim
        .lossReport(sim.secrets.cluster(from), sim.secrets.cluster(to))
        .filter(({ because }) => because.reason !== "apart");
      return rows.length === 0
        ? []
        : [{ from, to, rows: rows.map(({ position, command, kind }) => `#${position} ${command}: ${kind}`) }];
    }),
  );
}

function partingShown(one: Simulator, other: Simulator): PartingShown | undefined {
  const found = parting(one, other);
  if (found === undefined) return undefined;
  const { position, by } = found;
  const followed = (sim: Simulator) => {
    const { history, position: last } = LiveSimulator.insideOf(sim).timeline;
    const end = Math.min(last, position + TOLD);
    return { rows: [...history.commits(position + 1, end)].map(rowOf), count: last - position };
  };
  return { position, by, followed: [followed(one), followed(other)] };
}

function beginningText(from: Beginning): string {
  if ("at" in from) return `from #${from.at}`;
  return "log" in from ? from.log.name : editText(from.edit);
}

/** What is done, in words. */
export function deedText(deed: Deed): string {
  switch (deed.kind) {
    case "advance":
      return `advance ${deed.by}`;
    case "cut":
    case "heal":
      return `${deed.kind} ${deed.a} and ${deed.b}`;
    case "stop":
    case "start":
    case "seal":
    case "unseal":
    case "promote":
      return `${deed.kind} ${deed.cluster}`;
    case "send":
      return `${deed.program}: ${deed.method} ${deed.url}`;
    default:
      return deed satisfies never;
  }
}

function editText(edit: PastEdit): string {
  if ("drop" in edit) return `without #${edit.drop}`;
  return "delay" in edit ? `#${edit.delay} by ${edit.by} later` : `#${edit.replace} with another input`;
}
