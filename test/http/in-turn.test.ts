import { expect, test } from "vitest";
import { inTurn } from "../../src/http/in-turn.ts";
import { createSimulator } from "../../src/index.ts";
import type { WireAnswer } from "../../src/services/kit/http.ts";

test("requests that overlap commit in the order in which they were asked, however long one is prepared", async () => {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const region = sim.scheduler.region("global");
  const post = (path: string, body: object): Promise<Response> =>
    sim.fetch(`${main.url}/v1/${path}`, {
      method: "POST",
      headers: { "X-Secrets-Token": main.rootToken },
      body: JSON.stringify(body),
    });
  await post("orchestrator/config", { orchestrator_host: "https://api.test" });
  const before = sim.position;
  // YAML is read by a library that may have to be imported.
  const role = post("orchestrator/roles/r", {
    allowed_orchestrator_namespaces: "*",
    generated_role_rules: "rules: []",
  });
  const others = [
    post("kv/a", { value: 1 }),
    sim.fetch(`${region.url}/v1/acl/bootstrap`, { method: "POST" }),
    post("kv/b", { value: 1 }),
  ];
  for (const answer of await Promise.all([role, ...others])) expect(answer.ok).toBe(true);
  expect(
    sim.log
      .commits()
      .slice(before)
      .map(({ command }) => command.name),
  ).toEqual(["secrets.orchestrator.roles.write", "secrets.kv.write", "scheduler.acl.bootstrap", "secrets.kv.write"]);
});

test("whoever waits for a change holds up nobody, and what fails neither", async () => {
  const world = {};
  const made = {} as WireAnswer;
  const decided: string[] = [];
  const request = (name: string, holds: boolean, answer: () => WireAnswer | Promise<WireAnswer>) =>
    inTurn(world, holds, () => {
      decided.push(name);
      return answer();
    });
  const never = new Promise<WireAnswer>(() => undefined);
  void request("blocked", false, () => never);
  let prepared: () => void = () => undefined;
  const preparing = request(
    "prepared",
    true,
    () =>
      new Promise((_, reject) => {
        prepared = () => reject(new Error("no"));
      }),
  );
  void request("blocked behind it", false, () => never);
  const last = request("last", true, () => made);
  expect(decided).toEqual(["blocked", "prepared"]);
  prepared();
  await expect(preparing).rejects.toThrow("no");
  expect(await last).toBe(made);
  expect(decided).toEqual(["blocked", "prepared", "blocked behind it", "last"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(request("at once", true, () => made)).toBe(made);
});
