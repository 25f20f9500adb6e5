import { describe, expect, it } from "vitest";
import { type Explanation, format, replay, type Simulator } from "../../src/index.ts";
import { differences } from "../../src/kernel/diff.ts";
import { requestsOf } from "../support/journal.ts";
import { as, borrow, eventfulLibrary, OPENED, openLibrary } from "./support/library.ts";
import { withCommits } from "./support/log-text.ts";

const types = ({ events }: Explanation): string[] => events.map(({ type }) => type);
const moves = (explanation: Explanation): string[] =>
  explanation.moves.map(({ machine, event, from, to }) => `${machine} ${event}: ${from} -> ${to}`);

/** Commands of an eventful life that answer with a body, or return something. */
const ANSWERED_WITH_A_BODY = new Set(["control.createToken", "secrets.library.checkOut", "secrets.library.status"]);

async function ask(sim: Simulator, method: string, path: string, token: string | undefined, body?: object) {
  return sim.fetch(`${sim.secrets.cluster("main").url}/v1/${path}`, {
    method,
    headers: token === undefined ? {} : { "X-Secrets-Token": token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("the explanation of a commit", () => {
  it("of an operation tells route, evidence, caller, what charts were asked, facts, changes and answer", () => {
    const sim = openLibrary();
    const { lease, password } = borrow(sim, "ann", "10m");
    const explanation = sim.explain(OPENED + 1);
    expect(explanation).toMatchObject({
      position: OPENED + 1,
      atMs: Date.UTC(2026, 0, 1),
      operation: "secrets.library.checkOut",
      route: "POST /v1/:mount/library/**:set_name/check-out",
      evidence: "observed",
      caller: { cluster: "main", token: "ann" },
      answer: { lease_id: lease, data: { service_account_name: "svc-a", password } },
    });
    expect(moves(explanation)).toEqual(["library-account checkOut: available -> checked_out"]);
    expect(types(explanation)).toEqual(["ServiceAccountCheckedOut", "LeaseIssued"]);
    expect(explanation.events).toBe(sim.log.commits()[OPENED]?.events);
    expect(explanation.changes).toEqual(sim.diff(OPENED, OPENED + 1));
  });

  it("of a timer tells which one, of whom, and what it came to", () => {
    const sim = openLibrary();
    borrow(sim, "ann", "10m");
    sim.clock.advance("1h");
    const explanation = sim.explain(OPENED + 2);
    expect(explanation).toMatchObject({
      operation: "timer.leaseRevocation",
      atMs: Date.UTC(2026, 0, 1, 0, 10),
      caller: { cluster: "main", part: "local", deadline: expect.stringContaining("0000000007") },
    });
    expect(explanation.armedAt).toBe(OPENED + 1);
    // Nobody has asked, so nobody is answered.
    for (const member of ["route", "evidence", "answer"]) expect(explanation).not.toHaveProperty(member);
    expect(moves(explanation)).toEqual([
      "library-loan end: lent -> returned",
      "library-account takeBack: checked_out -> available",
      "lease end: live -> ended",
    ]);
    expect(types(explanation)).toEqual(["DirectoryPasswordChanged", "ServiceAccountCheckedIn", "LeaseEnded"]);
  });

  it("tells a move once that was asked for before it was made", () => {
    const sim = openLibrary();
    borrow(sim, "ann");
    as(sim, "ann").library.checkIn({ set_name: "ops", service_account_names: ["svc-a"] });
    expect(moves(sim.explain(sim.position))).toEqual([
      "library-account checkIn: checked_out -> available",
      "lease end: live -> ended",
    ]);
  });

  it("of a control call has its name for an operation, and no route", () => {
    const explanation = openLibrary().explain(3);
    expect(explanation).toMatchObject({ operation: "control.createToken", answer: { token: "ann" } });
    expect(explanation).not.toHaveProperty("route");
  });

  it("of a command that failed keeping facts tells the refusal and the facts", () => {
    const sim = eventfulLibrary();
    const position =
      sim.log.commits().find(({ failed }) => failed !== undefined)?.position ?? expect.fail("none failed");
    const explanation = sim.explain(position);
    expect(explanation).toMatchObject({
      operation: "secrets.library.status",
      caller: { token: "once" },
      answer: { refused: "permission_denied", data: { path: "ldap/library/ops/status" } },
    });
    expect(types(explanation)).toEqual(["TokenUsed", "TokenRevoked"]);
  });

  it("of a request without an operation, which used up a token, says that there was none", async () => {
    const sim = openLibrary();
    sim.secrets.cluster("main").createToken({ id: "few", policies: ["root"], numUses: 5 });
    await ask(sim, "GET", "no/such/path", "few");
    expect(sim.explain(OPENED + 2)).toMatchObject({
      operation: "secrets.unrouted",
      answer: { refused: "no_handler_for_route" },
    });
  });

  it("changes nothing, and can be had again", () => {
    const sim = eventfulLibrary();
    const before = [sim.log.toNdjson(), sim.stateHash(), sim.clock.pending()];
    const first = sim.log.commits().map(({ position }) => sim.explain(position));
    expect(sim.log.commits().map(({ position }) => sim.explain(position))).toEqual(first);
    expect([sim.log.toNdjson(), sim.stateHash(), sim.clock.pending()]).toEqual(before);
  });

  it("of every commit agrees with the log: facts, and changes from the state before to that after", () => {
    const sim = eventfulLibrary();
    for (const { position, events, atMs, command } of sim.log.commits()) {
      const explanation = sim.explain(position);
      expect(explanation.events).toBe(events);
      expect(explanation.atMs).toBe(atMs);
      expect(explanation.changes).toEqual(differences(sim.at(position - 1).state, sim.at(position).state));
      expect([command.name, "answer" in explanation]).toEqual([command.name, ANSWERED_WITH_A_BODY.has(command.name)]);
    }
  });

  it("has the answer of every service as whoever asked got it", () => {
    const sim = openLibrary();
    const body = sim.scheduler.region("global").as().acl.bootstrap();
    expect(sim.explain(sim.position).answer).toEqual(body);

    sim.runs.createOrganization({ name: "acme" });
    const { id } = sim.runs.createWorkspace({ organization: "acme", name: "prod" });
    expect(sim.explain(sim.position).answer).toEqual({ id });
    const { token } = sim.runs.createToken({ kind: "user", organization: "acme", grants: { owner: true } });
    const policies = [{ name: "p", level: "soft-mandatory", result: false }] as const;
    const [check = ""] = sim.runs.createRun({ workspace: id, policyChecks: [{ policies }] }).policyCheckIds;
    const overridden = sim.runs.as(token).policyChecks.override({ id: check });
    expect(sim.explain(sim.position).answer).toEqual(overridden);
  });

  it("in a replayed simulator is the same", () => {
    const sim = eventfulLibrary();
    const read = replay(sim.log.toNdjson());
    for (const { position } of sim.log.commits()) {
      expect(JSON.parse(JSON.stringify(read.explain(position)))).toEqual(
        JSON.parse(JSON.stringify(sim.explain(position))),
      );
    }
  });

  it("in a rewritten past shows the answers that were given there", async () => {
    const sim = openLibrary();
    borrow(sim, "ann");
    const { password } = borrow(sim, "bob");
    const { fork } = await sim.rewrite([{ drop: 1 }]);
    const kept = (await sim.rewrite([{ drop: OPENED + 2 }])).fork;
    expect(kept.explain(OPENED + 1)).toEqual(sim.explain(OPENED + 1));
    expect(JSON.stringify(sim.explain(OPENED + 2).answer)).toContain(password);
    for (const { position, events } of fork.log.commits()) expect(fork.explain(position).events).toBe(events);
  });

  it("tells no answer and no moves that today's rules do not lead to: they are not what was answered then", () => {
    const sim = openLibrary();
    borrow(sim, "ann");
    const text = withCommits(sim.log.toNdjson(), (commits) =>
      commits.map((commit) => {
        if (commit.position === 4) return { ...commit, command: { ...commit.command, name: "control.gone" } };
        return commit.position === 7 ? { ...commit, events: commit.events.slice(0, 1) } : commit;
      }),
    );
    const old = replay(text);
    const gone = old.explain(4);
    expect(gone).toMatchObject({ operation: "control.gone", moves: [] });
    expect(types(gone)).toEqual(["TokenCreated"]);
    expect(gone).not.toHaveProperty("answer");
    const other = old.explain(7);
    expect(other).toMatchObject({ operation: "secrets.library.checkOut", moves: [] });
    expect(types(other)).toEqual(["ServiceAccountCheckedOut"]);
    expect(other).not.toHaveProperty("answer");
  });

  it("at an unknown position is refused", () => {
    const sim = openLibrary();
    expect(() => sim.explain(OPENED + 1)).toThrow(
      expect.objectContaining({
        name: "Rejection",
        code: "unknown_place",
        status: 400,
        data: { place: `${OPENED + 1}` },
      }),
    );
  });

  it.each([[0], [-1], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY]])("at %d is a mistake", (position) => {
    expect(() => openLibrary().explain(position)).toThrow(TypeError);
  });
});

describe("the explanation of a response", () => {
  it("to a command is that of its commit, with the answer as it went over the wire", async () => {
    const sim = openLibrary();
    const response = await ask(sim, "POST", "ldap/library/ops/check-out", "ann", { ttl: "10m" });
    const explanation = sim.explain(response);
    expect(explanation).toMatchObject({
      position: OPENED + 1,
      operation: "secrets.library.checkOut",
      caller: { token: "ann" },
    });
    expect(explanation.answer).toEqual(await response.json());
    expect(explanation.events).toEqual(sim.explain(OPENED + 1).events);
    expect(explanation.changes).toEqual(sim.explain(OPENED + 1).changes);
  });

  it("stays the same when time goes on", async () => {
    const sim = openLibrary();
    const response = await ask(sim, "POST", "ldap/library/ops/check-out", "ann");
    const before = sim.explain(response);
    sim.clock.advance("2h");
    borrow(sim, "bob");
    expect(sim.explain(response)).toEqual(before);
  });

  it("to a read has the place, the route and the answer, and no facts", async () => {
    const sim = openLibrary();
    sim.clock.advance("5m");
    const response = await ask(sim, "GET", "ldap/library/ops/status", "ann");
    expect(sim.explain(response)).toEqual({
      position: OPENED,
      atMs: Date.UTC(2026, 0, 1, 0, 5),
      operation: "secrets.library.status",
      route: "GET /v1/:mount/library/**:set_name/status",
      evidence: "documented",
      caller: { cluster: "main", token: "ann" },
      moves: [],
      events: [],
      changes: [],
      answer: await response.json(),
    });
  });

  it("to a read of the past has the place at which it was read", async () => {
    const sim = eventfulLibrary();
    const response = await sim.fetch(`${sim.secrets.cluster("main").url}/v1/ldap/library/ops/status`, {
      headers: { "X-Secrets-Token": "ann", "X-Hindcast-At": "7" },
    });
    expect(sim.explain(response)).toMatchObject({ position: 7, operation: "secrets.library.status" });
    const viewed = await sim.at(7).fetch(response.url, { headers: { "X-Secrets-Token": "ann" } });
    expect(sim.explain(viewed)).toMatchObject({ position: 7, operation: "secrets.library.status" });
  });

  it("of a refusal has the errors, and the operation that refused", async () => {
    const sim = openLibrary();
    const response = await ask(sim, "POST", "ldap/library/others/check-out", "ann");
    expect(response.status).toBe(400);
    expect(sim.explain(response)).toMatchObject({
      position: OPENED,
      operation: "secrets.library.checkOut",
      events: [],
      changes: [],
      answer: { errors: ['"others" doesn\'t exist'] },
    });
  });

  it("of a failure that kept facts has both", async () => {
    const sim = openLibrary();
    sim.secrets.cluster("main").createToken({ id: "once", policies: ["default"], numUses: 1 });
    const response = await ask(sim, "GET", "ldap/library/ops/status", "once");
    expect(response.status).toBe(403);
    const explanation = sim.explain(response);
    expect(types(explanation)).toEqual(["TokenUsed", "TokenRevoked"]);
    expect(explanation.answer).toEqual({ errors: ["1 error occurred:\n\t* permission denied\n\n"] });
  });

  it("without a body has no answer", async () => {
    const sim = openLibrary();
    const response = await ask(sim, "DELETE", "ldap/library/ops", "ann");
    expect(response.status).toBe(204);
    const explanation = sim.explain(response);
    expect(types(explanation)).toEqual(["LibrarySetDeleted"]);
    expect(explanation.answer).toBeUndefined();
    expect(format(explanation)).not.toContain("answer");
  });

  it("to a path that nobody knows has neither operation nor route", async () => {
    const sim = openLibrary();
    const explanation = sim.explain(await ask(sim, "GET", "no/such/path", "ann"));
    expect(explanation).not.toHaveProperty("operation");
    expect(explanation).not.toHaveProperty("route");
    expect(format(explanation)).toContain("no operation");
  });

  it("to a malformed request has the place and the answer", async () => {
    const sim = openLibrary();
    const response = await sim.fetch(`${sim.secrets.cluster("main").url}/elsewhere`);
    expect(sim.explain(response)).toMatchObject({ position: OPENED, caller: null, answer: { errors: [] } });
  });

  it.each([
    ["of another simulator", async () => ask(openLibrary(), "GET", "ldap/library/ops/status", "ann")],
    ["of nobody", async () => new Response("{}")],
  ])("%s is a mistake", async (_, respond) => {
    const response = await respond();
    expect(() => openLibrary().explain(response)).toThrow(
      new TypeError("explain: the response does not come from this simulator"),
    );
  });

  it("of a fork is a mistake to its parent, and the other way round", async () => {
    const parent = openLibrary();
    const fork = parent.fork();
    const [ofParent, ofFork] = [
      await ask(parent, "GET", "ldap/library/ops/status", "ann"),
      await ask(fork, "GET", "ldap/library/ops/status", "ann"),
    ];
    expect(() => parent.explain(ofFork)).toThrow(TypeError);
    expect(() => fork.explain(ofParent)).toThrow(TypeError);
    expect(fork.explain(ofFork).position).toBe(OPENED);
  });

  it.each([[undefined], [null], ["7"], [{}]])("is a mistake when it is %j", (what) => {
    expect(() => openLibrary().explain(what as unknown as Response)).toThrow(TypeError);
  });
});

describe("the journal", () => {
  it("has requests of both doors, of the past too, with their places, statuses and codes", async () => {
    const sim = openLibrary();
    const before = requestsOf(sim).length;
    await ask(sim, "POST", "ldap/library/ops/check-out", "ann");
    as(sim, "bob").library.status({ set_name: "ops" });
    await ask(sim, "POST", "ldap/library/others/check-out", "ann");
    await sim.fetch(`${sim.secrets.cluster("main").url}/v1/ldap/library/ops`, {
      headers: { "X-Secrets-Token": "ann", "X-Hindcast-At": "6" },
    });
    const url = "https://secrets-main.test/v1/ldap/library";
    const told = requestsOf(sim)
      .slice(before)
      .map(({ position, request, response, refusal }) => [
        position,
        `${request.method} ${request.url}`,
        response?.status,
        refusal?.code,
      ]);
    expect(told).toEqual([
      [7, `POST ${url}/ops/check-out`, 200, undefined],
      [7, `GET ${url}/ops/status`, 200, undefined],
      [7, `POST ${url}/others/check-out`, 400, "set_not_found"],
      [6, `GET ${url}/ops`, 200, undefined],
    ]);
  });
});
