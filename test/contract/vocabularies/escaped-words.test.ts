import { describe, expect, it } from "vitest";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import { SERVICE_NAMES as SERVICES, type ServiceName } from "../../../src/simulator/options.ts";
import { defaultMount, METHODS } from "../two-doors.ts";

// A path is decoded before words are looked up in it: an escape changes nothing, in own words as in neutral ones.

const OPERATIONS = createSimulator().operations();

/** With the methods whose paths are asked for. */
function withMethods(sim: Simulator): Simulator {
  const main = sim.secrets.cluster("main");
  for (const type of METHODS) main.as(main.rootToken).auth.enable({ path: type, type });
  return sim;
}

/** What stands in the place of a part of an operation's path. */
function standsFor(part: string, operation: string): string {
  if (!part.includes(":")) return part;
  if (part === ":mount") {
    const mount = defaultMount(operation.slice("secrets.".length));
    return mount === "kv2" ? "kv" : mount;
  }
  if (part === ":field") return "period";
  return part === ":type" ? "secret" : "x1";
}

/** Which parts of a path are words: its mount is one as well. The version of the secrets service is none. */
function isWord(service: ServiceName, part: string): boolean {
  if (service === "secrets" && part === "v1") return false;
  return part === ":mount" || !part.includes(":");
}

type Table = { readonly [neutral: string]: string };

/** Words that nobody has. */
const fresh = (words: readonly string[]): Table =>
  Object.fromEntries(words.map((word, index) => [word, `own-${index}.x`]));

/** Words in each other's places. */
const exchanged = (words: readonly string[]): Table =>
  Object.fromEntries(words.map((word, index) => [word, words[(index + 1) % words.length] as string]));

/** Ways to write a path. */
const SPELLINGS: readonly (readonly [name: string, spelled: (segments: readonly string[]) => string])[] = [
  ["as it is", (segments) => `/${segments.join("/")}`],
  ["every character escaped", (segments) => `/${segments.map(escaped).join("/")}`],
  ["one character escaped", (segments) => `/${segments.map((word) => word.replace(/^./, escaped)).join("/")}`],
  ["slashes escaped", ([version = "", ...below]) => `/${version}/${below.join("%2f")}`],
];

function escaped(text: string): string {
  return text.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

function originOf(sim: Simulator, service: ServiceName): string {
  if (service === "runs") return sim.runs.url;
  return service === "scheduler" ? sim.scheduler.region("global").url : sim.secrets.cluster("main").url;
}

/** Simulators whose `kv/` has versions, and others: an operation is there in one of them. */
function both(options: SimulatorOptions = {}): (operation: string) => Simulator {
  const without = withMethods(createSimulator(options));
  const versions = createSimulator({ ...options, secrets: { kv: 2 } });
  return (operation) => (operation.startsWith("secrets.kv2.") ? versions : without);
}

/** Where a request leads. */
async function led(sim: Simulator, service: ServiceName, method: string, path: string) {
  const fork = sim.fork();
  const response = await fork.fetch(originOf(fork, service) + path, {
    method,
    redirect: "manual",
    ...(method === "PATCH" ? { headers: { "Content-Type": "application/merge-patch+json" } } : {}),
  });
  return { operation: fork.explain(response).operation, status: response.status };
}

describe.each(SERVICES)("%s", (service) => {
  const plainFor = both();
  const operations = OPERATIONS.filter((operation) => operation.service === service).map(({ name, method, path }) => {
    const parts = path
      .split("/")
      .slice(1)
      .flatMap((part) =>
        standsFor(part, name)
          .split("/")
          .map((segment) => ({ segment, isOne: isWord(service, part) })),
      );
    const [segments, words] = [parts.map(({ segment }) => segment), parts.map(({ isOne }) => isOne)];
    return { name, method, path, segments, words };
  });
  const words = [
    ...new Set(operations.flatMap(({ segments, words: isOne }) => segments.filter((_, index) => isOne[index]))),
  ];

  describe.each([
    ["own words", fresh(words)],
    ["exchanged words", exchanged(words)],
  ])("%s", (kind, table) => {
    const wordedFor = both({ vocabulary: { [service]: { segments: table } } });

    it.each(operations)("$method $path", async ({ name, method, segments, words: isOne }) => {
      const [plain, worded] = [plainFor(name), wordedFor(name)];
      expect(await led(plain, service, method, `/${segments.join("/")}`)).toMatchObject({ operation: name });
      const own = segments.map((segment, index) => (isOne[index] ? (table[segment] as string) : segment));
      for (const [spelling, spelled] of SPELLINGS) {
        expect([spelling, await led(worded, service, method, spelled(own))]).toEqual([
          spelling,
          await led(plain, service, method, spelled(segments)),
        ]);
        // Neutral words are to whoever speaks others what those are to everybody else.
        if (kind === "exchanged words") continue;
        expect([spelling, await led(worded, service, method, spelled(segments))]).toEqual([
          spelling,
          await led(plain, service, method, spelled(own)),
        ]);
      }
    });

    it.each(operations)("$method $path with what is no escape", async ({ name, method, segments, words: isOne }) => {
      const [plain, worded] = [plainFor(name), wordedFor(name)];
      const own = segments.map((segment, index) => (isOne[index] ? (table[segment] as string) : segment));
      expect(await led(worded, service, method, `/${own.join("/")}%`)).toEqual(
        await led(plain, service, method, `/${segments.join("/")}%`),
      );
    });
  });
});

describe("the page of the secrets service", () => {
  const query = "/identity/oidc/provider/default/authorize?client_id=none";
  const plain = createSimulator();
  const worded = createSimulator({ vocabulary: "hashicorp" });

  it.each(["/ui/vault", "/%75i/vault", "/ui%2fvault", "/ui/v%61ult"])("is found at %s", async (page) => {
    const neutral = page.replace("vault", "secrets").replace("v%61ult", "s%65crets");
    expect(await led(worded, "secrets", "GET", page + query)).toEqual(
      await led(plain, "secrets", "GET", neutral + query),
    );
    expect((await led(worded, "secrets", "GET", neutral + query)).status).toBe(404);
  });
});
