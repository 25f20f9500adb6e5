import { createSimulator, type Simulator } from "hindcast";
import { expect, test } from "vitest";

test("a secret is written once, whatever happens to a request", async () => {
  const sim = createSimulator({ secrets: { clusters: ["east"] } });
  const { url, rootToken } = sim.secrets.cluster("east");
  const headers = { "X-Secrets-Token": rootToken };
  // The runbook: it writes, waits five seconds for an answer, and tries again ten seconds later.
  const runbook = async (fork: Simulator): Promise<void> => {
    const { fetch, timers } = fork.program("runbook");
    const write = async (): Promise<void> => {
      const signal = timers.AbortSignal.timeout(5_000);
      const answer = await fetch(`${url}/v1/kv/a`, { method: "POST", headers, body: '{"v":1}', signal }).catch(
        () => null,
      );
      if (answer?.ok !== true) timers.setTimeout(() => void write(), 10_000);
    };
    void write();
    await fork.clock.run("2m");
  };
  const { runs } = await sim.forEachRequest(runbook, {
    check: (fork) => expect(fork.secrets.cluster("east").as(rootToken).kv.read({ path: "a" }).data).toEqual({ v: 1 }),
  });
  expect(runs).toBe(8);
});
