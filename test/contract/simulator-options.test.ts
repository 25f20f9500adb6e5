import { describe, expect, it } from "vitest";
import { createSimulator, type SimulatorOptions } from "../../src/index.ts";
import { reach } from "./transports.ts";

// control-surface.md, "Simulator" and "Values": what createSimulator takes, and how it refuses the rest.

const make = (options: unknown): unknown => createSimulator(options as SimulatorOptions);

describe("createSimulator refuses with a TypeError that names option and value", () => {
  it.each<[options: unknown, ...pieces: string[]]>([
    [null, "null"],
    [5, "5"],
    ["seed", '"seed"'],
    [() => ({}), "createSimulator"],
    [{ seed: Number.NaN }, "seed", "NaN"],
    [{ seed: Number.POSITIVE_INFINITY }, "seed", "Infinity"],
    [{ seed: null }, "seed", "null"],
    [{ seed: true }, "seed", "true"],
    [{ seed: {} }, "seed"],
    [{ seed: 1n }, "seed", "1"],
    [{ startAt: "yesterday" }, '"yesterday"'],
    [{ startAt: "2026-01-01" }, '"2026-01-01"'],
    [{ startAt: "2026-02-30T00:00:00Z" }, '"2026-02-30T00:00:00Z"'],
    [{ startAt: "1969-12-31T23:59:59Z" }, '"1969-12-31T23:59:59Z"'],
    [{ startAt: -1 }, "startAt", "-1"],
    [{ startAt: 1.5 }, "startAt", "1.5"],
    [{ startAt: Number.NaN }, "startAt", "NaN"],
    [{ startAt: 1e15 }, "startAt", "1000000000000000"],
    [{ startAt: new Date(Number.NaN) }, "startAt", "invalid Date"],
    [{ startAt: true }, "startAt", "true"],
    [{ startAt: null }, "startAt", "null"],
    [{ secrets: 5 }, "secrets", "5"],
    [{ secrets: null }, "secrets", "null"],
    [{ secrets: { clusters: [] } }, "clusters"],
    [{ secrets: { clusters: "main" } }, "clusters", '"main"'],
    [{ secrets: { clusters: ["a", "a"] } }, "clusters"],
    [{ secrets: { clusters: ["East"] } }, "clusters", '"East"'],
    [{ secrets: { clusters: ["a", "-b"] } }, "clusters.1", '"-b"'],
    [{ secrets: { clusters: ["a_b"] } }, "clusters", '"a_b"'],
    [{ secrets: { clusters: ["a.b"] } }, "clusters", '"a.b"'],
    [{ secrets: { clusters: [""] } }, "clusters", '""'],
    [{ secrets: { clusters: ["a".repeat(64)] } }, "clusters"],
    [{ secrets: { clusters: [5] } }, "clusters", "5"],
    [{ secrets: { clusters: ["__proto__"] } }, "clusters", '"__proto__"'],
    [{ secrets: { quirks: ["keeps-lease"] } }, "quirks", '"keeps-lease"'],
    [{ secrets: { quirks: "check-in-keeps-lease" } }, "quirks", '"check-in-keeps-lease"'],
    [{ secrets: { url: "https://secrets.test" } }, "url", '"https://secrets.test"'],
    [{ secrets: { url: () => "nowhere" } }, "url", "nowhere"],
    [{ secrets: { url: () => 5 } }, "url", "5"],
    [{ secrets: { url: () => undefined } }, "url", "undefined"],
    [{ secrets: { clusters: ["a", "b"], url: () => "https://one.test" } }, "url"],
    [{ secrets: { keyShares: 0 } }, "keyShares", "0"],
    [{ secrets: { keyShares: 256 } }, "keyShares", "256"],
    [{ secrets: { keyShares: 2.5 } }, "keyShares", "2.5"],
    [{ secrets: { keyThreshold: "3" } }, "keyThreshold", '"3"'],
    [{ secrets: { keyShares: 2, keyThreshold: 3 } }, "keyThreshold", "3", "2"],
    [{ secrets: { nodes: 0 } }, "nodes", "0"],
    [{ secrets: { nodes: 1.5 } }, "nodes", "1.5"],
    [{ secrets: { nodes: 2, clusters: ["a", "a-0"] } }, "url"],
    [{ secrets: { nodes: 2, url: () => "http://[::1]:8200" } }, "url", "[::1]"],
    [{ secrets: { license: "free" } }, "license", '"free"'],
    [{ secrets: { version: "" } }, "version", '""'],
    [{ secrets: { version: 1 } }, "version", "1"],
    [{ history: { checkpointEvery: 0 } }, "checkpointEvery", "0"],
    [{ history: { checkpointEvery: 1.5 } }, "checkpointEvery", "1.5"],
    [{ history: { checkpointEvery: "32" } }, "checkpointEvery", '"32"'],
    [{ history: { journalSize: -1 } }, "journalSize", "-1"],
    [{ history: { journalSize: Number.POSITIVE_INFINITY } }, "journalSize", "Infinity"],
    [{ limits: { firingsPerAdvance: 0 } }, "firingsPerAdvance", "0"],
    [{ limits: { firingsPerAdvance: Number.NaN } }, "firingsPerAdvance", "NaN"],
  ])("%o", (options, ...pieces) => {
    expect(() => make(options)).toThrow(TypeError);
    for (const piece of ["createSimulator", ...pieces]) {
      if (!(options instanceof Object && "startAt" in options && piece === "createSimulator")) {
        expect(() => make(options)).toThrow(piece);
      }
    }
  });

  it.each<[name: string, options: unknown]>([
    ["sed", { sed: 7 }],
    ["clusters", { clusters: ["east"] }],
    ["Seed", { Seed: 7 }],
    ["cluster", { secrets: { cluster: "east" } }],
    ["checkpoints", { history: { checkpoints: 1 } }],
    ["firings", { limits: { firings: 1 } }],
    ["extra", { seed: 7, extra: undefined }],
  ])("an unknown option: %s", (name, options) => {
    expect(() => make(options)).toThrow(TypeError);
    expect(() => make(options)).toThrow(name);
    expect(() => make(options)).toThrow("no such option");
  });
});

describe("createSimulator takes", () => {
  it.each<[options: SimulatorOptions | undefined]>([
    [undefined],
    [{}],
    [{ seed: 0 }],
    [{ seed: -1.5 }],
    [{ seed: "" }],
    [{ seed: "\ud800" }],
    [{ seed: undefined as unknown as number }],
    [{ startAt: 0 }],
    [{ startAt: new Date(0) }],
    [{ startAt: "1970-01-01T00:00:00Z" }],
    [{ startAt: "9999-12-31T23:59:59.999Z" }],
    [{ startAt: "2026-01-01T01:00:00.5+01:00" }],
    [{ secrets: {} }],
    [{ secrets: { clusters: ["a", "0", "a-b", "a".repeat(63), "constructor"] } }],
    [{ secrets: { quirks: [] } }],
    [{ secrets: { url: (cluster) => `http://${cluster}.localhost:8200` } }],
    [{ history: { checkpointEvery: 1, journalSize: 0 } }],
    [{ limits: { firingsPerAdvance: 1 } }],
  ])("%o", (options) => {
    expect(createSimulator(options).position).toBe(0);
  });

  it("nothing: then there is one cluster, main, at the start of 2026", () => {
    const sim = createSimulator();
    expect(sim.secrets.cluster("main").url).toBe("https://secrets-main.test");
    expect(new Date(sim.clock.now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
    expect(sim.stateHash()).toBe(createSimulator({ seed: 1 }).stateHash());
  });

  it("a seed that is a text of digits as another seed than the number", () => {
    expect(createSimulator({ seed: "7" }).stateHash()).not.toBe(createSimulator({ seed: 7 }).stateHash());
  });

  it("a cluster named constructor as a cluster like any other", async () => {
    const sim = createSimulator({ secrets: { clusters: ["constructor"] } });
    const cluster = sim.secrets.cluster("constructor");
    const response = await reach(sim)(`${cluster.url}/v1/ldap/config`, {
      headers: { "X-Secrets-Token": cluster.rootToken },
    });
    expect(response.status).toBe(404);
    cluster.as(cluster.rootToken).ldapConfig.write({ binddn: "cn=a", bindpass: "b" });
    expect(cluster.as(cluster.rootToken).ldapConfig.read().data.binddn).toBe("cn=a");
  });

  it("options that are not kept: changing them afterwards changes nothing", () => {
    const clusters = ["a"];
    const sim = createSimulator({ secrets: { clusters } });
    clusters.push("b");
    expect(() => sim.secrets.cluster("b")).toThrow(TypeError);
    expect(Object.isFrozen(clusters)).toBe(false);
  });
});
