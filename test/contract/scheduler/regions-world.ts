import { createSimulator, type RegionHandle, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import { decidesAtOnce } from "../transports.ts";
import { type Received, type Sent, send } from "./driver.ts";

/** A simulator of regions, the first of which is authoritative and bootstrapped; all others have what it has. */
export interface RegionsWorld {
  readonly sim: Simulator;
  /** The authoritative region at the start. */
  readonly eu: RegionHandle;
  readonly us: RegionHandle;
  /** The secret of the bootstrap token. */
  readonly root: string;
  readonly rootAccessor: string;
  policy(name: string, rules?: string, region?: string): void;
  /** Creates a client token and returns its secret and accessor. */
  client(
    policies: readonly string[],
    options?: { region?: string; Global?: boolean },
  ): { secret: string; accessor: string };
  manager(options?: { region?: string; Global?: boolean }): { secret: string; accessor: string };
  send(region: string, method: string, path: string, sent?: Sent): Promise<Received>;
  get(path: string, token?: string, region?: string): Promise<Received>;
}

export function regionsWorld(scheduler: SimulatorOptions["scheduler"] = {}): RegionsWorld {
  const sim = createSimulator({ seed: 7, scheduler: { regions: ["eu", "us"], ...scheduler } });
  const [eu, us] = [sim.scheduler.region("eu"), sim.scheduler.region("us")];
  const { SecretID: root, AccessorID: rootAccessor } = eu.as().acl.bootstrap();
  sim.settle();
  const create =
    (fields: { Type: "client" | "management"; Policies?: readonly string[] }) =>
    ({ region = "eu", Global = false } = {}) => {
      const { SecretID: secret, AccessorID: accessor } = sim.scheduler
        .region(region)
        .as(root)
        .tokens.create({ ...fields, Global });
      return { secret, accessor };
    };
  return {
    sim,
    eu,
    us,
    root,
    rootAccessor,
    policy: (name, rules = "", region = "eu") => {
      sim.scheduler.region(region).as(root).policies.write({ Name: name, Rules: rules });
    },
    client: (policies, options) => create({ Type: "client", Policies: policies })(options),
    manager: (options) => create({ Type: "management" })(options),
    send: (region, method, path, sent) => send(sim, region, method, path, sent),
    get: (path, token, region = "eu") => send(sim, region, "GET", path, { token }),
  };
}

/** What has come of a promise, when everything that can go on has gone on. */
export async function progress(promise: Promise<unknown>): Promise<"waits" | "settled"> {
  let state: "waits" | "settled" = "waits";
  const done = (): void => {
    state = "settled";
  };
  promise.then(done, done);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  // On its way it takes turns of the event loop: what one end of a socket has written, the other can read in the next.
  for (let turns = decidesAtOnce() ? 1 : 200; turns > 0; turns--)
    await new Promise<void>((resolve) => setImmediate(resolve));
  return state;
}

export const UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000";
