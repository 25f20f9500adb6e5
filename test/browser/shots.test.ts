import { runScenario } from "hindcast";
import { test } from "vitest";
import { drFailoverUnplanned } from "../../scenarios/dr-failover-unplanned.ts";
import { statSync } from "node:fs";
import { opened } from "./opened.ts";
test("shots", async () => {
  const { sim } = await runScenario(drFailoverUnplanned);
  sim.mark("the end");
  for (const [name, o] of Object.entries({ light: {}, dark: { colorScheme: "dark" }, small: { width: 390, height: 844 } } as const)) {
    const page = await opened(sim, { title: "dr-failover-unplanned", failure: { message: "expected 200 to be 503\nmore", stack: "at x.ts:1:2" }, ...o });
    await page.waitForTimeout(400);
    await page.screenshot({ path: `/tmp/inspector-shots/${name}.png` });
    if (name === "small") { for (const p of ["Moment", "State"]) { await page.getByRole("button", { name: p, exact: true }).click(); await page.waitForTimeout(200); await page.screenshot({ path: `/tmp/inspector-shots/small-${p}.png` }); } }
  }
});
