import { createSimulator, type Simulator } from "hindcast";
import { type Listener, listen } from "hindcast/node";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { violationsIn } from "./axe.ts";
import { complaintsSoFar, goTo, isShown, openedAt } from "./opened.ts";

let server: Listener;
afterEach(() => server.close());

async function shownBy(sim: Simulator): Promise<Page> {
  server = await listen(sim, { inspect: true });
  const page = await openedAt(server.inspectUrl ?? "");
  await isShown(page);
  return page;
}

async function write(sim: Simulator, path: string): Promise<void> {
  await fetch(`${server.urls.secrets["east"]}/v1/kv/${path}`, {
    method: "POST",
    headers: { "X-Secrets-Token": sim.secrets.cluster("east").rootToken, "X-Hindcast-Program": "shop" },
    body: '{"a":1}',
  });
}

function position(page: Page): Promise<string | null> {
  return page.locator("[data-position]").first().getAttribute("data-position");
}

const world = (seed: number) => createSimulator({ seed, secrets: { clusters: ["east", "west"] } });

test("commits and requests appear as they come, and a cursor at the end stays there", async () => {
  const sim = world(7);
  const page = await shownBy(sim);
  // The secret is not in the address, which may be shown to others.
  expect(page.url()).toBe(`${server.url}/hindcast/inspect`);
  for (const path of ["a", "b", "c"]) {
    await write(sim, path);
    sim.clock.advance("10m");
    await expect.poll(() => position(page), { timeout: 60_000 }).toBe(`${sim.position}`);
  }
  sim.secrets.cluster("west").seal();
  await fetch(`${server.urls.secrets["east"]}/v1/kv/a`);
  await expect.poll(() => page.locator(".rows .row").count(), { timeout: 60_000 }).toBe(5);
  await expect
    .poll(() => page.locator(".rows .row").last().textContent(), { timeout: 60_000 })
    .toContain("GET /v1/kv/a");
  const places = [0, 2, sim.position];
  const seen = await goTo(page, ...places);
  expect(seen.map(({ hash }) => hash)).toEqual(places.map((place) => sim.at(place).stateHash()));
});

test("a cursor that was put somewhere stays there, and a filter finds what comes", async () => {
  const sim = world(7);
  const page = await shownBy(sim);
  for (const path of ["orders/1", "users/1", "orders/2"]) await write(sim, path);
  await expect.poll(() => position(page), { timeout: 60_000 }).toBe("3");
  await goTo(page, 1);
  await page.locator("#filter").fill("orders");
  await write(sim, "orders/3");
  await expect.poll(() => page.locator(".filter output").textContent(), { timeout: 60_000 }).toBe("3 found");
  await expect.poll(() => position(page)).toBe("1");
});

test("what is tried in the page is not done at the listener", async () => {
  const sim = world(7);
  const page = await shownBy(sim);
  await write(sim, "a");
  await expect.poll(() => position(page), { timeout: 60_000 }).toBe("1");
  await page.getByRole("button", { name: "What if" }).and(page.locator(":visible")).click();
  await page.locator(".fork").click();
  await page.locator(".what-if").getByRole("button", { name: "seal", exact: true }).click();
  await expect.poll(() => page.locator(".done li").count(), { timeout: 60_000 }).toBe(1);
  await write(sim, "b");
  await expect.poll(() => page.locator(".rows .row").count(), { timeout: 60_000 }).toBe(2);
  expect(sim.log.commits().map(({ command }) => command.name)).toEqual(["secrets.kv.write", "secrets.kv.write"]);
  await expect.poll(() => page.locator(".done li").count()).toBe(1);
});

test("another simulator at the listener is shown by itself; one that has gone is asked for again", async () => {
  const page = await shownBy(world(7));
  await server.reset(world(8));
  await expect.poll(() => page.locator("header p").textContent(), { timeout: 60_000 }).toContain("seed 8");
  const { port } = server;
  await server.close();
  await expect.poll(() => page.locator(".broken").count(), { timeout: 60_000 }).toBe(1);
  server = await listen(world(9), { port, inspect: true, admin: { secret: server.adminSecret ?? "" } });
  await expect.poll(() => page.locator("header p").textContent(), { timeout: 60_000 }).toContain("seed 9");
  expect(complaintsSoFar().every((text) => /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE/.test(text))).toBe(true);
});

test("without the secret the page shows nothing, and asks for it", async () => {
  const sim = world(7);
  server = await listen(sim, { inspect: true });
  const page = await openedAt(`${server.url}/hindcast/inspect`);
  const field = page.getByLabel("Admin secret of the listener");
  await field.fill("wrong");
  expect(await violationsIn(page)).toEqual([]);
  await page.getByRole("button", { name: "Show" }).click();
  await expect.poll(() => field.inputValue(), { timeout: 60_000 }).toBe("");
  await field.fill(server.adminSecret ?? "");
  await page.getByRole("button", { name: "Show" }).click();
  await isShown(page);
  await expect.poll(() => page.locator("header p").textContent()).toContain("0 commits");
  // Browsers tell in their console what was refused.
  expect(complaintsSoFar().every((text) => text.includes("401"))).toBe(true);
});
