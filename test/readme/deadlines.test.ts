import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

// The code under test: whether a token that it holds is still good, without asking.
const isGood = (held: { expires: string }, nowMs: number): boolean => nowMs < Date.parse(held.expires);

test("the client uses no token that has ended, and gives up none that has not", async () => {
  const sim = createSimulator();
  const { createToken, as } = sim.secrets.cluster("main");
  const tokens = ["10m", "1h", "1h", "30d"].map((ttl) => {
    const { token } = createToken({ policies: ["default"], ttl });
    return { token, expires: as(token).tokens.lookupSelf().data.expire_time ?? "" };
  });

  const checks = await sim.forEachDeadline((_deadline, fork, _offsetMs) => {
    for (const held of tokens) {
      const ask = () => fork.secrets.cluster("main").as(held.token).tokens.lookupSelf().data.id;
      if (isGood(held, fork.clock.now())) expect(ask()).toBe(held.token);
      else expect(ask).toThrow("permission denied");
    }
  });
  expect(checks).toBe(3 * tokens.length);
});
