import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("three answers 403 are told apart", async () => {
  const sim = createSimulator();
  const east = sim.secrets.cluster("main");
  east.writePolicy("shop", 'path "kv/app/*" { capabilities = ["list"] }');
  east.createNamespace("team");
  const { token } = east.createToken({ policies: ["shop"], ttl: "1h" });
  const { token: ofTeam } = east.createToken({ policies: ["shop"], namespace: "team/" });
  const read = (by: string) => sim.fetch(`${east.url}/v1/kv/app/db`, { headers: { "X-Secrets-Token": by } });

  const lacking = await read(token);
  // kv/app/db needs read; policies default, shop: the rule that fits is kv/app/* [list] of shop; token ... is valid until ...
  expect(sim.why(lacking)?.text).toContain("kv/app/db needs read");

  const elsewhere = await read(ofTeam);
  // token ... (token) is one of namespace team/, and namespace root was asked; ...
  expect(sim.why(elsewhere)?.text).toContain("one of namespace team/");

  sim.clock.advance("2h");
  const late = await read(token);
  // token ... (token) ended at 2026-01-01T01:00:00Z (#5, timer.tokenExpiry); it was made at ... for 1h, and never renewed
  expect(sim.why(late)?.text).toContain("timer.tokenExpiry");
  expect(late.headers.get("X-Hindcast-Why")).toBe(sim.why(late)?.text);
});
