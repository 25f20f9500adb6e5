import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { createSimulator } from "hindcast";

/** A simulator of one test: if that fails, its log stays behind. */
function simulatorOf(t, options) {
  const sim = createSimulator(options);
  t.after(() => {
    if (!t.passed) {
      const file = `${t.name.replace(/\W+/g, "-")}.ndjson`;
      writeFileSync(file, sim.log.toNdjson());
      t.diagnostic(`npx hindcast replay ${file}`);
    }
    sim.dispose();
  });
  return sim;
}

test("a token ends", { concurrency: true }, async (t) => {
  const sim = simulatorOf(t, { seed: 7 });
  const { url, createToken } = sim.secrets.cluster("main");
  const { token } = createToken({ policies: ["default"], ttl: "1h" });
  const look = () => sim.fetch(`${url}/v1/auth/token/lookup-self`, { headers: { "X-Secrets-Token": token } });
  assert.equal((await look()).status, 200);
  sim.clock.advance("1h");
  assert.equal((await look()).status, 403);
});
