import { runScenario } from "hindcast";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { drFailoverUnplanned } from "../../scenarios/dr-failover-unplanned.ts";
import { splitBrain } from "../../scenarios/split-brain.ts";
import { placesOf } from "../../src/scenario/places.ts";
import { violationsIn } from "./axe.ts";
import { goTo, opened } from "./opened.ts";

function node(page: Page, id: string) {
  return page.locator(`[data-node="${id}"]`);
}

async function looksAt(page: Page, position: number): Promise<void> {
  await goTo(page, position);
  await expect.poll(() => page.locator(".topology").getAttribute("data-position")).toBe(`${position}`);
}

test.each([
  ["dr-failover-unplanned", () => runScenario(drFailoverUnplanned)],
  ["split-brain", () => runScenario(splitBrain)],
] as const)("the places of %s stand as the library says, at each position", async (_, play) => {
  const { sim } = await play();
  const page = await opened(sim);
  await page.getByRole("button", { name: "Topology" }).last().click();
  for (const { position } of sim.log.commits()) {
    await looksAt(page, position);
    for (const { kind, name, role, state } of placesOf(sim.at(position))) {
      const told = await node(page, `${kind} ${name}`).locator("title").textContent();
      expect(told?.startsWith(`${name}: ${role}`)).toBe(true);
      expect(told).toContain(state);
    }
    const cuts = [...(sim.at(position).state.network?.cuts ?? [])].length;
    await expect.poll(() => page.locator(".line.cut").count()).toBe(cuts);
  }
});

test("shipments move along as time plays, which ends at the end", async () => {
  const { sim } = await runScenario(drFailoverUnplanned);
  const page = await opened(sim);
  await page.getByRole("button", { name: "Topology" }).last().click();
  const crash = sim.at("before the crash").position;
  await looksAt(page, crash);
  await expect.poll(() => page.locator(".flight").count()).toBe(3);
  const shares = () =>
    page.locator(".flight").evaluateAll((dots) => dots.map((dot) => Number(dot.getAttribute("data-share"))));
  expect(Math.max(...(await shares()))).toBe(0);
  await page.getByRole("combobox", { name: "Speed" }).selectOption("1");
  await page.getByRole("button", { name: "play" }).click();
  await expect.poll(async () => Math.max(...(await shares()))).toBeGreaterThan(0.02);
  await page.getByRole("button", { name: "pause" }).click();
  await page.getByRole("combobox", { name: "Speed" }).selectOption("86400");
  await page.getByRole("button", { name: "play" }).click();
  await expect.poll(() => page.locator(".topology").getAttribute("data-position")).toBe(`${sim.position}`);
  await expect.poll(() => page.getByRole("button", { name: "pause" }).count()).toBe(0);
});

test.each([
  { width: 1280, height: 720, colorScheme: "light" },
  { width: 1280, height: 720, colorScheme: "dark" },
  { width: 390, height: 844, colorScheme: "light" },
  { width: 390, height: 844, colorScheme: "dark" },
] as const)("nothing of the topology is in the way, at $width x $height, $colorScheme", async (looking) => {
  const { sim } = await runScenario(drFailoverUnplanned);
  const page = await opened(sim, looking);
  await goTo(page, sim.at("before the crash").position + 1);
  await page.getByRole("button", { name: "Topology" }).and(page.locator(":visible")).click();
  await expect.poll(() => page.locator(".node").count()).toBeGreaterThan(1);
  expect(await violationsIn(page)).toEqual([]);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(looking.width);
});
