import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { createSimulator } from "../../src/index.ts";

// amendments.md, A3.

function world() {
  const sim = createSimulator();
  const region = sim.scheduler.region("global");
  const { SecretID } = region.as().acl.bootstrap();
  return { sim, url: `${region.url}/v1/acl`, headers: { "X-Scheduler-Token": SecretID } };
}

it("a response tells whether it was redirected, and from where it came in the end", async () => {
  const { sim, url, headers } = world();
  const followed = await sim.fetch(`${url}//policies`, { headers });
  expect(followed).toMatchObject({ status: 200, redirected: true, url: `${url}/policies` });
  expect(await sim.fetch(`${url}/policies`, { headers })).toMatchObject({ redirected: false });
  const asIs = await sim.fetch(`${url}//policies`, { headers, redirect: "manual" });
  expect(asIs).toMatchObject({ status: 301, redirected: false });
});

it("any number of requests share a signal, without a warning, and leave nothing at it", async () => {
  const { sim, url, headers } = world();
  const { signal } = new AbortController();
  const warnings: Error[] = [];
  const note = (warning: Error): unknown => warnings.push(warning);
  process.on("warning", note);
  const init = { headers, signal };
  await Promise.all(Array.from({ length: 2_000 }, () => sim.fetch(`${url}/policies`, { ...init, redirect: "follow" })));
  await Promise.all(
    Array.from({ length: 2_000 }, () => sim.fetch(`${url}/policy/p`, { ...init, method: "POST", body: "{}" })),
  );
  const blocked = Array.from({ length: 2_000 }, () => sim.fetch(`${url}/tokens?index=2&wait=1s`, init));
  sim.clock.advance("1s");
  await Promise.all(blocked);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

it("a signal gives up a request of any form", async () => {
  const { sim, url, headers } = world();
  const abort = new AbortController();
  const init = { headers, signal: abort.signal };
  const waiting = [
    sim.fetch(`${url}/tokens?index=2`, init),
    sim.fetch(`${url}/tokens?index=2`, { ...init, redirect: "follow" }),
    sim.fetch(new Request(`${url}/tokens?index=2`, init)),
    sim.fetch(new Request(`${url}/tokens?index=2`, { headers }), { signal: abort.signal }),
  ];
  const given = new Error("enough");
  abort.abort(given);
  for (const each of waiting) await expect(each).rejects.toBe(given);
  await expect(sim.fetch(`${url}/policy/p`, { ...init, method: "POST", body: "{}" })).rejects.toBe(given);
});
