import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { explore } from "../../../src/node/commands/explore.ts";
import { ROOT, recorded } from "./support.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const shown = [...readme.matchAll(/<!-- output: ([\w.-]+) -->\n```text\n([\s\S]*?)```/g)].map(
  ([, file = "", text = ""]) => ({ file, text }),
);

describe("what the README shows of the command line", () => {
  it.each(shown)("stands in $file as it was recorded", ({ file, text }) => {
    expect(text).not.toBe("");
    expect(readFileSync(recorded(file), "utf8")).toContain(text);
  });

  it.each([
    "list",
    "run",
    "replay",
    "diff",
    "blame",
    "history",
    "log",
    "explain",
    "explore",
    "loss",
    "timeline",
    "sequence",
    "inspect",
    "gallery",
    "machines",
  ])("has a section on %s", (name) => {
    expect(readme).toContain(`\n### ${name}\n\n\`npx hindcast ${name}`);
  });

  it("shows no other text", () => {
    expect(readme.match(/```text\n/g)).toHaveLength(shown.length + 1);
  });
});

describe("manifests of explorations", () => {
  const manifest = (name: string): unknown =>
    parse(new RegExp(`<!-- manifest: ${name} -->\n\`\`\`yaml\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? "");
  /** What a shell makes of a line that calls npx. */
  const words = (line: string, env: NodeJS.ProcessEnv): string[] =>
    execFileSync("sh", ["-c", `npx() { printf '%s\\n' "$@"; }\n${line}`], { env, encoding: "utf8" })
      .trimEnd()
      .split("\n");
  const check = (told: readonly string[], shard: string): void => {
    expect(told.slice(0, 2)).toEqual(["hindcast", "explore"]);
    expect(told[told.indexOf("--shard") + 1]).toBe(shard);
    const options = told.filter((word) => word.startsWith("--")).map((word) => word.slice(2));
    expect(Object.keys(explore.args)).toEqual(expect.arrayContaining(options));
  };

  it("play each share once in a matrix of builds", () => {
    const { jobs } = manifest("matrix") as {
      jobs: { explore: { strategy: { "fail-fast": boolean; matrix: { shard: number[] } }; steps: { run?: string }[] } };
    };
    const { strategy, steps } = jobs.explore;
    const line = steps.findLast(({ run }) => run !== undefined)?.run ?? "";
    const { shard } = strategy.matrix;
    // One share that finds something does not end the others.
    expect(strategy["fail-fast"]).toBe(false);
    for (const [index, i] of shard.entries()) {
      expect(i).toBe(index + 1);
      check(words(line.replace(/\$\{\{ matrix\.shard \}\}/, `${i}`), process.env), `${i}/${shard.length}`);
    }
  });

  it("play each share once in an Indexed Job", () => {
    const { apiVersion, kind, spec } = manifest("job") as {
      apiVersion: string;
      kind: string;
      spec: {
        completionMode: string;
        completions: number;
        parallelism: number;
        backoffLimitPerIndex: number;
        template: { spec: { restartPolicy: string; volumes: { name: string }[]; containers: Container[] } };
      };
    };
    interface Container {
      readonly name: string;
      readonly image: string;
      readonly command: readonly string[];
      readonly args: readonly [string];
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
    }
    expect({ apiVersion, kind }).toEqual({ apiVersion: "batch/v1", kind: "Job" });
    // A limit for each index wants an Indexed Job whose pods are not started again.
    expect(spec).toMatchObject({ completionMode: "Indexed", backoffLimitPerIndex: 0 });
    expect(spec.parallelism).toBeLessThanOrEqual(spec.completions);
    const { restartPolicy, volumes, containers } = spec.template.spec;
    expect([restartPolicy, containers.length]).toEqual(["Never", 1]);
    const [{ command, args, volumeMounts }] = containers as [Container];
    expect(command).toEqual(["sh", "-c"]);
    expect(volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
    for (let index = 0; index < spec.completions; index++) {
      const told = words(args[0], { ...process.env, JOB_COMPLETION_INDEX: `${index}` });
      check(told, `${index + 1}/${spec.completions}`);
      expect(told[told.indexOf("--out") + 1]).toBe(`${volumeMounts[0]?.mountPath}/${index}`);
    }
  });
});
