import { describe, expect, test } from "vitest";
import { serviceDocument } from "../../../src/http/openapi/services.ts";
import { Rejection, type Simulator } from "../../../src/index.ts";
import { listen } from "../../../src/node/index.ts";
import { modelOf, type WorldService } from "../../../src/simulator/model.ts";
import { simulatorsOf } from "../../../src/simulator/simulator-of.ts";
import { requestsOf } from "../../support/journal.ts";
import { type GatesHandle, gatesModule } from "./module.ts";

/** A simulator of the fourth service alone. */
type GatesSimulator = Omit<Simulator, "faults" | "fork" | "at"> & {
  readonly gates: GatesHandle;
  readonly faults: { failNextRequests(options: { service: "gates"; count: number; status?: number }): void };
  fork(place?: number): GatesSimulator;
  at(place: number): Pick<GatesSimulator, "gates" | "fetch">;
};

// The world of these simulators is the gates' own: it was put together of nothing else.
const simulators = simulatorsOf(modelOf([gatesModule as unknown as WorldService]));
const create = (): GatesSimulator => simulators.create({ seed: 4 }) as unknown as GatesSimulator;
const replayed = (log: string): GatesSimulator => simulators.replay(log, {}) as unknown as GatesSimulator;

const post = (sim: Pick<GatesSimulator, "fetch">, path: string): Promise<Response> =>
  sim.fetch(`https://gates.test${path}`, { method: "POST" });

describe("a service that the package does not know", () => {
  test("is asked by typed calls, and refuses by Rejections", () => {
    const gates = create().gates.as();
    expect(gates.gates.open({ gate: "beta" })).toEqual({ status: "open" });
    expect(gates.gates.read({ gate: "beta" })).toEqual({ gate: "beta", status: "open" });
    expect(() => gates.gates.read({ gate: "none" })).toThrow(Rejection);
    // @ts-expect-error a gate has a name
    expect(() => gates.gates.open({})).toThrow("gate is undefined, and has to be a string");
  });

  test("is asked by fetch, noted in the journal, and explained", async () => {
    const sim = create();
    const opened = await post(sim, "/gates/beta/open");
    expect([opened.status, await opened.json()]).toEqual([200, { status: "open" }]);
    expect((await post(sim, "/gates/beta/open")).status).toBe(409);
    expect((await post(sim, "/gates/beta/opn")).status).toBe(404);
    expect(requestsOf(sim).map(({ refusal, nearest }) => [refusal?.code, nearest?.[0]])).toEqual([
      [undefined, undefined],
      ["move_refused", undefined],
      ["unknown_path", "POST /gates/:gate/open"],
    ]);
    expect(sim.explain(opened)).toMatchObject({
      operation: "gates.gates.open",
      route: "POST /gates/:gate/open",
      moves: [{ machine: "gate", from: "closed", to: "open" }],
      events: [{ type: "GateOpened" }],
      answer: { status: "open" },
      evidence: "chosen",
    });
  });

  test("has deadlines and control calls", () => {
    const sim = create();
    const { gates } = sim.gates.as();
    gates.open({ gate: "beta" });
    gates.open({ gate: "gamma" });
    expect(sim.gates.keepOpen("gamma")).toEqual({ status: "kept" });
    expect(sim.clock.pending()).toMatchObject([{ command: "timer.gateCloses", owner: { gate: "beta" } }]);
    sim.clock.advance("1m");
    expect([gates.read({ gate: "beta" }).status, gates.read({ gate: "gamma" }).status]).toEqual(["closed", "kept"]);
    expect(() => sim.gates.keepOpen("gamma")).toThrow(
      "keepOpen was refused with move_refused: gamma takes no keepOpen",
    );
  });

  test("is replayed and rehearsed from its log, forked, and looked back on", async () => {
    const sim = create();
    sim.gates.as().gates.open({ gate: "beta" });
    sim.clock.advance("1m");
    const log = sim.log.toNdjson();
    expect(replayed(log).stateHash()).toBe(sim.stateHash());
    expect(replayed(log).log.toNdjson()).toBe(log);
    expect(await simulators.rehearse(log)).toEqual({ ok: true });
    const fork = sim.fork(1);
    fork.gates.keepOpen("beta");
    expect(sim.gates.as().gates.read({ gate: "beta" }).status).toBe("closed");
    expect(sim.at(1).gates.as().gates.read({ gate: "beta" }).status).toBe("open");
    const past = await sim.fetch("https://gates.test/gates/beta", { headers: { "X-Hindcast-At": "1" } });
    expect(await past.json()).toEqual({ gate: "beta", status: "open" });
    const lost = await sim.fetch("https://gates.test/gates/beta", { headers: { "X-Hindcast-At": "99" } });
    expect(lost.status).toBe(400);
    expect((await post(sim.at(1), "/gates/beta/close")).status).toBe(400);
  });

  test("fails as it is told to", async () => {
    const sim = create();
    sim.faults.failNextRequests({ service: "gates", count: 2, status: 503 });
    expect((await post(sim, "/gates/beta/open")).status).toBe(503);
    expect(() => sim.gates.as().gates.read({ gate: "beta" })).toThrow("request_failed");
    expect((await post(sim, "/gates/beta/open")).status).toBe(200);
  });

  test("is served on sockets, and has a document", async () => {
    const sim = create();
    const server = await listen(sim as unknown as Simulator, { port: 0, admin: true });
    try {
      const answered = await fetch(`${server.url}/gates/gates/beta/open`, { method: "POST" });
      expect([answered.status, await answered.json()]).toEqual([200, { status: "open" }]);
      const headers = { Authorization: `Bearer ${server.adminSecret}` };
      const document = await fetch(`${server.url}/hindcast/openapi/gates.json`, { headers });
      expect(await document.json()).toMatchObject({ paths: { "/gates/{gate}/open": { post: {} } } });
    } finally {
      await server.close();
    }
    expect(serviceDocument(gatesModule, "https://gates.test", "1")).toMatchObject({ info: { title: "Gates" } });
    expect(sim.operations().map(({ name, service }) => [name, service])).toEqual([
      ["gates.gates.read", "gates"],
      ["gates.gates.open", "gates"],
      ["gates.gates.close", "gates"],
    ]);
  });

  test("speaks the words of a vocabulary only if it is named by its own name", () => {
    expect(() => simulators.create({ vocabulary: { runs: {} } })).toThrow("runs is no table: there are gates");
    expect(() => simulators.create({ secrets: {} })).toThrow("secrets: no such option, there is seed, startAt, gates");
  });
});
