import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What is in the way of people with other senses, as rules and the elements that break them. It runs beside the page, whose policy lets no other script in. */
export async function violationsIn(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression: `(() => { ${SOURCE}; return axe.run().then(({ violations }) => JSON.stringify(
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 160) + " " + failureSummary)))); })()`,
    awaitPromise: true,
    returnByValue: true,
  });
  if (typeof result.value !== "string") throw new Error(exceptionDetails?.text ?? "axe gave no answer");
  return JSON.parse(result.value) as string[];
}
