import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { rehearse } from "../../../src/index.ts";
import { FAILING } from "./scenarios.ts";
import { pictureOf } from "./story-picture.ts";
import { builtCommandLine, ROOT, recorded } from "./support.ts";

const hindcast = builtCommandLine();
const inFolder = (file: string): string => join(hindcast.folder, file);

/** On a terminal the cursor goes to the beginning of a line and the line is cleared. */
const PROMPT = "q quit ";

beforeAll(() => {
  // A user's project, with the package in it.
  mkdirSync(inFolder("node_modules/hindcast/dist"), { recursive: true });
  writeFileSync(
    inFolder("node_modules/hindcast/package.json"),
    JSON.stringify({ name: "hindcast", type: "module", exports: `./index.js` }),
  );
  writeFileSync(
    inFolder("node_modules/hindcast/index.js"),
    `export * from ${JSON.stringify(join(hindcast.house, "src/index.js"))};\n`,
  );
  writeFileSync(inFolder("failing.mjs"), FAILING);
});

describe("hindcast list", () => {
  it("lists the scenarios that come with it, with a line each", async () => {
    const { code, stdout, stderr } = await hindcast.run("list");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("built in\n");
    expect(stdout).toContain("  library-loan ");
    expect(stdout).toMatch(/ {2}region-outage +The authoritative region is cut off\n/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("lists them as JSON", async () => {
    const { stdout } = await hindcast.run("list", "--json");
    const { scenarios } = JSON.parse(stdout) as { scenarios: object[] };
    expect(scenarios).toContainEqual({
      name: "library-loan",
      title: "A forgotten check-in",
      steps: 5,
      origin: "built in",
    });
  });
});

describe("hindcast run", () => {
  it.each(["library-loan", "region-outage", "override-soft-failed", "dr-failover-unplanned"])(
    "tells %s in a pipe",
    async (name) => {
      const { code, stdout, stderr } = await hindcast.run("run", name);
      expect([code, stderr]).toEqual([0, ""]);
      await expect(stdout).toMatchFileSnapshot(recorded(`run-${name}.txt`));
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
      expect(stdout).not.toContain("\u001b");
    },
  );

  it("tells the same on a terminal of 80 columns, and of more", { tags: "full" }, async () => {
    const { stdout } = await hindcast.run("run", "library-loan");
    for (const columns of [80, 200]) {
      const terminal = hindcast.onTerminal(columns, "run", "library-loan");
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text).toBe(stdout);
    }
  });

  it.each(["library-loan", "region-outage", "dr-failover-unplanned"])(
    "fits a terminal of 40 columns: %s",
    { tags: "full" },
    async (name) => {
      const terminal = hindcast.onTerminal(40, "run", name);
      expect(await terminal.ended()).toBe(0);
      await expect(terminal.text).toMatchFileSnapshot(recorded(`run-${name}-40.txt`));
      for (const line of terminal.text.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
    },
  );

  it("takes another seed, a number or a text, and tells which", { tags: "full" }, async () => {
    for (const seed of ["42", "forty-two", "007"]) {
      const { stdout } = await hindcast.run("run", "library-loan", "--seed", seed);
      expect(stdout).toContain(`seed ${seed}\n`);
    }
    const [first, again, other] = await Promise.all(
      ["42", "42", "43"].map((seed) => hindcast.run("run", "library-loan", "--seed", seed)),
    );
    expect(first?.stdout).toBe(again?.stdout);
    expect(first?.stdout).not.toBe(other?.stdout);
  });

  it("keeps the log, which holds when it is decided again", async () => {
    const { code, stdout } = await hindcast.run("run", "library-loan", "--log", "kept.ndjson");
    expect(code).toBe(0);
    expect(stdout).toContain("log: kept.ndjson, 11 commits\n");
    expect(await rehearse(readFileSync(inFolder("kept.ndjson"), "utf8"))).toEqual({ ok: true });
  });

  it("ends with the lines that play it again when an expectation fails", { tags: "full" }, async () => {
    const { code, stdout, stderr } = await hindcast.run("run", "./failing.mjs", "--log", "it's.ndjson");
    expect([code, stderr]).toEqual([1, ""]);
    await expect(stdout).toMatchFileSnapshot(recorded("run-failing.txt"));
    // They are commands that do so.
    const [again, look] = stdout.split("\n").flatMap((line) => /^\w+: +npx hindcast (.*)$/.exec(line)?.[1] ?? []);
    expect(again).toBe("run ./failing.mjs --seed 3");
    expect(look).toBe("replay 'it'\\''s.ndjson' --at 4");
    expect((await hindcast.run("run", "./failing.mjs", "--seed", "3")).code).toBe(1);
    expect((await hindcast.run("replay", "it's.ndjson", "--at", "4")).code).toBe(0);
  });

  it("tells the whole run as JSON", async () => {
    const { code, stdout } = await hindcast.run("run", "region-outage", "--json");
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(recorded("run-region-outage.json"));
    const failed = await hindcast.run("run", "./failing.mjs", "--json");
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      scenario: "failing",
      ok: false,
      stepsHeld: 1,
      stepsInAll: 2,
      replay: ["npx hindcast run ./failing.mjs --seed 3"],
      steps: [{ ok: true }, { ok: false, error: expect.stringContaining("permission denied") }],
    });
  });

  it("is in colour on a terminal, as the README's picture shows it, and not where nobody wants that", {
    tags: "full",
  }, async () => {
    const coloured = hindcast.onTerminal(80, { colours: true }, "run", "dr-failover-unplanned");
    expect(await coloured.ended()).toBe(0);
    expect(coloured.raw).toContain("\u001b[32m  ok      \u001b[39m");
    // Vitest draws it anew with -u.
    const picture = pictureOf("hindcast run dr-failover-unplanned", coloured.raw);
    await expect(picture).toMatchFileSnapshot(join(ROOT, "scenarios/pictures/dr-failover-unplanned.svg"));
    const plain = hindcast.onTerminal(80, "run", "dr-failover-unplanned");
    await plain.ended();
    expect(plain.raw).not.toMatch(SEQUENCE);
    expect(coloured.text).toBe(plain.text);
  });
});

/** What begins a colour. */
const SEQUENCE = new RegExp(`${"\u001b"}\\[\\d+m`);

describe("hindcast run --step", () => {
  it("waits for a key before each step, and goes on to the end", async () => {
    const terminal = hindcast.onTerminal(80, "run", "library-loan", "--step", "--log", "stepped.ndjson");
    for (let step = 0; step < 5; step++) {
      await terminal.until(PROMPT);
      terminal.press("\r");
    }
    await terminal.until("5 of 5 steps as expected, seed 7");
    await terminal.until(PROMPT);
    terminal.press("q");
    expect(await terminal.ended()).toBe(0);
    // It says what a run without steps says, and keeps the same log.
    const { stdout } = await hindcast.run("run", "library-loan", "--log", "at-once.ndjson");
    expect(terminal.text).toBe(stdout.replace(/log: .*\n/, ""));
    expect(readFileSync(inFolder("stepped.ndjson"), "utf8")).toBe(readFileSync(inFolder("at-once.ndjson"), "utf8"));
  });

  it("always shows the same moment, however often one goes back and forth", { tags: "full" }, async () => {
    const terminal = hindcast.onTerminal(80, "run", "region-outage", "--step");
    const shown: string[] = [];
    let at = 0;
    const see = async (): Promise<void> => {
      const text = await terminal.until("-- ");
      shown[at] ??= text;
      expect(text).toBe(shown[at]);
      await terminal.until(PROMPT);
    };
    await see();
    for (const key of "nnbbnnnbnbbbnnnnnbbbbbnnnnn") {
      at += key === "n" ? 1 : -1;
      terminal.press(key);
      await see();
    }
    expect(shown[1]).toContain("All is well");
    expect(shown[5]).toContain("5 of 5 steps as expected");
    // Before the first step and after the last one there is nothing: no key leads there.
    terminal.press("n");
    terminal.press("q");
    expect(await terminal.ended()).toBe(0);
  });

  it("forks, goes on differently, and comes back into the story", { tags: "full" }, async () => {
    const terminal = hindcast.onTerminal(80, "run", "library-loan", "--step");
    for (const _ of [1, 2]) {
      await terminal.until(PROMPT);
      terminal.press("n");
    }
    await terminal.until(PROMPT);
    // Time passes until the next deadline, in place of the third step.
    terminal.press("f");
    await terminal.until("What happens instead?");
    terminal.press("\u001b[B");
    terminal.press("\r");
    const fork = await terminal.until(PROMPT);
    expect(fork).toContain("Otherwise: the next deadline comes: leaseRevocation");
    expect(fork).toMatch(/clock {5}leaseRevocation +00:10:00 #10/);
    // The clock has taken back what Bob would return: on this line of time the third step finds nothing to do.
    terminal.press("n");
    expect(await terminal.until(PROMPT)).toMatch(/^2026-01-01 00:19:00 {2}Bob returns.*\n {2}ok/);
    terminal.press("b");
    expect(await terminal.until(PROMPT)).toContain("Otherwise");
    terminal.press("b");
    expect(await terminal.until(PROMPT)).toContain("Ann borrows one");
    terminal.press("n");
    expect(await terminal.until(PROMPT)).toMatch(
      /bob {7}library\.checkIn +00:09:00 #10[\s\S]*ok {6}Bob's account is free/,
    );
    terminal.press("q");
    expect(await terminal.ended()).toBe(0);
  });

  it("leaves out a step, or lets time pass; what is refused changes nothing", { tags: "full" }, async () => {
    const terminal = hindcast.onTerminal(80, "run", "library-loan", "--step");
    await terminal.until(PROMPT);
    terminal.press("f");
    await terminal.until("What happens instead?");
    terminal.press("\r");
    await terminal.until("How much time?");
    terminal.press("soon\r");
    await terminal.until("soon");
    terminal.press("\u007f\u007f\u007f\u007f90s\r");
    expect(await terminal.until(PROMPT)).toContain("2026-01-01 00:01:30  Otherwise: 90s pass");
    terminal.press("f");
    await terminal.until("What happens instead?");
    terminal.press("\u001b[B\u001b[B\r");
    expect(await terminal.until(PROMPT)).toContain("Otherwise: it is left out: The operator puts two accounts");
    terminal.press("f");
    await terminal.until("What happens instead?");
    terminal.press("\u0003");
    await terminal.until(PROMPT);
    terminal.press("\u0003");
    expect(await terminal.ended()).toBe(130);
  });

  it("ends with what the moment says at which it was left", { tags: "full" }, async () => {
    const terminal = hindcast.onTerminal(80, "run", "./failing.mjs", "--step");
    for (const key of ["n", "n"]) {
      await terminal.until(PROMPT);
      terminal.press(key);
    }
    await terminal.until("again:  npx hindcast run ./failing.mjs --seed 3");
    await terminal.until(PROMPT);
    terminal.press("q");
    expect(await terminal.ended()).toBe(1);
  });

  it("is refused where nobody can press a key, and beside --json", async () => {
    const { code, stdout, stderr } = await hindcast.run("run", "library-loan", "--step");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("no terminal");
    const terminal = hindcast.onTerminal(80, "run", "library-loan", "--step", "--json");
    expect(await terminal.ended()).toBe(2);
    expect(existsSync(inFolder("library-loan.ndjson"))).toBe(false);
  });
});

describe("hindcast run without a name", { tags: "full" }, () => {
  it("asks on a terminal, and is refused elsewhere", async () => {
    const { code, stderr } = await hindcast.run("run");
    expect([code, stderr.split("\n")[0]]).toEqual([2, "hindcast: which scenario?"]);
    const terminal = hindcast.onTerminal(80, "run");
    await terminal.until("Which story?");
    terminal.press("\r");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toContain("steps as expected");
    const asked = hindcast.onTerminal(80, "run");
    await asked.until("Which story?");
    asked.press("\u0003");
    expect(await asked.ended()).toBe(130);
  });
});
