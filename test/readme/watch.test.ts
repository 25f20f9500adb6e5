import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

// The code under test: it asks again and again, and each time waits until there is something newer than it knows.
async function watchPolicies(options: {
  url: string;
  token: string;
  fetch: typeof fetch;
  signal: AbortSignal;
  onChange: (names: string[]) => void;
}): Promise<void> {
  const { url, token, fetch, signal, onChange } = options;
  for (let index = "0"; ; ) {
    const response = await fetch(`${url}/v1/acl/policies?index=${index}&wait=5m`, {
      headers: { "X-Scheduler-Token": token },
      signal,
    });
    const policies = (await response.json()) as { Name: string }[];
    const newer = response.headers.get("X-Scheduler-Index") ?? "0";
    if (newer !== index) onChange(policies.map(({ Name }) => Name));
    index = newer;
  }
}

test("a watcher in a region that was cut off catches up after the heal", async () => {
  const sim = createSimulator({ scheduler: { regions: ["eu", "us"] } });
  const [eu, us] = [sim.scheduler.region("eu"), sim.scheduler.region("us")];
  const { SecretID: token } = eu.as().acl.bootstrap();
  sim.settle(); // the token is known in us, too

  const seen: [atMs: number, names: string[]][] = [];
  const stop = new AbortController();
  const onChange = (names: string[]) => void seen.push([sim.clock.now() - Date.UTC(2026, 0, 1), names]);
  const watcher = watchPolicies({ url: us.url, token, fetch: sim.fetch, signal: stop.signal, onChange });
  await sim.clock.run("1s");

  eu.as(token).policies.write({ Name: "readers", Rules: 'namespace "*" { policy = "read" }' });
  await sim.clock.run("1s");

  sim.network.cut(eu, us);
  eu.as(token).policies.write({ Name: "deployers", Rules: 'namespace "default" { policy = "write" }' });
  await sim.clock.run("40s");
  sim.network.heal(eu, us);
  expect(sim.clock.waiting()).toMatchObject([{ request: expect.stringContaining("/v1/acl/policies?index=") }]);
  await sim.clock.run("1h"); // minutes of waiting, 60 of them, in no time

  expect(seen).toEqual([
    [100, []],
    [1_200, ["readers"]], // 100 ms after the write
    [62_100, ["deployers", "readers"]], // at the second retry, 60 s after the cut
  ]);

  stop.abort();
  await expect(watcher).rejects.toThrow("aborted");
});
