import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { createSimulator, Rejection, type Simulator } from "../../../src/index.ts";
import { secretsRegistry } from "../../../src/services/secrets/registry.ts";
import { lastRequest } from "../../support/journal.ts";
import { eachTakesAtMost } from "../../support/processor-time.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";
import { OTHER_ROUTES, send } from "../driver.ts";
import { expectData, expectNothingChanged } from "../expectations.ts";

// What no well-meaning client sends to the service's core: an answer of the table, nothing changed, no exception, bounded work.

const PRISTINE = Object.getOwnPropertyNames(Object.prototype).sort();

eachTakesAtMost(20);

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(PRISTINE);
});

/** The statuses that the service has (decisions-secrets-core.md, A.2). */
const STATUSES = new Set([200, 202, 204, 400, 401, 403, 404, 405, 413, 415, 429, 473, 500, 503]);

const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("policy documents that are hostile", () => {
  it.each<[rule: string, policy: string]>([
    ["a hundred thousand open blocks", 'path "x" {'.repeat(100_000)],
    ["a hundred thousand open lists", `path "x" { capabilities = ${"[".repeat(100_000)}`],
    ["deep JSON", `{"path": ${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`],
    ["a megabyte of quotes", '"'.repeat(1_000_000)],
    ["a megabyte of backslashes in a label", `path "${"\\".repeat(1_000_000)}`],
    ["a NUL", 'path "x" {\0}'],
    ["a lone surrogate outside a string", '\ud800 path "x" {}'],
    ["base64 of what is no text", btoa("\xc3\x28\xff")],
    ["an unclosed comment", "/* "],
    ["__proto__ as capabilities", '{"path": {"x": {"__proto__": {"capabilities": ["read"]}}}}'],
  ])("%s: 400, and nothing changed", async (_rule, policy) => {
    const sim = createSimulator();
    await expectNothingChanged(sim, async () => {
      const answer = await send(sim, "POST", "/v1/sys/policies/acl/p", { body: JSON.stringify({ policy }) });
      expect(answer.status).toBe(400);
    });
  });

  it("paths named like members of every object are paths like any other", async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const names = ["__proto__", "constructor", "toString"];
    main.writePolicy("p", names.map((name) => `path "kv/${name}" { capabilities = ["create", "read"] }`).join(" "));
    const asking = { token: main.createToken({ policies: ["p"] }).token };
    for (const name of names) {
      expect((await send(sim, "POST", `/v1/kv/${name}`, { asking, body: '{"v": 1}' })).status).toBe(204);
      expect(expectData(await send(sim, "GET", `/v1/kv/${name}`, { asking }))).toEqual({ v: 1 });
    }
    expect((await send(sim, "GET", "/v1/kv/valueOf", { asking })).status).toBe(403);
  });

  it("ten thousand rules and a path of ten thousand segments are matched with bounded work", {
    tags: "full",
  }, async () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const rules = Array.from({ length: 10_000 }, (_, index) => {
      const path = index % 3 === 0 ? `kv/+/${index}/*` : index % 3 === 1 ? `kv/${index}*` : `kv/+/+/${index}`;
      return `path "${path}" { capabilities = ["read"] }`;
    });
    main.writePolicy("p", rules.join("\n"));
    const asking = { token: main.createToken({ policies: ["p"] }).token };
    for (const path of ["a/".repeat(10_000), "kv/1/2/3", `kv/${"+/".repeat(5_000)}`]) {
      expect((await send(sim, "GET", `/v1/kv/${path}x`, { asking })).status).toBe(403);
    }
  });
});

describe("bodies of a kv write", () => {
  it.each<[rule: string, body: string, status: number]>([
    ["nested as deep as bodies may be", `{"a": ${deep(9_999)}}`, 204],
    ["nested deeper", `{"a": ${deep(10_000)}}`, 400],
    ["nested a million times", `{"a": ${deep(1_000_000)}}`, 400],
    ["a list", "[]", 400],
    ["a text", '"x"', 400],
    ["lone surrogates", '{"\\ud800": "\\udfff"}', 204],
    ["numbers beyond all measure", '{"a": 1e999}', 204],
    ["a hundred thousand fields", `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}": 0`).join()}}`, 204],
  ])("%s", async (_rule, body, status) => {
    const sim = createSimulator();
    const answer = await send(sim, "POST", "/v1/kv/a", { body });
    expect(answer.status).toBe(status);
    expect(sim.position).toBe(status === 204 ? 1 : 0);
  });

  it("of 32 MiB is kept, one of a byte more is 413", async () => {
    const sim = createSimulator();
    const body = (length: number) => new TextEncoder().encode(`{"a":"${"x".repeat(length - 8)}"}`);
    expect((await send(sim, "POST", "/v1/kv/a", { body: body(33_554_433) })).status).toBe(413);
    expect(sim.position).toBe(0);
    expect((await send(sim, "POST", "/v1/kv/a", { body: body(33_554_432) })).status).toBe(204);
  });
});

describe("paths that climb", () => {
  it.each<[path: string, status: number]>([
    ["/v1/kv/%2e%2e%2fsys%2fmounts", 400],
    ["/v1/kv/a%2F..%2Fb", 400],
    ["/v1/kv/..%2F..%2Fsys", 400],
    ["/v1/kv/a%00b", 400],
    ["/v1/kv/a%2F%2Fb", 404],
    ["/v1/kv/%ED%A0%80", 400],
    ["/v1/kv/%", 400],
    ["/v1/kv/%zz", 400],
    ["/v1/cubbyhole/a%2F..%2Fb", 400],
    ["/v1/sys/mounts/..%2Fsys", 400],
    ["/v1/sys/policies/acl/..%2F..%2Fp", 400],
    ["/v1/sys/namespaces/%2e%2e%2fx", 400],
    ["/v1/auth/token/..%2Fcreate", 400],
  ])("POST %s is %i", async (path, status) => {
    const sim = createSimulator();
    await expectNothingChanged(sim, async () => {
      expect((await send(sim, "POST", path, { body: '{"v": 1, "type": "kv", "policy": "x"}' })).status).toBe(status);
    });
  });
});

describe("whatever is sent", () => {
  const strange = fc.oneof(
    fc.constantFrom("__proto__", "constructor", "..", ".", "a/../b", "/", "", "a\0", "\ud800", "x1", "root", "default"),
    fc.constantFrom("system", "-1", "1w", "2540400h", "x".repeat(5_000), "team", "kv", "sys", "response-wrapping"),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const value = fc.oneof(
    strange,
    fc.constantFrom(null, true, false, -1, 0, 1, 1.5, 2 ** 53, 3600),
    fc.array(strange, { maxLength: 3 }),
    fc.dictionary(strange, strange, { maxKeys: 3 }),
  );
  const request = fc.record({
    name: fc.constantFrom(...[...secretsRegistry.byName.keys()].filter((name) => name !== "secrets.seal.seal")),
    captured: strange,
    values: fc.array(value, { minLength: 10, maxLength: 10 }),
    given: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
    extra: fc.dictionary(strange, value, { maxKeys: 2 }),
    namespace: fc.constantFrom(undefined, "team", "__proto__", "a//b"),
    token: fc.constantFrom("root", "none", "plain", "strange"),
  });

  function inputOf(asked: typeof request extends fc.Arbitrary<infer R> ? R : never): Record<string, unknown> {
    const operation = secretsRegistry.byName.get(asked.name);
    const fields = Object.keys(operation?.fields ?? {});
    const input: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [name, each] of Object.entries(asked.extra)) input[name] = each;
    fields.forEach((name, index) => {
      if (asked.given[index % 10]) input[name] = asked.values[index % 10];
    });
    for (const capture of operation?.captures ?? []) input[capture] = asked.captured;
    return { ...input };
  }

  property([fc.array(request, { minLength: 1, maxLength: 20 })], runs(150))(
    "to any operation is answered from the table, and a refusal without a position changes nothing",
    async (requests) => {
      const sim: Simulator = createSimulator({ seed: 16 });
      const main = sim.secrets.cluster("main");
      main.createNamespace("team");
      main.writePolicy("all", 'path "*" { capabilities = ["create", "read", "update", "delete", "list"] }');
      const tokens = { root: main.rootToken, plain: main.createToken({ policies: ["all"] }).token, strange: "a/b~\0" };
      for (const asked of requests) {
        const token = asked.token === "none" ? undefined : tokens[asked.token];
        const client = main.as(token, asked.namespace === undefined ? {} : { namespace: asked.namespace });
        const [, ...names] = asked.name.replace(OTHER_ROUTES, "").split(".");
        const call = names.reduce<unknown>((within, name) => (within as Record<string, unknown>)[name], client);
        const before = { position: sim.position, hash: sim.stateHash() };
        try {
          await (call as (input: object) => unknown)(inputOf(asked));
          expect(STATUSES).toContain(lastRequest(sim).response?.status);
        } catch (error) {
          if (error instanceof Rejection) {
            expect(STATUSES).toContain(error.status);
            if (error.position !== undefined) continue;
          } else if (!(error instanceof TypeError)) throw error;
          expect({ position: sim.position, hash: sim.stateHash() }).toEqual(before);
        }
      }
      sim.clock.advance("1h");
      expect(sim.fork().stateHash()).toBe(sim.stateHash());
    },
  );
});
