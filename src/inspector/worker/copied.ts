import type { Beginning, CopyForm, Deed } from "../protocol.ts";
import { type Branch, deedText } from "./branches.ts";

/** What was done on a branch, to be done again elsewhere. */
export function copied(branch: Branch, form: CopyForm): string {
  switch (form) {
    case "test":
      return testOf(branch);
    case "scenario":
      return scenarioOf(branch);
    case "curl":
      return branch.done.map(({ deed }) => curlOf(deed)).join("\n");
    default:
      return form satisfies never;
  }
}

/** How an assertion is written: what is there, and what is expected. */
type Asserts = (found: string, expected: string) => string;

/** A test over the log beside it: what was answered, and where the state came to, are its assertions. */
function testOf({ sim, from, done }: Branch): string {
  const expects: Asserts = (found, expected) => `expect(${found}).toBe(${expected});`;
  return [
    'import { readFileSync } from "node:fs";',
    importOf(done, "replay"),
    'import { expect, test } from "vitest";',
    "",
    'test("what if", async () => {',
    `  const sim = ${begunText(from)};`,
    ...done.flatMap(({ deed, answer }, index) => callsOf(deed, answer, index, expects).map((line) => `  ${line}`)),
    `  ${expects("sim.stateHash()", text(sim.stateHash()))}`,
    "});",
    ...promoting(done),
    "",
  ].join("\n");
}

/** A scenario over the log beside it, with the same assertions. */
function scenarioOf({ sim, from, done }: Branch): string {
  const asserts: Asserts = (found, expected) => `assert.equal(${found}, ${expected});`;
  const steps = done.map(({ deed, answer }, index) => ({
    title: deedText(deed),
    lines: callsOf(deed, answer, index, asserts),
  }));
  return [
    'import assert from "node:assert/strict";',
    'import { readFileSync } from "node:fs";',
    importOf(done, "defineScenario", "replay"),
    "",
    "export default defineScenario({",
    '  name: "what-if",',
    '  title: "What if",',
    `  world: async () => ${begunText(from)},`,
    "  cast: () => ({}),",
    "  steps: [",
    ...steps.flatMap(({ title, lines }) => [
      "    {",
      `      title: ${text(title)},`,
      "      does: async (sim) => {",
      ...lines.map((line) => `        ${line}`),
      "      },",
      "    },",
    ]),
    "    {",
    '      title: "And then",',
    '      expectation: "the state is the one that was seen",',
    `      expect: (sim) => ${asserts("sim.stateHash()", text(sim.stateHash())).slice(0, -1)},`,
    "    },",
    "  ],",
    "});",
    ...promoting(done),
    "",
  ].join("\n");
}

function importOf(done: Branch["done"], ...names: readonly string[]): string {
  return `import { ${[...names, ...(promotes(done) ? ["type Simulator"] : [])].join(", ")} } from "hindcast";`;
}

function promoting(done: Branch["done"]): string[] {
  return promotes(done) ? ["", PROMOTE] : [];
}

function promotes(done: Branch["done"]): boolean {
  return done.some(({ deed: { kind } }) => kind === "promote");
}

/** What makes the simulator of a branch. */
function begunText(from: Beginning): string {
  if ("log" in from) return replayed(from.log.name);
  const log = replayed("run.ndjson");
  if ("at" in from) return `${log}.fork(${from.at})`;
  const edit =
    "replace" in from.edit ? `{ replace: ${from.edit.replace}, input: ${from.edit.input} }` : text(from.edit);
  return `(await ${log}.rewrite([${edit}])).fork`;
}

function replayed(file: string): string {
  return `replay(readFileSync(${text(file)}, "utf8"))`;
}

function callsOf(deed: Deed, answer: string, index: number, asserts: Asserts): string[] {
  switch (deed.kind) {
    case "advance":
      return [`sim.clock.advance(${text(deed.by)});`];
    case "cut":
    case "heal":
      return [`sim.network.${deed.kind}(${handleOf(deed.a)}, ${handleOf(deed.b)});`];
    case "stop":
    case "start":
      return [`sim.network.${deed.kind}(sim.secrets.cluster(${text(deed.cluster)}));`];
    case "seal":
    case "unseal":
      return [`sim.secrets.cluster(${text(deed.cluster)}).${deed.kind}();`];
    case "promote":
      return [`await promote(sim, ${text(deed.cluster)});`];
    case "send": {
      const { program, method, url, headers, body } = deed;
      const init = text({ method, headers, ...(body === "" ? {} : { body }) });
      const call = `sim.program(${text(program)}).fetch(${text(url)}, ${init})`;
      const status = /^\d{3}(?=\n)/.exec(answer)?.[0];
      // What was not answered is waited for by nobody.
      if (status === undefined) return [`void ${call}.catch(() => undefined);`];
      return [`const answer${index} = await ${call};`, asserts(`answer${index}.status`, status)];
    }
    default:
      return deed satisfies never;
  }
}

const PROMOTE = `/** By an operation token, which the holders of the key shares make. */
async function promote(sim: Simulator, name: string) {
  const cluster = sim.secrets.cluster(name);
  const { dr, performance } = cluster.as(cluster.rootToken).replication;
  const upstream = Object.entries(sim.state.secrets).find(([own]) => own === name)?.[1].ignored.links.dr?.upstream;
  if (upstream === undefined) return performance.promote({});
  const { nonce, otp = "", required } = await dr.operationToken.start();
  let encoded = "";
  for (const key of sim.secrets.cluster(upstream).keyShares.slice(0, required)) {
    encoded = (await dr.operationToken.update({ key, nonce })).encoded_token;
  }
  const bytes = [...atob(encoded)].map((character, index) => character.charCodeAt(0) ^ otp.charCodeAt(index));
  return dr.promote({ dr_operation_token: String.fromCharCode(...bytes) });
}`;

function handleOf(id: string): string {
  const [kind, name = ""] = id.split(" ");
  switch (kind) {
    case "cluster":
      return `sim.secrets.cluster(${text(name)})`;
    case "region":
      return `sim.scheduler.region(${text(name)})`;
    case "program":
      return `sim.program(${text(name)})`;
    default:
      return "sim.runs";
  }
}

/** Requests go to where services answer; the clock, faults and handles have their place below the admin path. */
function curlOf(deed: Deed): string {
  switch (deed.kind) {
    case "advance":
      return admin("/clock/advance", { duration: deed.by });
    case "cut":
    case "heal":
      return [deed.a, deed.b].every((id) => /^(cluster|region) /.test(id))
        ? admin(`/control/network/${deed.kind}`, [onWire(deed.a), onWire(deed.b)])
        : `# ${deed.kind} ${deed.a} and ${deed.b}: the admin path knows lines of clusters and regions alone`;
    case "stop":
    case "start":
      return admin(`/control/network/${deed.kind}`, [onWire(`cluster ${deed.cluster}`)]);
    case "seal":
    case "unseal":
      return admin(`/control/secrets/cluster/${encodeURIComponent(deed.cluster)}/${deed.kind}`, []);
    case "promote":
      return `# promote ${deed.cluster}: with an operation token, made with the key shares of its primary`;
    case "send": {
      const { program, method, url, headers, body } = deed;
      const all = { ...headers, "X-Hindcast-Program": program };
      const shown = Object.entries(all).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
      return `curl -X ${method}${shown.join("")}${body === "" ? "" : ` --data-raw ${quoted(body)}`} ${quoted(url)}`;
    }
    default:
      return deed satisfies never;
  }
}

function admin(path: string, body: unknown): string {
  return `curl -X POST -H "Authorization: Bearer $HINDCAST_SECRET" -H 'Content-Type: application/json' --data-raw ${quoted(JSON.stringify(body))} "$HINDCAST_URL/hindcast${path}"`;
}

function onWire(id: string): unknown {
  const [kind = "", name = ""] = id.split(" ");
  return { $handle: { [kind]: name } };
}

/** For a shell: nothing in it means anything. */
function quoted(words: string): string {
  return `'${words.replaceAll("'", "'\\''")}'`;
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
