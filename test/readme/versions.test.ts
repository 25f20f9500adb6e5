import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

/** Code under test: two workers count in one secret, and each writes only over what it has read. */
async function countUp(url: string, token: string, fetch: typeof globalThis.fetch): Promise<number> {
  const headers = { "X-Secrets-Token": token };
  for (let attempt = 1; ; attempt++) {
    const read = (await (await fetch(`${url}/v1/kv/data/count`, { headers })).json()) as Read;
    const body = JSON.stringify({ data: { n: read.data.data.n + 1 }, options: { cas: read.data.metadata.version } });
    const { ok } = await fetch(`${url}/v1/kv/data/count`, { method: "POST", headers, body });
    if (ok) return attempt;
  }
}

interface Read {
  readonly data: { readonly data: { readonly n: number }; readonly metadata: { readonly version: number } };
}

test("nobody counts over anybody, and a version ends by itself", async () => {
  const sim = createSimulator({ secrets: { kv: 2 } });
  const { url, rootToken, as } = sim.secrets.cluster("main");
  const { kv2 } = as(rootToken);
  kv2.config.write({ cas_required: true });
  kv2.write({ path: "count", data: { n: 0 }, options: { cas: 0 } });

  // Both read the first version; the second to write has to read again.
  expect(await Promise.all([1, 2].map(() => countUp(url, rootToken, sim.fetch)))).toEqual([1, 2]);
  expect(kv2.read({ path: "count" }).data).toMatchObject({ data: { n: 2 }, metadata: { version: 3 } });

  kv2.metadata.write({ path: "count", delete_version_after: "1h" });
  await countUp(url, rootToken, sim.fetch);
  sim.clock.advance("1h");
  expect(() => kv2.read({ path: "count" })).toThrow("secret_version_gone");
  kv2.undelete({ path: "count", versions: [4] });
  expect(kv2.read({ path: "count" }).data.data).toEqual({ n: 3 });
});
