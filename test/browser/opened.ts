import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Simulator } from "hindcast";
import { type TraceOptions, traceHtml } from "hindcast/inspect";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { browserHere } from "./browser.js";

const folder = mkdtempSync(join(tmpdir(), "hindcast-pages-"));
let running: Promise<Browser> | undefined;
afterAll(async () => {
  await (await running)?.close();
  rmSync(folder, { recursive: true });
});

/** How a page is looked at. */
interface Looking extends TraceOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
}

/** A page of a run, opened from the disk, with the network off. Whatever goes wrong in it fails the test. */
export async function opened(what: Simulator | string, looking: Looking = {}): Promise<Page> {
  const { width = 1280, height = 720, colorScheme = "light", ...options } = looking;
  const file = join(folder, `${Math.trunc(performance.now() * 1_000)}.html`);
  writeFileSync(file, await traceHtml(what, options));
  // oxlint-disable-next-line hindcast/no-module-state -- one browser for all tests
  running ??= chromium.launch({ executablePath: browserHere() ?? "", args: ["--no-sandbox"] });
  const context = await (await running).newContext({ viewport: { width, height }, colorScheme, offline: true });
  const page = await context.newPage();
  page.on("pageerror", (error) => expect.unreachable(`the page threw: ${error.stack}`));
  page.on("console", (message) => {
    if (message.type() === "error") expect.unreachable(`the page says: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!/^(file|blob):/.test(request.url())) expect.unreachable(`the page asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("[data-state-hash]:not(:empty)", { state: "attached" });
  return page;
}

/** Moves the cursor by the keyboard or by the list's own address, and waits until all is shown. */
export async function goTo(page: Page, position: number): Promise<void> {
  await page.evaluate((wanted) => {
    location.hash = `#${wanted}`;
  }, position);
  await page.waitForSelector(`[data-position="${position}"]`, { state: "attached" });
}

/** The state's hash as the page shows it. */
export async function hashIn(page: Page): Promise<string> {
  return (await page.locator("[data-state-hash]").textContent()) ?? "";
}
