import assert from "node:assert/strict";
import { createSimulator, defineScenario, runScenario, type Scenario, type Simulator } from "hindcast";
import { traceHtml } from "hindcast/inspect";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { drFailoverUnplanned } from "../../scenarios/dr-failover-unplanned.ts";
import { promote } from "../../scenarios/support/replication.ts";
import { violationsIn } from "./axe.ts";
import { goTo, opened } from "./opened.ts";

async function whatIf(page: Page, position: number): Promise<void> {
  await goTo(page, position);
  await page.getByRole("button", { name: "What if" }).and(page.locator(":visible")).click();
  await expect.poll(() => page.locator(".fork").textContent()).toContain(`#${position}`);
}

/** Presses a button, and waits for what it comes to. */
async function does(page: Page, button: string): Promise<string> {
  const done = page.locator(".done li");
  const before = await done.count();
  await page.locator(".what-if").getByRole("button", { name: button, exact: true }).click();
  await expect.poll(() => done.count()).toBe(before + 1);
  return (await done.nth(before).locator("pre").textContent()) ?? "";
}

function row(page: Page, name: string) {
  return page.locator(".what-if tr").filter({ hasText: name }).locator("td");
}

test("a fork goes on in the page as in the library: its clock, its requests, a cut, a failover, and what is lost", async () => {
  const { sim } = await runScenario(drFailoverUnplanned);
  const { position } = sim.at("before the crash");
  const page = await opened(sim);
  await whatIf(page, position);
  await page.locator(".fork").click();
  expect(await does(page, "cut")).toBe("done");
  await page.getByRole("combobox", { name: "Program" }).selectOption("author");
  await page.getByRole("combobox", { name: "Operation" }).fill("secrets.kv.write");
  const request = page.getByRole("textbox", { name: "Request" });
  expect(await request.inputValue()).toMatch(
    /^POST https:\/\/secrets-east\.test\/v1\/\{mount\}\/\{path\}\nX-Secrets-Token: scs\./,
  );
  const { east, west } = { east: sim.secrets.cluster("east"), west: sim.secrets.cluster("west") };
  await request.fill(`POST ${east.url}/v1/kv/orders/9\nX-Secrets-Token: ${east.rootToken}\n\n{"total":9}`);
  expect(await does(page, "send")).toMatch(/^204/);
  expect(await does(page, "move the clock")).toMatch(/deadlines fired$/);
  await page.getByRole("combobox", { name: "Cluster" }).selectOption("west");
  await does(page, "promote");

  const fork = sim.fork(position);
  fork.network.cut(fork.secrets.cluster("east"), fork.secrets.cluster("west"));
  const headers = { "X-Secrets-Token": east.rootToken };
  await fork.fetch(`${east.url}/v1/kv/orders/9`, { method: "POST", headers, body: '{"total":9}' });
  fork.clock.advance("1m");
  await promote(fork.secrets.cluster(west.name), east.keyShares);
  await expect.poll(() => row(page, "state").last().textContent()).toBe(fork.stateHash().slice(0, 8));
  const lost = fork.lossReport(fork.secrets.cluster("east"), fork.secrets.cluster("west"));
  await expect.poll(() => row(page, "lost").last().textContent()).toContain(`${lost.length} of east at west`);

  await page.getByRole("button", { name: "as curl" }).click();
  await expect.poll(() => page.locator(".copy").textContent()).toContain("/control/network/cut");
  await page.getByRole("button", { name: "as test" }).click();
  await expect.poll(() => page.locator(".copy").textContent()).toContain(fork.stateHash());
});

test("what is copied as a test passes, over the same log", async () => {
  const { sim } = await runScenario(drFailoverUnplanned);
  const page = await opened(sim);
  await whatIf(page, 8);
  await page.locator(".fork").click();
  const east = sim.secrets.cluster("east");
  await page
    .getByRole("textbox", { name: "Request" })
    .fill(`GET ${east.url}/v1/kv/orders/1\nX-Secrets-Token: it's nobody's`);
  expect(await does(page, "send")).toMatch(/^403\n.*why: /s);
  await does(page, "seal");
  await page.getByRole("button", { name: "as test" }).click();
  await expect.poll(() => page.locator(".copy").textContent()).toContain("stateHash");
  const text = (await page.locator(".copy").textContent()) ?? "";
  const { replay } = await import("hindcast");
  const body = text.replaceAll(/^import .*$/gm, "");
  let ran: Promise<void> | undefined;
  const run = new Function("replay", "readFileSync", "expect", "test", body) as (...given: readonly unknown[]) => void;
  run(
    replay,
    () => sim.log.toNdjson(),
    expect,
    (_: string, story: () => Promise<void>) => {
      ran = story();
    },
  );
  await ran;
  expect(ran).toBeDefined();

  await page.getByRole("button", { name: "as scenario" }).click();
  await expect.poll(() => page.locator(".copy").textContent()).toContain("defineScenario");
  const scenario = ((await page.locator(".copy").textContent()) ?? "")
    .replaceAll(/^import .*$/gm, "")
    .replace("export default", "return");
  const told = new Function("replay", "readFileSync", "assert", "defineScenario", scenario)(
    replay,
    () => sim.log.toNdjson(),
    assert,
    defineScenario,
  ) as Scenario;
  const report = await runScenario(told);
  expect(report.steps.map(({ title, error }) => [title, error])).toEqual([
    [`author: GET ${east.url}/v1/kv/orders/1`, undefined],
    ["seal east", undefined],
    ["And then", undefined],
  ]);
});

/** A shop that keeps an order, and what happens to it. */
function shop(seed: number, isSealed: boolean): Simulator {
  const sim = createSimulator({ seed, secrets: { clusters: ["east", "west"] } });
  const east = sim.secrets.cluster("east");
  const { kv } = east.as(east.rootToken);
  for (const order of [1, 2, 3]) {
    east.createToken({ policies: ["default"], ttl: "1h" });
    kv.write({ path: `kv/orders/${order}`, data: { order } });
  }
  if (isSealed) sim.secrets.cluster("west").seal();
  kv.write({ path: "kv/orders/4", data: { order: 4 } });
  return sim;
}

test("another run stands beside it: of another seed, as its log or its page", async () => {
  const [red, green] = [shop(7, true), shop(8, false)];
  const page = await opened(red, { against: green });
  const parted = page.locator(".parted");
  const told = async (): Promise<void> => {
    await expect
      .poll(() => parted.locator("h3").textContent())
      .toContain("They part behind #6: something else was asked");
    const [one, other] = [red, green].map((sim) =>
      sim.log
        .commits()
        .slice(6)
        .map(({ command }) => command.name),
    );
    expect(one).toEqual(["control.seal", "secrets.kv.write"]);
    expect(other).toEqual(["secrets.kv.write"]);
    const lists = parted.locator("ol");
    await expect.poll(() => lists.nth(0).locator("li").count()).toBe(2);
    await expect
      .poll(() => lists.nth(1).locator("li").allTextContents())
      .toEqual([expect.stringContaining("kv.write")]);
  };
  await told();
  // The cursor stands at the first commit that the other run has not.
  await expect.poll(() => page.locator("[data-position]").first().getAttribute("data-position")).toBe("7");
  for (const [name, file] of [
    ["green.ndjson", green.log.toNdjson()],
    ["green.html", await traceHtml(green)],
  ] as const) {
    const before = await page.getByRole("combobox", { name: "Branch" }).locator("option").count();
    await page.locator('input[type="file"]').setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(file) });
    await expect.poll(() => page.getByRole("combobox", { name: "Branch" }).locator("option").count()).toBe(before + 1);
    await told();
  }
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "x", mimeType: "text/plain", buffer: Buffer.from("x") });
  await expect.poll(() => page.locator(".what-if .fault").textContent()).toContain("no header of a hindcast log");
  expect(await violationsIn(page)).toEqual([]);
});

test("another past is decided as the library does, and says which answers are others", async () => {
  const { sim } = await runScenario(drFailoverUnplanned);
  const position = sim.log.commits().find(({ command }) => command.name === "secrets.kv.write")?.position ?? 0;
  const page = await opened(sim);
  await whatIf(page, position);
  await page.getByRole("button", { name: `drop #${position}` }).click();
  const { fork, changed } = await sim.rewrite([{ drop: position }]);
  await expect.poll(() => row(page, "state").last().textContent()).toBe(fork.stateHash().slice(0, 8));
  await expect
    .poll(() => page.locator(".what-if summary").allTextContents())
    .toContain(`Answers that are others now: ${changed.length}`);
  await page.getByRole("textbox", { name: "Delay" }).fill("soon");
  await page.getByRole("button", { name: "delay it by" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("soon");
});

test.each([
  { width: 1280, height: 720, colorScheme: "light" },
  { width: 1280, height: 720, colorScheme: "dark" },
  { width: 390, height: 844, colorScheme: "light" },
  { width: 390, height: 844, colorScheme: "dark" },
] as const)("nothing of it is in the way, at $width x $height, $colorScheme", async (looking) => {
  const { sim } = await runScenario(drFailoverUnplanned);
  const page = await opened(sim, looking);
  await whatIf(page, 10);
  await page.locator(".fork").click();
  await does(page, "stop");
  expect(await violationsIn(page)).toEqual([]);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(looking.width);
});
