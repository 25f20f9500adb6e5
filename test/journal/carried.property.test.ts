import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSimulator, replay, type Simulator } from "../../src/index.ts";
import { runs } from "../support/runs.ts";

type Act = (sim: Simulator) => unknown;

const fetches = fc
  .record({
    program: fc.constantFrom("author", "shop", "till"),
    method: fc.constantFrom("GET", "POST", "DELETE", "LIST"),
    path: fc.constantFrom("/v1/kv/app", "/v1/sys/health", "/v1/auth/token/lookup-self", "/v1/nowhere", "/v1/kv/%ff"),
    token: fc.constantFrom("root", "none", "\u00e4"),
    body: fc.constantFrom('{"a":1}', '{"a":"\ufffd\ud800"}', "torn {", "[]", ""),
  })
  .map(
    ({ program, method, path, token, body }): Act =>
      (sim) => {
        const { url, rootToken } = sim.secrets.cluster("main");
        const headers = { "X-Secrets-Token": token === "root" ? rootToken : token };
        const init = method === "POST" ? { method, headers, body } : { method, headers };
        return sim.program(program).fetch(url + path, init);
      },
  );

const calls = fc.constantFrom<Act>(
  (sim) =>
    sim.program("shop").as(sim.secrets.cluster("main"), sim.secrets.cluster("main").rootToken).kv.list({ prefix: "" }),
  (sim) => sim.secrets.cluster("main").as("none").kv.read({ path: "app" }),
  (sim) => sim.scheduler.region("global").as().acl.bootstrap(),
  (sim) => sim.runs.as("none").policyChecks.read({ id: "polchk-1" }),
  (sim) => sim.clock.advance("1500ms"),
  (sim) => sim.clock.run("1s"),
  (sim) => sim.mark(`mark ${sim.journal.length}`),
  (sim) => sim.secrets.cluster("main").seal(),
  (sim) => sim.secrets.cluster("main").unseal(),
);

const notes = fc.tuple(fc.constantFrom("author", "shop"), fc.jsonValue()).map(
  ([program, data]): Act =>
    (sim) =>
      sim.program(program).note(JSON.parse(JSON.stringify(data))),
);

/** What a story tries may be refused: the journal tells that. */
async function play(sim: Simulator, acts: readonly Act[]): Promise<void> {
  for (const act of acts)
    await Promise.resolve(sim)
      .then(act)
      .catch(() => undefined);
}

const stories = fc.array(fc.oneof(fetches, calls, notes), { maxLength: 25 });

describe("a journal that a log carries", () => {
  it("comes back equal, whatever was done, and its fork goes on counting", async () => {
    await fc.assert(
      fc.asyncProperty(stories, fc.boolean(), async (acts, callSites) => {
        const sim = createSimulator({ history: { journalSize: 15, callSites } });
        await play(sim, acts);
        const back = replay(sim.log.toNdjson({ journal: true }));
        expect(back.journal).toEqual(sim.journal);
        expect(back.fork().journal).toEqual(sim.journal);
        expect(back.log.toNdjson({ journal: true })).toBe(sim.log.toNdjson({ journal: true }));
        expect(back.log.toNdjson()).toBe(sim.log.toNdjson());
      }),
      runs(40),
    );
  });

  it("is named by its line where it was damaged", async () => {
    const sim = createSimulator();
    sim.note({ leader: "main" });
    sim.note({ leader: "east" });
    const text = sim.log.toNdjson({ journal: true });
    expect(() => replay(text.replace('"east"', '"west"'))).toThrow("line 3");
    expect(() =>
      replay(text.replace('"kind":"note","program":"author","data":{"leader":"main"}', '"kind":"guess"')),
    ).toThrow("line 2");
    expect(replay(text.replace('"east"', '"west"'), { acceptPrefix: true }).journal).toHaveLength(1);
  });
});
