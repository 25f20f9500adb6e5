import fc from "fast-check";
import { expect } from "vitest";
import type { Simulator } from "../../../src/index.ts";
import { createSimulator, property } from "../../support/checked.ts";
import { runs } from "../../support/runs.ts";
import { type Asking, type Fields, httpDoor, type OperationName, type Subject, typedDoor } from "../driver.ts";

// design.md, 5: both doors make the same command of the same request, so they leave the same log, byte for byte, but for `via`.

interface Step {
  readonly operation: OperationName;
  readonly fields: Fields;
  readonly by: number;
  readonly namespace: string | undefined;
  readonly mount: string | undefined;
}

const path = fc.constantFrom("a", "a/b", "a/b/c", "x y", "ü");
const mount = fc.constantFrom("kv", "team-kv", "teams/kv", "ldap");
const name = fc.constantFrom("reader", "Writer", "default", "root");
const ttl = fc.constantFrom("1h", 60, "90", "1w", 0);
const policy = fc.constantFrom('path "*" { capabilities = ["read", "create", "update", "list"] }', "broken {");

const request: fc.Arbitrary<readonly [OperationName, Fields]> = fc.oneof(
  fc.record({ path, v: fc.oneof(fc.nat(), fc.string()) }).map((fields) => ["kv.write", fields] as const),
  fc.record({ path }).map((fields) => ["kv.read", fields] as const),
  fc.record({ prefix: path }).map((fields) => ["kv.list", fields] as const),
  fc.record({ path }).map((fields) => ["kv.delete", fields] as const),
  fc.record({ path, v: fc.nat() }).map((fields) => ["cubbyhole.write", fields] as const),
  fc.record({ path: mount, type: fc.constantFrom("kv", "ldap", "none") }).map((f) => ["mounts.write", f] as const),
  fc.record({ path: mount, max_lease_ttl: ttl }).map((fields) => ["mounts.tune", fields] as const),
  fc.record({ path: mount }).map((fields) => ["mounts.delete", fields] as const),
  fc.record({ name, policy }).map((fields) => ["policies.write", fields] as const),
  fc.record({ name }).map((fields) => ["policies.read", fields] as const),
  fc.record({ name }).map((fields) => ["policies.delete", fields] as const),
  fc
    .record({ name, interval: ttl, path_prefix: path, storage_type: fc.constant("local"), local_max_space: fc.nat() })
    .map((fields) => ["snapshots.write", fields] as const),
  fc.record({ name }).map((fields) => ["snapshots.delete", fields] as const),
  fc.record({ name }).map((fields) => ["snapshots.status", fields] as const),
  fc
    .record({
      type: fc.constantFrom("secret", "auth"),
      name,
      sha256: fc.constantFrom("ab", "x"),
      command: path,
    })
    .map((fields) => ["plugins.write", fields] as const),
  fc
    .record({ type: fc.constantFrom("secret", "auth"), name: fc.constantFrom("kv", "reader", "a b") })
    .map((fields) => ["plugins.read", fields] as const),
  fc.record({ type: fc.constantFrom("secret", "auth"), name }).map((fields) => ["plugins.delete", fields] as const),
  fc.record({ paths: fc.array(path) }).map((fields) => ["policies.capabilitiesSelf", fields] as const),
  fc.record({ ttl, policies: fc.array(name) }).map((fields) => ["tokens.create", fields] as const),
  fc.constantFrom<readonly [OperationName, Fields]>(
    ["tokens.lookupSelf", {}],
    ["tokens.renewSelf", { increment: "30m" }],
    ["tokens.revokeSelf", {}],
    ["tokens.accessors", {}],
    ["wrapping.unwrap", { token: "nobody" }],
    ["namespaces.write", { name: "team", custom_metadata: { a: "b" } }],
    ["namespaces.list", {}],
    ["namespaces.delete", { name: "team" }],
    ["mounts.list", {}],
    ["snapshots.list", {}],
    ["plugins.catalog", {}],
    ["plugins.list", { type: "secret" }],
    ["health.read", {}],
    ["seal.status", {}],
  ),
);

const step: fc.Arbitrary<Step> = fc
  .tuple(
    request,
    fc.nat({ max: 2 }),
    fc.constantFrom(undefined, undefined, "team"),
    fc.constantFrom(undefined, undefined, "kv", "teams/kv", "team-kv"),
  )
  .map(([[operation, fields], by, namespace, at]) => ({ operation, fields, by, namespace, mount: at }));

property([fc.array(step, { maxLength: 25 })], runs(60))(
  "both doors leave the same log, the same state and the same answers",
  async (steps) => {
    const [one, other] = await Promise.all([typedDoor, httpDoor()].map(({ open }) => told(steps, open)));
    expect(one).toEqual(other);
  },
);

async function told(steps: readonly Step[], open: Subject["open"]) {
  const sim = createSimulator({ seed: 17 });
  const main = sim.secrets.cluster("main");
  const limited = main.createToken({ policies: ["root"], numUses: 6 }).token;
  const plain = main.createToken({ policies: ["reader", "writer"] }).token;
  const tokens = [main.rootToken, limited, plain];
  const answers: unknown[] = [];
  for (const { operation, fields, by, namespace, mount: at } of steps) {
    // Where nothing is mounted a path has no operation, but a call has its name: a token's use there is kept under either.
    const isEngine = operation.startsWith("kv.");
    const asking: Asking = {
      token: tokens[isEngine && by === 1 ? 0 : by] ?? null,
      ...(namespace === undefined ? {} : { namespace }),
      ...(at === undefined || !isEngine ? {} : { mount: at }),
    };
    const { status, body, code } = await open(sim).call(operation, fields, asking);
    answers.push({ status, body, code });
  }
  return { answers, log: withoutVia(sim), hash: sim.stateHash() };
}

function withoutVia(sim: Simulator): unknown[] {
  return sim.log.commits().map(({ command: { via: _, ...command }, ...commit }) => ({ ...commit, command }));
}
