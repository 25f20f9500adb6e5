import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { send } from "../driver.ts";
import { expectRefused } from "../expectations.ts";

// The README's table of what is not simulated.

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const [, section = ""] = /^## What is not simulated$([\s\S]*?)^## /m.exec(readme) ?? [];
const rows = [...section.matchAll(/^\| `([^`]+)` +\| [^|]+\| 404 `([^`]+)`(; mounted: 400 `([^`]+)`)? +\|$/gm)].map(
  ([, path = "", told = "", , mounted]) => ({ path, told, mounted }),
);

it("the table has rows", () => {
  expect(rows.length).toBe(section.match(/^\| `/gm)?.length);
});

it.each(rows)("$path is refused as where it is not there", async ({ path, told, mounted }) => {
  const sim = createSimulator();
  for (const method of ["GET", "LIST", "POST"]) {
    expectRefused(await send(sim, method, `/v1/${path}`), 404, told);
    expectRefused(await send(sim, method, `/v1/${path}/x`), 404, told);
    expect(sim.journal.at(-1)).toMatchObject({ refusal: { why: expect.stringContaining("not simulated") } });
  }
  if (mounted === undefined) return;
  const [type] = path.split("/");
  const body = JSON.stringify({ type });
  expectRefused(await send(sim, "POST", `/v1/sys/mounts/${type}`, { body }), 400, mounted);
});
