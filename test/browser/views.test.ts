import { fileURLToPath } from "node:url";
import { createSimulator, diff, LogError, runScenario, type Simulator } from "hindcast";
import { traceHtml } from "hindcast/inspect";
import { describe, expect, test } from "vitest";
import { drFailoverPlanned } from "../../scenarios/dr-failover-planned.ts";
import { drFailoverUnplanned } from "../../scenarios/dr-failover-unplanned.ts";
import { splitBrain } from "../../scenarios/split-brain.ts";
import { violationsIn } from "./axe.ts";
import { goTo, opened } from "./opened.ts";

/** Two clusters, of which one follows the other with a lag, and writes to the first. */
function busyWorld(writes: number): Simulator {
  const sim = createSimulator({ seed: 7, secrets: { clusters: ["east", "west"] } });
  const east = sim.secrets.cluster("east");
  const kv = east.as(east.rootToken).kv;
  for (let write = 0; write < writes; write++) {
    kv.write({ path: `kv/orders/${write % 40}`, data: { amount: write } });
    sim.clock.advance("7s");
  }
  return sim;
}

describe("a page of a run", () => {
  test.each([
    ["dr-failover-unplanned", () => runScenario(drFailoverUnplanned)],
    ["dr-failover-planned", () => runScenario(drFailoverPlanned)],
    ["split-brain", () => runScenario(splitBrain)],
  ] as const)("shows the states of %s", async (name, play) => {
    const { sim } = await play();
    const page = await opened(sim, { title: name });
    expect(await page.title()).toBe(name);
    const positions = [0, ...sim.log.commits().map(({ position }) => position)];
    const seen = await goTo(page, ...positions);
    expect(seen.map(({ hash }) => hash)).toEqual(positions.map((position) => sim.at(position).stateHash()));
  });

  test("shows the same state as the library at 200 places", async () => {
    const sim = busyWorld(1_000);
    const page = await opened(sim);
    const positions = Array.from({ length: 200 }, (_, place) => (place * 619) % (sim.position + 1));
    const seen = await goTo(page, ...positions);
    expect(seen.map(({ hash }) => hash)).toEqual(positions.map((position) => sim.at(position).stateHash()));
  });

  test("is small: 450 kB, and 12 kB for each further hundred commits", async () => {
    const [small, large] = [await traceHtml(busyWorld(10)), await traceHtml(busyWorld(1_010))];
    expect(small.length).toBeLessThan(450_000);
    expect(large.length - small.length).toBeLessThan(10 * 12_000);
  });

  test("tells a moment as explain does: facts, what changed, the chart's states", async () => {
    const { sim } = await runScenario(drFailoverUnplanned);
    const page = await opened(sim);
    for (const { position, command, events } of sim.log.commits()) {
      await goTo(page, position);
      const moment = page.getByRole("article");
      await expect.poll(() => moment.getByRole("heading", { level: 3 }).textContent()).toBe(command.name);
      const { changes, moves } = sim.explain(position);
      await expect
        .poll(() => moment.locator(".changes .path").allTextContents())
        .toEqual(changes.map(({ path }) => path));
      await expect
        .poll(() => moment.locator(".moves .reached").allTextContents())
        .toEqual(moves.map(({ to }) => String(to)));
      await expect
        .poll(() => moment.locator("h4:text-is('Facts') ~ details summary").count())
        .toBeGreaterThanOrEqual(events.length);
    }
    expect(diff(sim, sim.at(sim.position))).toEqual([]);
  });

  test("blames a value that is chosen, and goes to its writer", async () => {
    const sim = busyWorld(100);
    const page = await opened(sim);
    const path = 'secrets.east.replicated.mounts["kv/"].entries["kv/orders/3"]';
    await page.getByRole("combobox", { name: "Filter" }).fill(`touches ${path}`);
    const writers = page.getByRole("listbox").getByRole("option");
    await expect.poll(() => writers.count()).toBe(3);
    await writers.last().click();
    await page.locator(".changes .path").filter({ hasText: "orders/3" }).first().click();
    const blamed = sim.blame(path)?.position;
    await expect.poll(() => page.locator(".writer .link").textContent()).toBe(`#${blamed}`);
  });

  test("opens the tree of the state by keys, and marks what the commit changed", async () => {
    const page = await opened(busyWorld(20));
    await page.getByRole("tree").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    const chosen = page.locator('[role="treeitem"][aria-selected="true"]');
    await expect.poll(() => chosen.getAttribute("aria-expanded")).toBe("true");
    await expect.poll(() => chosen.textContent()).toContain("changed");
  });

  test("a list that becomes shorter and longer while it is read shows no row that is not there", async () => {
    const { sim } = await runScenario(drFailoverUnplanned);
    const page = await opened(sim);
    await page.evaluate(async () => {
      const field = document.querySelector<HTMLInputElement>("#filter");
      const rows = document.querySelector(".rows");
      if (field === null || rows === null) throw new Error("there is no list");
      for (let turn = 0; turn < 60; turn++) {
        field.value = turn % 2 === 0 ? "kv.write" : "";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        rows.scrollTop = rows.scrollHeight;
        await new Promise((done) => setTimeout(done, turn % 7));
      }
    });
    await expect.poll(() => page.getByRole("option").count()).toBeGreaterThan(10);
  });

  test("finds commits by words, conditions and paths, and steps along them", async () => {
    const { sim } = await runScenario(drFailoverUnplanned);
    const page = await opened(sim);
    const found = async (filter: string): Promise<string | null> => {
      await page.getByRole("combobox", { name: "Filter" }).fill(filter);
      await page.waitForTimeout(50);
      return page.locator(".filter output").textContent();
    };
    const kept = (holds: (text: string) => boolean): string => {
      const count = sim.log.commits().filter((commit) => holds(JSON.stringify(commit).toLowerCase())).length;
      return `${count} found`;
    };
    await expect.poll(() => found("kv.write")).toBe(kept((text) => text.includes("kv.write")));
    await expect
      .poll(() => found("kv.write -shop"))
      .toBe(kept((text) => text.includes("kv.write") && !text.includes("shop")));
    await expect.poll(() => found("fact:KvWritten")).toBe(kept((text) => text.includes('"type":"kvwritten"')));
    await expect.poll(() => found("touches secrets.east.x.y")).toBe("0 found");
    await expect.poll(() => found("touches ]")).toContain("is no path");
    await found("via:fault");
    await page.getByRole("combobox", { name: "Filter" }).fill("kv.write -fact:kvw");
    await expect
      .poll(() => page.locator("#conditions option").evaluateAll((all) => all.map((one) => one.getAttribute("value"))))
      .toEqual(["kv.write -fact:kvwritten"]);
  });

  test("stands in groups, in the order of their first rows, within a filter, too", async () => {
    const { sim } = await runScenario(drFailoverUnplanned);
    const page = await opened(sim);
    await page.keyboard.press("Home");
    const heads = page.locator(".group");
    const by = page.getByRole("combobox", { name: "Grouped by" });
    const shown = async (): Promise<string[]> => {
      const seen: string[] = [];
      const rows = page.getByRole("listbox");
      await rows.evaluate((box) => box.scrollTo(0, 0));
      for (let place = 0; place < 8; place++) {
        await page.waitForTimeout(60);
        for (const name of await heads.allTextContents()) if (!seen.includes(name)) seen.push(name);
        await rows.evaluate((box) => box.scrollBy(0, box.clientHeight - 60));
      }
      return seen;
    };
    await by.selectOption("step");
    const steps = sim.journal.flatMap((entry) => (entry.kind === "step" ? [entry.title] : []));
    await expect.poll(async () => (await shown()).map((name) => name.replace(/ \(\d+\)$/, ""))).toEqual(steps);
    await page.locator("#filter").fill("fact:KvWritten");
    await by.selectOption("object");
    const paths = sim.log
      .commits()
      .flatMap(({ events }) => events.filter(({ type }) => type === "KvWritten"))
      .map(({ data }) => data as { readonly at: { readonly cluster: string }; readonly path: string })
      .map(({ at, path }) => `${at.cluster} kv/ ${path}`);
    const counted = [...new Set(paths)].map((path) => `${path} (${paths.filter((one) => one === path).length})`);
    await expect.poll(shown).toEqual(counted);
    expect(await violationsIn(page)).toEqual([]);
    await page.locator("h1").click();
    await page.keyboard.press("g");
    await expect.poll(() => heads.count()).toBe(0);
  });

  test("shows what programs asked, between the commits, and why it was refused", async () => {
    const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] }, history: { callSites: true } });
    const east = sim.secrets.cluster("east");
    const shop = sim.program("shop");
    const send = (path: string, token: string, body?: string) =>
      shop.fetch(`${east.url}/v1/${path}`, {
        ...(body === undefined ? {} : { method: "POST", body }),
        headers: { "X-Secrets-Token": token },
      });
    await send("kv/a", east.rootToken, '{"amount":1}');
    await send("kv/a", "scs.nobodys");
    shop.note({ believes: "the order is written" });
    sim.clock.advance("1m");
    await send("kv/b", east.rootToken, '{"amount":2}');
    const page = await opened(sim, { title: "what the shop asked" });
    const row = (name: string) => page.getByRole("listbox").getByRole("option").filter({ hasText: name });
    await expect
      .poll(() => page.getByRole("listbox").getByRole("option").allTextContents())
      .toEqual([
        expect.stringMatching(/^#1.*kv\.write/),
        expect.stringMatching(/GET \/v1\/kv\/a.*shop: 403 permission_denied/),
        expect.stringMatching(/note of shop.*the order is written/),
        expect.stringMatching(/^#2.*kv\.write/),
      ]);
    await row("403").click();
    const moment = page.getByRole("article");
    const entry = sim.journal.find(({ kind, ...rest }) => kind === "request" && "refusal" in rest);
    const { code, why } =
      entry?.kind === "request" && entry.refusal !== undefined ? entry.refusal : { code: "", why: "" };
    await expect.poll(() => moment.locator(".refused").textContent()).toBe(`⊘ Refused, ${code}: ${why}`);
    await expect.poll(() => moment.locator(".where").textContent()).toContain("views.test.ts:");
    await expect
      .poll(() => moment.locator("pre").allTextContents())
      .toEqual([
        expect.stringContaining("x-secrets-token: scs.nobodys"),
        expect.stringContaining('"1 error occurred:'),
      ]);
    await expect.poll(() => page.locator("[data-state-hash]").textContent()).toBe(sim.at(1).stateHash());
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => moment.getByRole("heading", { level: 3 }).textContent()).toBe("Note of shop");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.locator(".moment").getAttribute("data-position")).toBe("2");
    await moment.getByText("Request").click();
    await expect
      .poll(() => moment.locator("details[open] pre").allTextContents())
      .toContainEqual(expect.stringContaining("POST https://secrets-east.test/v1/kv/b"));
    await page.getByRole("combobox", { name: "Filter" }).fill("program:shop refused");
    await expect.poll(() => page.locator(".filter output").textContent()).toBe("1 found");
    await expect.poll(() => page.locator(".requests rect").count()).toBe(3);
    expect(await violationsIn(page)).toEqual([]);
  });

  test("is moved by keys alone", async () => {
    const sim = busyWorld(30);
    const page = await opened(sim);
    const at = (): Promise<string | null> => page.locator(".moment").getAttribute("data-position");
    await page.keyboard.press("Home");
    await expect.poll(at).toBe("0");
    await page.keyboard.press("ArrowRight");
    await expect.poll(at).toBe("1");
    await page.keyboard.press("PageDown");
    await expect.poll(at).toBe("11");
    await page.keyboard.press("End");
    await expect.poll(at).toBe(`${sim.position}`);
    await page.getByRole("slider").focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(at).toBe(`${sim.position - 1}`);
    await page.keyboard.press("?");
    await expect.poll(() => page.getByRole("dialog").isVisible()).toBe(true);
    await page.getByText("Licences of what the page holds").click();
    await expect.poll(() => page.getByRole("dialog").locator("pre").textContent()).toContain("Preact Team");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").isVisible()).toBe(false);
    await page.keyboard.press("/");
    await page.keyboard.type("orders/7");
    await expect.poll(() => page.getByRole("listbox").getByRole("option").count()).toBe(1);
  });
});

describe("a log that is not as it should be", () => {
  test("a hostile one shows as text", async () => {
    const evil = `</script><script>document.title="owned"</script><img src=x onerror="document.title='owned'">`;
    const sim = createSimulator({ secrets: { clusters: ["east"] } });
    const east = sim.secrets.cluster("east");
    east.as(east.rootToken).kv.write({ path: "kv/evil", data: { [evil]: evil } });
    sim.mark(evil);
    const page = await opened(sim, { title: evil, failure: { message: evil, stack: evil } });
    expect(await page.title()).toBe(evil);
    await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent()).toBe(evil);
    await expect.poll(() => page.locator("img").count()).toBe(0);
    await page.getByText("kv written").last().click();
    await expect
      .poll(() => page.locator("article pre").allTextContents())
      .toContainEqual(expect.stringContaining("onerror"));
    await expect.poll(() => page.locator(".mark text").textContent()).toBe(`⚑ ${evil}`);
  });

  test("a torn one shows the commits before the fault, when that is asked for", async () => {
    const sim = busyWorld(20);
    const torn = sim.log.toNdjson().slice(0, -700);
    await expect(traceHtml(torn)).rejects.toThrow(LogError);
    const page = await opened(torn, { acceptPrefix: true });
    const last = Number(await page.locator(".moment").getAttribute("data-position"));
    expect(last).toBeGreaterThan(5);
    await expect.poll(() => page.locator("[data-state-hash]").textContent()).toBe(sim.at(last).stateHash());
  });

  test("one of a newer format is refused", async () => {
    const newer = busyWorld(1)
      .log.toNdjson()
      .replace(/"format":\d+/, '"format":99');
    await expect(traceHtml(newer)).rejects.toThrow("log, line 1");
  });

  test("an empty one shows its beginning", async () => {
    const page = await opened(createSimulator());
    await expect.poll(() => page.getByRole("article").textContent()).toContain("The beginning");
  });
});

describe("whoever looks", () => {
  test("sees in the README what the page is: this draws its picture", async () => {
    const { sim } = await runScenario(drFailoverUnplanned);
    const page = await opened(sim, { title: "dr-failover-unplanned" });
    const promotion = sim.log.commits().find(({ command }) => command.name.endsWith("dr.promote"));
    await goTo(page, promotion?.position ?? 0);
    const picture = fileURLToPath(new URL("../../scenarios/pictures/inspector.png", import.meta.url));
    expect((await page.screenshot({ path: picture })).length).toBeGreaterThan(10_000);
  });

  test.each([
    { width: 1280, height: 720, colorScheme: "light" },
    { width: 1280, height: 720, colorScheme: "dark" },
    { width: 390, height: 844, colorScheme: "light" },
    { width: 390, height: 844, colorScheme: "dark" },
  ] as const)("finds nothing in the way, at $width x $height, $colorScheme", async (looking) => {
    const { sim } = await runScenario(drFailoverUnplanned);
    const page = await opened(sim, { ...looking, title: "dr-failover-unplanned", failure: { message: "expected" } });
    for (const pane of ["Commits", "Moment", "State"]) {
      if (looking.width < 900) await page.getByRole("button", { name: pane, exact: true }).click();
      expect(await violationsIn(page)).toEqual([]);
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(looking.width);
  });
});
