import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { libraryLoan } from "../../../scenarios/library-loan.ts";
import { regionOutage } from "../../../scenarios/region-outage.ts";
import { restoreYesterday } from "../../../scenarios/restore-yesterday.ts";
import { splitBrain } from "../../../scenarios/split-brain.ts";
import { westFollowsEast } from "../../../scenarios/support/replication.ts";
import { createSimulator, replay, runScenario } from "../../../src/index.ts";
import { LendingWorld } from "../../bench/families/lending-world.ts";
import { builtCommandLine, recorded } from "./support.ts";

const hindcast = builtCommandLine();
const inFolder = (file: string): string => join(hindcast.folder, file);
const ACCOUNT = 'secrets.east.replicated.mounts["ldap/"].library.accounts["svc-1"].status';

let whole = "";

beforeAll(async () => {
  const { sim } = await runScenario(libraryLoan);
  whole = sim.log.toNdjson();
  writeFileSync(inFolder("loan.ndjson"), whole);
  writeFileSync(inFolder("told.ndjson"), sim.log.toNdjson({ journal: true }));
  const lines = whole.split("\n");
  writeFileSync(inFolder("torn.ndjson"), `${lines.slice(0, 9).join("\n")}\n${lines[9]?.slice(0, 40)}`);
  writeFileSync(inFolder("damaged.ndjson"), whole.replace('"ttl":"10m"', '"ttl":"90m"'));
  writeFileSync(inFolder("empty.ndjson"), "");
  writeFileSync(inFolder("prose.ndjson"), "Once upon a time\n");
  writeFileSync(inFolder("newer.ndjson"), whole.replace('"format":1', '"format":99'));
  writeFileSync(inFolder("regions.ndjson"), (await runScenario(regionOutage)).sim.log.toNdjson());
  writeFileSync(inFolder("programs.ndjson"), await logOfPrograms());
  writeFileSync(inFolder("split-brain.ndjson"), (await runScenario(splitBrain)).sim.log.toNdjson());
  writeFileSync(inFolder("restored.ndjson"), (await runScenario(restoreYesterday)).sim.log.toNdjson());
});

/** Two programs ask two clusters, of which one follows the other, and not everything arrives. */
async function logOfPrograms(): Promise<string> {
  const sim = createSimulator({ seed: 3, secrets: { clusters: ["east", "west"] } });
  const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
  await westFollowsEast(sim);
  east.createToken({ policies: ["default"], ttl: "6s" });
  const [shop, watch] = [sim.program("shop"), sim.program("watch")];
  sim.network.setLag(shop, east, "250ms");
  sim.network.setLag(east, west, "1s");
  const headers = { "X-Secrets-Token": east.rootToken };
  const write = (path: string) =>
    shop.fetch(`${east.url}/v1/kv/${path}`, { method: "POST", headers, body: '{"v":1}' }).catch(() => null);
  void write("a");
  await sim.clock.run("2s");
  sim.faults.requests({ program: "shop", nth: 2, effect: { kind: "lose-answer" } });
  sim.mark("before the fault");
  void write("b");
  await sim.clock.run("1500ms");
  void write("c");
  await sim.clock.run("1500ms");
  sim.network.cut(shop, east);
  await write("d");
  sim.network.stop(east);
  await sim.clock.run("5s");
  const health = `${west.url}/v1/sys/health`;
  watch.note({ believes: "east is gone" });
  await watch.fetch(health);
  return sim.log.toNdjson({ journal: true });
}

/** What each command says in a pipe. */
const SAID: readonly (readonly [file: string, ...words: string[]])[] = [
  ["replay.txt", "replay", "loan.ndjson"],
  ["replay-at-mark.txt", "replay", "loan.ndjson", "--at", "before the loan"],
  ["replay-at-instant.txt", "replay", "loan.ndjson", "--at", "2026-01-01T00:30:00Z"],
  ["replay-at-0.txt", "replay", "loan.ndjson", "--at", "0"],
  ["replay-regions.txt", "replay", "regions.ndjson", "--at", "8"],
  ["diff.txt", "diff", "loan.ndjson", "--from", "before the loan", "--to", "9"],
  ["diff-all.txt", "diff", "loan.ndjson"],
  ["blame.txt", "blame", "loan.ndjson", ACCOUNT],
  ["blame-birth.txt", "blame", "loan.ndjson", "secrets.east.ignored.url"],
  ["blame-at.txt", "blame", "loan.ndjson", ACCOUNT, "--at", "2026-01-01 00:30:00"],
  ["history.txt", "history", "loan.ndjson", ACCOUNT],
  ["explain.txt", "explain", "loan.ndjson", "8"],
  ["explain-timer.txt", "explain", "loan.ndjson", "11"],
  ["explain-request.txt", "explain", "told.ndjson", "r5"],
  ["log.txt", "log", "told.ndjson"],
  ["log-of-commits.txt", "log", "loan.ndjson"],
  ["log-filtered.txt", "log", "told.ndjson", "--filter", "library 200"],
  ["loss.txt", "loss", "split-brain.ndjson"],
  ["loss-of-itself.txt", "loss", "restored.ndjson", "--from", "east", "--to", "east", "--at", "13"],
  ["timeline.txt", "timeline", "loan.ndjson"],
  ["timeline-regions.txt", "timeline", "regions.ndjson"],
  ["timeline-torn.txt", "timeline", "torn.ndjson", "--accept-prefix"],
  ["timeline-of-programs.txt", "timeline", "programs.ndjson"],
  ["timeline-part.txt", "timeline", "programs.ndjson", "--from", "before the fault", "--to", "2026-01-01 00:00:03.5"],
  ["sequence.txt", "sequence", "programs.ndjson"],
  ["sequence-part.txt", "sequence", "programs.ndjson", "--from", "2026-01-01 00:00:02.250"],
  ["sequence.svg", "sequence", "programs.ndjson", "--svg"],
  ["sequence-of-commits.txt", "sequence", "split-brain.ndjson"],
  ["sequence-regions.txt", "sequence", "regions.ndjson"],
  ["replay.json", "replay", "loan.ndjson", "--json"],
  ["diff.json", "diff", "loan.ndjson", "--from", "10", "--to", "11", "--json"],
  ["blame.json", "blame", "loan.ndjson", ACCOUNT, "--json"],
  ["history.json", "history", "loan.ndjson", ACCOUNT, "--json"],
  ["explain.json", "explain", "loan.ndjson", "11", "--json"],
  ["log.json", "log", "told.ndjson", "--filter", "checkIn", "--json"],
  ["loss.json", "loss", "split-brain.ndjson", "--from", "east", "--to", "west", "--all", "--json"],
  ["timeline.json", "timeline", "loan.ndjson", "--json"],
  ["sequence.json", "sequence", "programs.ndjson", "--to", "0", "--json"],
];

describe("what is asked of a log is answered", () => {
  it.each(SAID)("%s: %s %s %s %s", async (file, ...words) => {
    const { code, stdout, stderr } = await hindcast.run(...words);
    expect([code, stderr]).toEqual([0, ""]);
    await expect(stdout).toMatchFileSnapshot(recorded(file));
    if (words.includes("--json")) expect(() => JSON.parse(stdout) as unknown).not.toThrow();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it.each(SAID.filter(([file]) => file.endsWith(".txt")))(
    "the same on a terminal: %s",
    { tags: "full" },
    async (file, ...words) => {
      const terminal = hindcast.onTerminal(80, ...words);
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text).toBe(readFileSync(recorded(file), "utf8"));
    },
  );

  it.each([
    ["replay-40.txt", "replay", "loan.ndjson"],
    ["timeline-40.txt", "timeline", "loan.ndjson"],
    ["sequence-40.txt", "sequence", "programs.ndjson"],
    ["machines-40.txt", "machines"],
    ["help-40.txt", "--help"],
    ["run-help-40.txt", "run", "--help"],
  ])("fits a terminal of 40 columns: %s", { tags: "full" }, async (file, ...words) => {
    const terminal = hindcast.onTerminal(40, ...words);
    expect(await terminal.ended()).toBe(0);
    await expect(terminal.text).toMatchFileSnapshot(recorded(file));
    for (const line of terminal.text.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
  });

  it("tells the place that was asked for, and not the present", async () => {
    const { stdout } = await hindcast.run("replay", "loan.ndjson", "--at", "9", "--json");
    const told = JSON.parse(stdout) as { position: number; stateHash: string; pending: object[] };
    const then = replay(whole).fork(9);
    expect(told).toMatchObject({ position: 9, stateHash: then.stateHash(), commits: 11 });
    expect(told.pending).toHaveLength(then.clock.pending().length);
  });
});

describe("a log that cannot be read", () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ["replay"],
    ["diff", "--from", "0", "--to", "1"],
    ["blame", "secrets"],
    ["history", "secrets"],
    ["explain", "1"],
    ["loss"],
    ["timeline"],
    ["sequence"],
  ];
  const FAULTS: readonly (readonly [file: string, says: string, next: string])[] = [
    ["missing.ndjson", "there is no file missing.ndjson", "hindcast run <scenario> --log <file>"],
    ["torn.ndjson", "log, line 10: the line has no end: the log was torn off here", "--accept-prefix"],
    ["damaged.ndjson", "log, line 10: its sum does not fit", "--accept-prefix"],
    ["empty.ndjson", "no header of a hindcast log", "hindcast run --log"],
    ["prose.ndjson", "no header of a hindcast log", "hindcast run --log"],
    ["newer.ndjson", "format 99", "a newer version of hindcast"],
    [".", ". is a folder, and no log", ""],
  ];

  it.each(COMMANDS.flatMap(([command = "", ...rest]) => FAULTS.map((fault) => [command, ...fault, rest] as const)))(
    "%s %s: exit code 3, and what to do next",
    { tags: "full" },
    async (command, file, says, next, rest) => {
      const { code, stdout, stderr } = await hindcast.run(command, file, ...rest);
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toContain(says);
      expect(stderr).toContain(next);
    },
  );

  it("says so as JSON where JSON was asked for", async () => {
    const { code, stdout, stderr } = await hindcast.run("replay", "torn.ndjson", "--json");
    expect([code, stdout]).toEqual([3, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: 3, message: expect.stringContaining("line 10") } });
  });

  it("is taken up to its fault where that is enough", async () => {
    const { code, stdout } = await hindcast.run("replay", "torn.ndjson", "--accept-prefix", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ commits: 8 });
  });
});

describe("a place that is none", { tags: "full" }, () => {
  it.each([
    ["99", "a position: 0 to 11"],
    ["before the lone", 'a mark: "before the loan"'],
    ["2027-01-01T00:00:00Z", "an instant: 2026-01-01T00:00:00Z to 2026-01-01T01:00:00Z"],
  ])("%s: exit code 2, and the places that there are", async (place, next) => {
    for (const words of [["replay", "--at"], ["diff", "--from"], ["diff", "--to"], ["explain"]]) {
      const { code, stdout, stderr } = await hindcast.run(words[0] ?? "", "loan.ndjson", ...words.slice(1), place);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("is no place in this history");
      expect(stderr).toContain(next);
    }
  });

  it.each([
    ["explain", "0", "at position 0 nothing has been done yet"],
    ["history", "nowhere", "at the top there is"],
    ["loss", "--from=eat", "clusters: east"],
    ["loss", "--to=east", "loss compares two clusters"],
    ["blame", "secrets.eat", "at secrets there is east"],
    ["blame", "secrets..east", "is no path"],
    ["blame", "nowhere", "at the top there is"],
    ["blame", ACCOUNT.replace("svc-1", "svc-9"), "there is svc-1, svc-2"],
  ])("%s %s: exit code 2", async (command, word, says) => {
    const { code, stdout, stderr } = await hindcast.run(command, "loan.ndjson", word);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  });
});

describe("a long log", { tags: "full" }, () => {
  /** More than a second thread is started for. */
  const COMMITS = 14_000;
  let lines: string[] = [];

  beforeAll(() => {
    const world = new LendingWorld({ accounts: 100, accountsPerSet: 100 });
    while (world.sim.position < COMMITS) {
      world.turns(500);
      world.sim.clock.advance("10m");
    }
    const text = world.sim.log.toNdjson();
    lines = text.split("\n");
    writeFileSync(inFolder("long.ndjson"), text);
    expect(text.length).toBeGreaterThan(9_000_000);
  });

  it("is drawn from two threads as it is from one", async () => {
    const shared = await hindcast.run("timeline", "long.ndjson", "--json");
    const alone = await hindcast.run("timeline", "long.ndjson", "--json", "--accept-prefix");
    expect([shared.code, shared.stdout]).toEqual([0, alone.stdout]);
  });

  it("is refused at its first fault, whichever thread finds it", async () => {
    const changed = (line: number, how: (line: string) => string): string =>
      lines.map((text, index) => (index === line - 1 ? how(text) : text)).join("\n");
    const wrongSum = (line: string): string => line.replace('"via":"call"', '"via":"http"');
    const noJson = (line: string): string => line.replace('"via"', '"via');
    const cases: readonly (readonly [text: string, says: string])[] = [
      [changed(9_000, wrongSum), "log, line 9000: its sum does not fit"],
      [changed(9_000, noJson), "log, line 9000: no commit: the line was cut or changed"],
      [
        changed(9_000, (line) => wrongSum(line)).replace(lines[9_999] ?? "", ""),
        "log, line 9000: its sum does not fit",
      ],
      [
        changed(lines.length - 1, (line) => line.replace('"marks":[]', '"marks": []')),
        "the digest of the log does not fit",
      ],
      [lines.slice(0, 12_000).join("\n"), "log, line 12000: the line has no end"],
    ];
    for (const [text, says] of cases) {
      writeFileSync(inFolder("faulty.ndjson"), text);
      const { code, stdout, stderr } = await hindcast.run("timeline", "faulty.ndjson");
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toContain(says);
    }
  });

  it("shows on a terminal how far it is read when that takes its time, and nothing of it stays", async () => {
    const terminal = hindcast.onTerminal(80, "replay", "long.ndjson");
    expect(await terminal.ended()).toBe(0);
    const { stdout } = await hindcast.run("replay", "long.ndjson");
    expect(terminal.text).toBe(stdout);
  });
});

describe("inspect", () => {
  it("makes a page beside the log, or where it is told to", async () => {
    const { code, stdout, stderr } = await hindcast.run("inspect", "loan.ndjson");
    expect([code, stdout, stderr]).toEqual([0, "loan.html\n", ""]);
    const page = readFileSync(inFolder("loan.html"), "utf8");
    expect(page).toContain("<title>loan.ndjson</title>");
    const other = await hindcast.run("inspect", "torn.ndjson", "--accept-prefix", "--out", "torn-page.html", "--json");
    expect(JSON.parse(other.stdout)).toEqual({
      page: "torn-page.html",
      bytes: readFileSync(inFolder("torn-page.html")).length,
      commits: 8,
    });
    expect((await hindcast.run("inspect", "torn.ndjson")).code).toBe(3);
    expect((await hindcast.run("inspect", "loan.ndjson", "--out", "nowhere/page.html")).code).toBe(2);
  });
});

describe("gallery", () => {
  it("makes a page of each scenario, and an index that leads to them", async () => {
    const { code, stdout } = await hindcast.run("gallery", "--json");
    const { index, pages } = JSON.parse(stdout) as { index: string; pages: { page: string; title: string }[] };
    expect([code, index]).toEqual([0, "gallery/index.html"]);
    const listed = readFileSync(inFolder(index), "utf8");
    const { scenarios } = JSON.parse((await hindcast.run("list", "--json")).stdout) as { scenarios: unknown[] };
    expect(pages).toHaveLength(scenarios.length);
    for (const { page, title } of pages) {
      expect(listed).toContain(`<a href="${page}">${title.replaceAll('"', "&quot;")}</a>`);
      expect(readFileSync(inFolder(`gallery/${page}`), "utf8")).toContain(title);
    }
    expect((await hindcast.run("gallery", "--out", "loan.ndjson")).code).toBe(2);
  });
});
