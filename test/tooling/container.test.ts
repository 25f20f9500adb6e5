import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { serveCommand } from "../../src/node/commands/serve.ts";

// Where nothing makes containers, the form of their files is held: what they name is there, and what they run is what the package has.

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const isThere = (path: string): boolean => existsSync(new URL(`../../${path}`, import.meta.url));

interface Instruction {
  readonly name: string;
  readonly words: string;
}

/** The instructions of each stage; what stands before the first one has a place of its own. */
function stagesOf(dockerfile: string): readonly (readonly Instruction[])[] {
  const lines = dockerfile
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "");
  const stages: Instruction[][] = [[]];
  for (const line of lines) {
    const [, name = "", words = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM") stages.push([]);
    stages.at(-1)?.push({ name, words });
  }
  return stages;
}

const stages = stagesOf(textOf("Dockerfile"));
const [globals = [], build = [], runtime = []] = stages;
const wordsOf = (stage: readonly Instruction[], name: string): readonly string[] =>
  stage.filter((one) => one.name === name).map(({ words }) => words);
const execOf = (name: string): readonly string[] => JSON.parse(wordsOf(runtime, name).at(-1) ?? "null") as string[];

/** What a command line of `serve` gives, by its options. @throws what the command says of one that it does not take */
function servedWith(words: readonly string[]): ReadonlyMap<string, string> {
  const [command, ...rest] = words;
  expect(command).toBe("serve");
  const given = new Map<string, string>();
  for (let index = 0; index < rest.length; index++) {
    const name = (rest[index] ?? "").replace(/^--/, "");
    const known = Object.hasOwn(serveCommand.args, name) ? serveCommand.args[name] : undefined;
    expect([rest[index], known?.type]).toEqual([`--${name}`, expect.stringMatching(/^(string|boolean)$/)]);
    if (known?.type === "string") {
      index += 1;
      expect([name, rest[index]]).toEqual([name, expect.stringMatching(/^[^-]/)]);
    }
    given.set(name, known?.type === "string" ? (rest[index] ?? "") : "");
  }
  return given;
}

describe("the Dockerfile", () => {
  test("has two stages, on a Node that the verification runs tests on", () => {
    expect(stages).toHaveLength(3);
    const tested = [...textOf(".ci/run").matchAll(/^NODE_\d+=(\S+)$/gm)].map(([, version]) => version);
    expect(wordsOf(globals, "ARG").map((words) => words.split("=")[1])).toEqual([tested.at(-1)]);
    expect([build, runtime].flatMap((stage) => wordsOf(stage, "FROM")).map((words) => words.replace("$", ""))).toEqual([
      "node:{NODE}-slim AS build",
      "node:{NODE}-slim",
    ]);
  });

  test("copies what is there, and what the build needs", () => {
    const copied = wordsOf(build, "COPY").flatMap((words) => words.split(" ").slice(0, -1));
    expect(copied.filter((path) => !isThere(path))).toEqual([]);
    const ignored = textOf(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(ignored[0]).toBe("*");
    expect(ignored.slice(1).sort()).toEqual(copied.map((path) => `!${path}`).sort());
    const [, included = "[]"] = /"include": (\[.*\])/.exec(textOf("tsconfig.build.json")) ?? [];
    // README.md and LICENSE are always packed.
    const needed = [
      ...(JSON.parse(included) as string[]),
      "tsconfig.build.json",
      "tsconfig.json",
      "vite.config.ts",
      "README.md",
      "LICENSE",
    ];
    expect(copied).toEqual(expect.arrayContaining(needed));
    expect(wordsOf(build, "RUN").join("\n")).toMatch(/npm ci [^&]*--omit=dev.*/);
  });

  test("runs the packed package only, as somebody who is not root, and leaves no cache", () => {
    expect(wordsOf(runtime, "COPY")).toEqual(["--from=build /packed /opt/hindcast"]);
    expect(wordsOf(runtime, "USER")).toEqual(["node"]);
    expect(wordsOf(runtime, "ADD")).toEqual([]);
    for (const words of wordsOf(runtime, "RUN")) expect(words).not.toMatch(/npm|apt|curl|wget/);
    const names = runtime.map(({ name }) => name);
    expect(names.lastIndexOf("RUN")).toBeLessThan(names.indexOf("USER"));
    // An image can be read by everybody who has it.
    expect(textOf("Dockerfile")).not.toMatch(/^(ENV|ARG) .*SECRET/m);
  });

  test("starts Node itself, so that it hears SIGTERM, with options that serve takes", () => {
    expect(execOf("ENTRYPOINT")).toEqual(["node", manifest.bin.hindcast.replace(/^\./, "/opt/hindcast")]);
    const given = servedWith(execOf("CMD"));
    expect(given.get("host")).toBe("0.0.0.0");
    const ports = ["secrets", "scheduler", "runs"].map((service) => given.get(service));
    expect(wordsOf(runtime, "EXPOSE").flatMap((words) => words.split(" "))).toEqual(ports);
  });

  test("is not packed, nor are the files beside it", () => {
    expect(manifest.files).toEqual(["dist"]);
  });
});

interface Composed {
  readonly command: readonly string[];
  readonly build: string;
  readonly ports: readonly string[];
  readonly environment: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
}

describe("compose.yaml", () => {
  const composed = parse(textOf("compose.yaml")) as {
    readonly services: { readonly hindcast: Composed; readonly worlds: Composed };
    readonly volumes: object;
  };
  const { hindcast, worlds } = composed.services;

  test("serves what the image serves, under the name that others call it by", () => {
    const { "url-host": name, ...given } = Object.fromEntries(servedWith(hindcast.command));
    expect(name).toBe("hindcast");
    expect(given).toEqual(Object.fromEntries(servedWith(execOf("CMD"))));
  });

  test("serves worlds whose logs outlive the container", () => {
    const given = servedWith(worlds.command);
    const [volume = "", folder] = worlds.volumes?.[0]?.split(":") ?? [];
    expect(Object.keys(composed.volumes)).toEqual([volume]);
    expect([given.get("log-dir"), wordsOf(runtime, "WORKDIR")]).toEqual([folder, [folder]]);
    expect([given.has("worlds"), given.get("url-host")]).toEqual([true, "worlds"]);
  });

  test.each([
    ["hindcast", hindcast],
    ["worlds", worlds],
  ])("asks %s at a port of its own whether it is up, with Node alone", async (_, { healthcheck, ...service }) => {
    const [kind, node, option, script = ""] = healthcheck.test;
    expect([kind, node, option]).toEqual(["CMD", "node", "--eval"]);
    const given = servedWith(service.command);
    const ports = ["secrets", "scheduler", "runs", "port"].flatMap((name) => given.get(name) ?? []);
    expect(service.ports).toEqual(ports.map((port) => `127.0.0.1:${port}:${port}`));
    expect(service.environment).toEqual(["HINDCAST_ADMIN_SECRET"]);
    // What it does, with a fetch that answers and with one that reaches nobody.
    const exits: unknown[] = [];
    const asked: string[] = [];
    const check = new Function("fetch", "process", `return ${script}`) as (
      fetch: (url: string) => Promise<unknown>,
      process: { readonly exit: (code?: number) => void },
    ) => Promise<void>;
    for (const answer of [async () => ({ ok: false }), () => Promise.reject(new TypeError("fetch failed"))]) {
      await check(
        (url) => {
          asked.push(url);
          return answer();
        },
        { exit: (code = 0) => exits.push(code) },
      );
    }
    expect(exits).toEqual([0, 1]);
    expect(new URL(asked[0] ?? "").port).toBe(ports[0]);
  });
});
