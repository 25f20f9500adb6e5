import { createSimulator, diff, runScenario, type Simulator } from "hindcast";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { drFailoverUnplanned } from "../../scenarios/dr-failover-unplanned.ts";
import { violationsIn } from "./axe.ts";
import { goTo, opened } from "./opened.ts";

/** A minute between writes, so that each has a place of its own. */
function minutes(writes: number): Simulator {
  const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] } });
  const east = sim.secrets.cluster("east");
  const { kv } = east.as(east.rootToken);
  for (let write = 1; write <= writes; write++) {
    sim.clock.advance("1m");
    kv.write({ path: `kv/orders/${write % 2}`, data: { amount: Math.ceil(write / 2) } });
  }
  sim.clock.advance("1m");
  return sim;
}

async function filterText(page: Page): Promise<string> {
  return page.getByRole("combobox", { name: "Filter" }).inputValue();
}

describe("two cursors", () => {
  test("tell what lies between them, as diff does, and keep the list to it", async () => {
    const sim = minutes(12);
    const page = await opened(sim);
    await goTo(page, 3);
    await page.keyboard.press("a");
    await goTo(page, 8);
    const between = page.getByRole("group", { name: "Between the cursors" });
    await expect.poll(() => between.locator("p").textContent()).toBe("from #3: 5 commits, 5m");
    const differs = page.locator(".between");
    const expected = diff(sim.at(3), sim.at(8)).map(({ path }) => path);
    await expect
      .poll(() => differs.locator("summary").first().textContent())
      .toBe(`From #3 to #8 the state differs at ${expected.length} paths`);
    await expect.poll(() => differs.locator(".path").allTextContents()).toEqual(expected);
    await page.keyboard.press("l");
    await expect.poll(() => page.locator(".filter output").textContent()).toBe("6 found");
    await expect.poll(() => filterText(page)).toBe("#3..8");
    await page.keyboard.press("x");
    await expect.poll(() => page.locator(".moment").getAttribute("data-position")).toBe("3");
    await expect.poll(() => between.locator("p").textContent()).toBe("from #8: 5 commits, 5m");
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole("button", { name: "one cursor" }).click();
    await expect.poll(() => between.count()).toBe(0);
  });

  test("are the ends of a stretch that is drawn along the axis", async () => {
    const sim = minutes(12);
    const page = await opened(sim);
    await page.getByRole("button", { name: "by commits" }).click();
    const { x, y, width } = (await page.getByRole("slider", { name: "Cursor" }).boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
    };
    // Left of it stand names; the stretch begins and ends beyond the first and the last commit.
    const placeOf = (position: number): number => x + 120 + ((position + 12 * 0.02) / (12 * 1.1)) * (width - 120);
    await page.mouse.move(placeOf(2), y + 5);
    await page.mouse.down();
    await page.mouse.move(placeOf(4), y + 5);
    await page.mouse.move(placeOf(6), y + 5);
    await page.mouse.up();
    await page.getByRole("button", { name: "only these" }).click();
    await expect.poll(() => filterText(page)).toBe("#2..6");
    await expect.poll(() => page.locator(".filter output").textContent()).toBe("5 found");
  });
});

test("a value of the state is a row of the time line, with all that it was", async () => {
  const sim = minutes(9);
  const page = await opened(sim);
  await goTo(page, 9);
  const button = page.locator(".changes .path").filter({ hasText: "orders/1" });
  const path = (await button.textContent()) ?? "";
  await button.click();
  await page.keyboard.press("v");
  const told = page.locator(".span.alone title");
  // The lane of the cluster comes first.
  await expect.poll(async () => (await told.allTextContents()).slice(1)).toEqual(["nothing", "1", "2", "3", "4", "5"]);
  await expect.poll(() => page.locator(".lane text").allTextContents()).toContain("amount");
  await expect.poll(() => page.locator(".writer code").textContent()).toBe(path);
  expect(await violationsIn(page)).toEqual([]);
  await page.keyboard.press("v");
  await expect.poll(() => told.count()).toBe(1);
});

test("a row of a value that changes always shows what it was at so many places", async () => {
  const sim = minutes(1_000);
  const page = await opened(sim);
  await goTo(page, 1_000);
  await page.locator(".changes .path").filter({ hasText: "walIndex" }).click();
  await page.keyboard.press("v");
  await expect.poll(() => page.locator(".span.alone title").count()).toBeGreaterThan(300);
  await expect.poll(() => page.locator(".span.alone title").count()).toBeLessThanOrEqual(402);
});

test("a chart is lit where it moved, and what moved has its history", async () => {
  const { sim } = await runScenario(drFailoverUnplanned);
  const page = await opened(sim);
  const promoted = sim.log.commits().find(({ command }) => command.name.endsWith("dr.promote"))?.position ?? 0;
  const [move] = sim.explain(promoted).moves;
  await goTo(page, promoted);
  await page.locator(".chart summary").first().click();
  const picture = page.locator(".picture").first();
  await expect.poll(() => picture.locator(".state.left text").textContent()).toBe(move?.from);
  await expect.poll(() => picture.locator(".state.reached text").textContent()).toBe(move?.to);
  await expect.poll(() => picture.locator(".taken").count()).toBeGreaterThan(0);
  const object = (await page.locator(".chart > .path").first().textContent()) ?? "";
  const writers = sim.log
    .commits()
    .filter(({ position }) => position <= promoted && sim.fork(position).blame(object)?.position === position)
    .map(({ position }) => `#${position}`);
  await expect.poll(() => page.locator(".history .link").allTextContents()).toEqual(writers.reverse());
  expect(await violationsIn(page)).toEqual([]);
});

test("timers of programs stand where they will fire", async () => {
  const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] } });
  const shop = sim.program("shop");
  shop.timers.setTimeout(() => undefined, 90_000);
  shop.timers.setInterval(() => undefined, 60_000);
  await sim.clock.run("1m");
  const page = await opened(sim);
  const pending = sim.clock.pending().map(({ timer, program }) => `${timer} of ${program}, 2026-01-01 00:0`);
  expect(pending).toHaveLength(2);
  const told = await page.locator(".ahead path title").allTextContents();
  expect(told).toEqual(pending.map((text) => expect.stringContaining(text)));
  await expect.poll(() => page.locator(".lane text").allTextContents()).toContain("shop");
  await page.getByText("Timers of programs ahead: 2").click();
  await expect.poll(() => page.locator(".deadlines li").allTextContents()).toEqual(told);
});
