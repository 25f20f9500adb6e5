import { describe, expect, it } from "vitest";
import type { Simulator } from "../../src/index.ts";
import { lastRequest } from "../support/journal.ts";
import { as, borrow, OPENED, openLibrary } from "./support/library.ts";

const URL_OF_MAIN = "https://secrets-main.test/v1/";

interface Ask {
  readonly method?: string;
  readonly token?: string;
  readonly at?: string;
  readonly body?: object;
}

const request = (path: string, { method = "GET", token = "ann", at, body }: Ask = {}): Request =>
  new Request(URL_OF_MAIN + path, {
    method,
    headers: { "X-Secrets-Token": token, ...(at === undefined ? {} : { "X-Hindcast-At": at }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** Who has what, as the response says. */
async function lentIn(response: Response): Promise<Record<string, string | undefined>> {
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as {
    data: Record<string, { available: boolean; borrower_entity_id?: string }>;
  };
  const lent = Object.entries(data).filter(([, { available }]) => !available);
  return Object.fromEntries(lent.map(([account, { borrower_entity_id }]) => [account, borrower_entity_id]));
}

const STATUS = "ldap/library/ops/status";

/** 7: Ann borrows, for an hour. After ten minutes a mark; 8: Bob borrows. 9: after the hour the clock takes Ann's back. */
function loans(): Simulator {
  const sim = openLibrary();
  borrow(sim, "ann");
  sim.clock.advance("10m");
  sim.mark("Ann has it");
  borrow(sim, "bob");
  sim.clock.advance("55m");
  return sim;
}

const shown = (sim: Simulator) => ({ log: sim.log.toNdjson(), hash: sim.stateHash(), now: sim.clock.now() });

async function expectRefused(response: Response, reason: string): Promise<void> {
  expect(response.status).toBe(400);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  const { errors, ...rest } = (await response.json()) as { errors: string[] };
  expect(rest).toEqual({});
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain("X-Hindcast-At");
  expect(errors[0]).toContain(reason);
}

describe("a read with X-Hindcast-At", () => {
  it.each<[string, string, Record<string, string>, number]>([
    ["a position", "7", { "svc-a": "ann" }, 7],
    ["a position of digits and more digits", "0008", { "svc-a": "ann", "svc-b": "bob" }, 8],
    ["the present position", "9", { "svc-b": "bob" }, 9],
    ["an instant", "2026-01-01T00:09:59Z", { "svc-a": "ann" }, 7],
    ["an instant with an offset", "2026-01-01T01:10:00+01:00", { "svc-a": "ann", "svc-b": "bob" }, 8],
    ["the present instant", "2026-01-01T01:05:00Z", { "svc-b": "bob" }, 9],
    ["a mark", "Ann has it", { "svc-a": "ann" }, 7],
  ])("answers as of then: %s", async (_, at, lent, position) => {
    const sim = loans();
    const before = shown(sim);
    const response = await sim.fetch(request(STATUS, { at }));
    expect(response.headers.get("X-Hindcast-Position")).toBe(`${position}`);
    expect(await lentIn(response)).toEqual(lent);
    expect(shown(sim)).toEqual(before);
  });

  it("has its clock there: a lease has as much time left as it had", async () => {
    const sim = openLibrary();
    const { lease } = borrow(sim, "ann");
    sim.clock.advance("30m");
    const lookup = async (at: string): Promise<unknown> => {
      const asked = request("sys/leases/lookup", { method: "POST", at, body: { lease_id: lease } });
      return ((await (await sim.fetch(asked)).json()) as { data: { ttl: number } }).data.ttl;
    };
    expect(await lookup("7")).toBe(3_600);
    expect(await lookup("2026-01-01T00:20:00Z")).toBe(2_400);
  });

  it("asks for permission as of then: a token that came later is none, and one that ended still is one", async () => {
    const sim = openLibrary();
    sim.secrets.cluster("main").createToken({ id: "brief", policies: ["root"], ttl: "1m" });
    sim.clock.advance("2m");
    const ask = async (at: string): Promise<number> =>
      (await sim.fetch(request(STATUS, { token: "brief", at }))).status;
    expect(await ask("6")).toBe(403);
    expect(await ask("7")).toBe(200);
    expect(await ask("8")).toBe(403);
  });

  it("answers other questions than the state's as of then, too: lists, and what is not there", async () => {
    const sim = openLibrary();
    const list = await sim.fetch(request("ldap/library", { method: "LIST", at: "6" }));
    expect(((await list.json()) as { data: unknown }).data).toEqual({ keys: ["ops"] });
    expect((await sim.fetch(request("ldap/library", { method: "LIST", at: "5" }))).status).toBe(404);
    expect((await sim.fetch(request("ldap/library/ops", { at: "5" }))).status).toBe(404);
    expect((await sim.fetch(request("no/such/path", { at: "6" }))).status).toBe(404);
  });

  it("gives each answer an id of its own place, which counts from the beginning", async () => {
    const sim = loans();
    const id = async (at: string): Promise<unknown> =>
      ((await (await sim.fetch(request(STATUS, { at }))).json()) as { request_id: string }).request_id;
    expect(await id("7")).toBe(await id("7"));
    expect(await id("7")).not.toBe(await id("8"));
  });

  it("works in a fork over its parent's past", async () => {
    const fork = loans().fork(8);
    expect(await lentIn(await fork.fetch(request(STATUS, { at: "7" })))).toEqual({ "svc-a": "ann" });
    await expectRefused(await fork.fetch(request(STATUS, { at: "9" })), "the log ends at position 8");
  });
});

describe("a place that is none", () => {
  it.each([
    ["a future position", "10", "10 is no place in this history: the log ends at position 9"],
    ["a position beyond counting", "99999999999999999999", "the log ends at position 9"],
    ["a future instant", "2026-01-01T01:05:00.001Z", "now is 2026-01-01T01:05:00.000Z"],
    ["an instant before the start", "2025-12-31T23:59:59Z", "time began at 2026-01-01T00:00:00.000Z"],
    ["an unknown mark", "Bob has it", 'no mark has the name "Bob has it"'],
    ["a mark by a part of its name", "Ann has", 'no mark has the name "Ann has", did you mean "Ann has it"?'],
    ["a negative position", "-1", 'no mark has the name "-1"'],
    ["a date without a time", "2026-01-01", 'no mark has the name "2026-01-01"'],
    ["nothing", "", 'no mark has the name ""'],
    ["two places", "7, 8", 'no mark has the name "7, 8"'],
  ])("is refused in the service's own form, and nothing is used up: %s", async (_, at, reason) => {
    const sim = loans();
    const before = shown(sim);
    const response = await sim.fetch(request(STATUS, { at }));
    expect(response.headers.get("X-Hindcast-Position")).toBe("9");
    await expectRefused(response, reason);
    expect(shown(sim)).toEqual(before);
  });

  it("leaves a limited token its use", async () => {
    const sim = loans();
    sim.secrets.cluster("main").createToken({ id: "once", policies: ["root"], numUses: 1 });
    await expectRefused(await sim.fetch(request(STATUS, { token: "once", at: "tomorrow" })), "no mark");
    expect((await sim.fetch(request(STATUS, { token: "once" }))).status).toBe(200);
    expect((await sim.fetch(request(STATUS, { token: "once" }))).status).toBe(403);
  });

  it("is refused to a command as well", async () => {
    const asked = request("ldap/library/ops/check-out", { method: "POST", at: "99" });
    await expectRefused(await loans().fetch(asked), "the log ends at position 9");
  });
});

describe("a command", () => {
  const COMMANDS: readonly (readonly [string, string, Ask])[] = [
    ["a check-out", "ldap/library/ops/check-out", { method: "POST" }],
    ["a check-in of nothing", "ldap/library/ops/check-in", { method: "POST" }],
    ["a set that is written", "ldap/library/ops", { method: "POST", body: { ttl: "1h" } }],
    ["a set that is deleted", "ldap/library/ops", { method: "DELETE" }],
    ["by nobody", "ldap/library/ops/check-out", { method: "POST", token: "nobody" }],
  ];
  const READ_ONLY = "the past is read-only: X-Hindcast-At and views take no commands";

  it.each(COMMANDS)("with X-Hindcast-At is refused, and nothing is done: %s", async (_, path, ask) => {
    const sim = loans();
    const before = shown(sim);
    for (const at of ["7", "9", "Ann has it"])
      await expectRefused(await sim.fetch(request(path, { ...ask, at })), READ_ONLY);
    expect(shown(sim)).toEqual(before);
  });

  it.each(COMMANDS)("to a view is refused, and nothing is done: %s", async (_, path, ask) => {
    const sim = loans();
    const before = shown(sim);
    for (const place of [7, sim.position, "Ann has it"])
      await expectRefused(await sim.at(place).fetch(request(path, ask)), READ_ONLY);
    expect(shown(sim)).toEqual(before);
  });

  it("is what a read with a limited token is, which keeps its use", async () => {
    const sim = openLibrary();
    sim.secrets.cluster("main").createToken({ id: "once", policies: ["root"], numUses: 1 });
    borrow(sim, "ann");
    await expectRefused(await sim.fetch(request(STATUS, { token: "once", at: "7" })), READ_ONLY);
    await expectRefused(await sim.at(7).fetch(request(STATUS, { token: "once" })), READ_ONLY);
    await expectRefused(await sim.fetch(request("no/such/path", { token: "once", at: "7" })), READ_ONLY);
    expect(sim.position).toBe(8);
    expect(await lentIn(await sim.fetch(request(STATUS, { token: "once" })))).toEqual({ "svc-a": "ann" });
    // At a place where it was no token yet, it is refused as one.
    expect((await sim.fetch(request(STATUS, { token: "once", at: "6" }))).status).toBe(403);
  });
});

describe("a view's fetch", () => {
  it("answers reads as of its place", async () => {
    const sim = loans();
    const view = sim.at("2026-01-01T00:05:00Z");
    const response = await view.fetch(request(STATUS));
    expect(response.headers.get("X-Hindcast-Position")).toBe("7");
    expect(await lentIn(response)).toEqual({ "svc-a": "ann" });
    borrow(sim, "ann");
    expect(await lentIn(await view.fetch(request(STATUS)))).toEqual({ "svc-a": "ann" });
  });

  it("goes to no other place", async () => {
    await expectRefused(
      await loans()
        .at(7)
        .fetch(request(STATUS, { at: "6" })),
      "a view of the past is at one place already",
    );
  });

  it("knows the origins that there are", async () => {
    await expect(loans().at(7).fetch("https://elsewhere.test/")).rejects.toThrow(
      "this simulator answers for https://secrets-main.test",
    );
  });
});

describe("X-Hindcast-Position", () => {
  it("of a command names its own commit, even when a timer fired right after", async () => {
    const sim = openLibrary();
    const { lease } = borrow(sim, "ann");
    const body = { lease_id: lease, sync: false };
    const response = await sim.fetch(request("sys/leases/revoke", { method: "POST", body }));
    expect(response.status).toBe(202);
    expect(response.headers.get("X-Hindcast-Position")).toBe(`${OPENED + 2}`);
    expect(sim.position).toBe(OPENED + 3);
    expect(sim.log.commits().at(-1)?.command.name).toBe("timer.leaseRevocation");
    expect(sim.explain(response)).toMatchObject({ position: OPENED + 2, operation: "secrets.leases.revoke" });
    expect(lastRequest(sim)).toMatchObject({ position: OPENED + 2, response: { status: 202 } });
  });

  it("of a refusal that kept facts names the commit of these", async () => {
    const sim = openLibrary();
    sim.secrets.cluster("main").createToken({ id: "once", policies: ["default"], numUses: 1 });
    const response = await sim.fetch(request(STATUS, { token: "once" }));
    expect([response.status, response.headers.get("X-Hindcast-Position")]).toEqual([403, `${OPENED + 2}`]);
  });

  it("of a read, of a refusal and of a command that left nothing names the last commit", async () => {
    const sim = openLibrary();
    const asked = [
      request(STATUS),
      request(STATUS, { token: "unknown" }),
      request("ldap/library/ops/check-in", { method: "POST" }),
      request("ldap/library/others/check-out", { method: "POST" }),
      new Request("https://secrets-main.test/elsewhere"),
    ];
    for (const each of asked) {
      expect((await sim.fetch(each)).headers.get("X-Hindcast-Position")).toBe(`${OPENED}`);
    }
    expect(as(sim, "ann").library.status({ set_name: "ops" })).toBeDefined();
  });
});
