import { createSimulator } from "hindcast";
import { expect, test } from "vitest";
import { goTo, opened } from "./opened.ts";

const COMMITS = 100_000;
const MOVES = 60;

/** Numbers are printed, and not judged: machines differ. */
test("100,000 commits open, and the cursor moves", async () => {
  const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] } });
  const east = sim.secrets.cluster("east");
  const { kv } = east.as(east.rootToken);
  for (let write = 0; write < COMMITS; write++)
    kv.write({ path: `kv/orders/${write % 1_000}`, data: { amount: write } });
  const page = await opened(sim);
  const [shownMs = 0, wholeMs = 0] = await page.evaluate(() => [
    performance.getEntriesByName("shown")[0]?.startTime ?? 0,
    performance.now(),
  ]);
  const seen = await goTo(page, ...Array.from({ length: MOVES }, (_, move) => ((move * 7_919) % COMMITS) + 1));
  const moves = seen.map(({ ms }) => ms).sort((left, right) => left - right);
  const typing = await page.evaluate(async () => {
    const field = document.querySelector<HTMLInputElement>("#filter");
    const times: number[] = [];
    for (const filter of ["orders", "orders/7", "orders/77", "orders/777"]) {
      const before = performance.now();
      if (field !== null) field.value = filter;
      field?.dispatchEvent(new Event("input", { bubbles: true }));
      const old = document.querySelector(".filter output")?.textContent;
      while (document.querySelector(".filter output")?.textContent === old) {
        await new Promise((done) => requestAnimationFrame(done));
      }
      times.push(performance.now() - before);
    }
    return times.sort((left, right) => left - right);
  });
  const at = (times: readonly number[], share: number): string =>
    `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`;
  console.log(
    `of ${COMMITS} commits the first are shown after ${shownMs.toFixed(0)} ms, all after ${wholeMs.toFixed(0)} ms`,
  );
  console.log(`a move of the cursor: median ${at(moves, 0.5)}, p95 ${at(moves, 0.95)}`);
  console.log(`a filter: median ${at(typing, 0.5)}, longest ${at(typing, 0.99)}`);
  expect(moves).toHaveLength(MOVES);
}, 600_000);
