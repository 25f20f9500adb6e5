import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSimulator } from "hindcast";
import { keepLog, listen, loadLog } from "hindcast/node";
import { expect, test } from "vitest";

test("what was answered is in the file", async () => {
  const sim = createSimulator();
  const file = join(mkdtempSync(join(tmpdir(), "hindcast-")), "run.ndjson");
  const log = await keepLog(sim, file);
  const server = await listen(sim, { log });

  const written = await fetch(`${server.urls.secrets["main"]}/v1/kv/app/db`, {
    method: "POST",
    headers: { "X-Secrets-Token": sim.secrets.cluster("main").rootToken },
    body: JSON.stringify({ user: "app" }),
  });
  expect(written.status).toBe(204);

  // Whatever happens to this process now: the disk has it.
  const { sim: again } = await loadLog(file);
  expect(again.stateHash()).toBe(sim.stateHash());

  await server.close();
  await log.close();
});
