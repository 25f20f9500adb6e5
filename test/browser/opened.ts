import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Simulator } from "hindcast";
import { type TraceOptions, traceHtml } from "hindcast/inspect";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";
import { browserHere } from "./browser.js";

const folder = mkdtempSync(join(tmpdir(), "hindcast-pages-"));
let running: Promise<Browser> | undefined;
/** What went wrong in pages. */
const complaints: string[] = [];
afterEach(() => expect(complaints.splice(0)).toEqual([]));
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
  const { width, height, colorScheme, ...options } = looking;
  const file = join(folder, `${Math.trunc(performance.now() * 1_000)}.html`);
  writeFileSync(file, await traceHtml(what, options));
  const page = await openedAt(pathToFileURL(file).href, looking);
  await isShown(page);
  return page;
}

/** Waits until a page shows a log, and has read all that there is of it. */
export async function isShown(page: Page): Promise<void> {
  await page.waitForSelector("[data-state-hash]:not(:empty)", { state: "attached" });
  await page.waitForFunction(() => document.querySelector("header progress") === null);
}

/** A page at an address: a listener's, or a file's with the network off. */
export async function openedAt(url: string, looking: Looking = {}): Promise<Page> {
  const { width = 1280, height = 720, colorScheme = "light" } = looking;
  const offline = url.startsWith("file:");
  running ??= chromium.launch({ executablePath: browserHere() ?? "", args: ["--no-sandbox"] });
  const context = await (await running).newContext({ viewport: { width, height }, colorScheme, offline });
  // No test is about time: what hangs is ended by the time limit of its test.
  context.setDefaultTimeout(0);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const look = (): void => {
      if ((document.querySelector("[data-state-hash]")?.textContent ?? "") !== "") performance.mark("shown");
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (offline && !/^(file|blob):/.test(request.url())) complaints.push(`it asked for ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

/** The complaints so far, for whoever expects some. */
export function complaintsSoFar(): string[] {
  return complaints.splice(0);
}

/** What was seen of a position. */
interface Seen {
  readonly hash: string;
  /** From the key until it was drawn. */
  readonly ms: number;
}

/** Goes to positions one after the other, each by typing it, and waits until all is shown. */
export function goTo(page: Page, ...positions: readonly number[]): Promise<Seen[]> {
  return page.evaluate(async (wanted) => {
    const seen: { hash: string; ms: number }[] = [];
    for (const position of wanted) {
      const field = document.querySelector<HTMLInputElement>("#filter");
      if (field === null) throw new Error("there is no filter");
      const before = performance.now();
      field.value = `#${position}`;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      while (document.querySelector(`[data-position="${position}"]`) === null) {
        await new Promise((done) => requestAnimationFrame(done));
      }
      const ms = performance.now() - before;
      const hash = () => document.querySelector("[data-state-hash]")?.textContent ?? "";
      while (hash() === "") await new Promise((done) => requestAnimationFrame(done));
      seen.push({ hash: hash(), ms });
    }
    return seen;
  }, positions);
}
