import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../../src/index.ts";
import { operationsByName } from "../../../src/services/secrets/registry.ts";
import { isRootOnly } from "../../../src/services/secrets/root-only.ts";
import { type Asking, doors, type Fields, type OperationName } from "../driver.ts";

// decisions-secrets-core.md, A.3 and A.10: who is let in, for every operation that there is. A new one is in this matrix the day it is
// declared: what is expected comes from what its declaration says of it, and from what a caller gets who may do everything.

const EVERYTHING = ["create", "read", "update", "patch", "delete", "list"];
const all = (...more: string[]): string => `path "*" { capabilities = ${JSON.stringify([...EVERYTHING, ...more])} }`;

interface World {
  readonly sim: Simulator;
  readonly mighty: string;
  readonly tokens: { readonly [who: string]: string };
}

function world(license: "enterprise" | "community" = "enterprise"): World {
  const sim = createSimulator({ seed: 5, secrets: { license } });
  const main = sim.secrets.cluster("main");
  if (license === "enterprise") main.createNamespace("team");
  main.writePolicy("mighty", all("sudo"));
  main.writePolicy("plain", all());
  const token = (policies: readonly string[], options = {}): string =>
    main.createToken({ policies: [...policies], noDefaultPolicy: true, ...options }).token;
  const expired = token(["mighty"], { ttl: "1s" });
  const made = { mighty: token(["mighty"]), plain: token(["plain"]), powerless: token([]), expired };
  sim.clock.advance("1s");
  return { sim, mighty: made.mighty, tokens: made };
}

/** Something for every capture; nothing else, so that handlers answer what they answer to an empty request. */
function fieldsOf(name: string): Fields {
  const operation = operationsByName.get(name);
  // The type of a plugin is one of three words.
  return Object.fromEntries(
    (operation?.captures ?? []).map((capture) => [capture, capture === "type" ? "secret" : "x1"]),
  );
}

describe.each(doors)("through %s,", (_, { open }) => {
  const rows = [...operationsByName].map(([name, operation]) => ({
    name,
    operation: name.slice("secrets.".length) as OperationName,
    access: operation.access,
    verb: operation.verb,
    path: operation.path.slice("/v1/".length),
    engine: operation.engine,
  }));

  async function status(made: World, row: (typeof rows)[number], asking: Asking): Promise<number> {
    return (await open(made.sim).call(row.operation, fieldsOf(row.name), asking)).status;
  }
  const usual = (row: (typeof rows)[number]): Promise<number> => {
    const made = world();
    return status(made, row, { token: made.mighty });
  };

  /** Userinfo asks for a token of its own kind, and says so by itself (decisions-oidc.md, 11). */
  const withoutToken = async (row: (typeof rows)[number], refused = 403): Promise<number> => {
    if (row.operation.startsWith("oidc.userinfo")) return 401;
    return row.access.open ? usual(row) : refused;
  };

  test.each(rows)("$operation with no token", async (row) => {
    expect(await status(world(), row, { token: null })).toBe(await withoutToken(row));
  });

  test.each(rows)("$operation with a bad token", async (row) => {
    const refused = row.access.opensWrapping ? 400 : 403;
    expect(await status(world(), row, { token: "scs.nobody" })).toBe(await withoutToken(row, refused));
  });

  test.each(rows)("$operation with an expired token", async (row) => {
    const made = world();
    const refused = row.access.opensWrapping ? 400 : 403;
    const asking = { token: made.tokens["expired"] ?? "" };
    expect(await status(made, row, asking)).toBe(await withoutToken(row, refused));
  });

  test.each(rows)("$operation without the capability", async (row) => {
    const made = world();
    const asking = { token: made.tokens["powerless"] ?? "" };
    expect(await status(made, row, asking)).toBe(await withoutToken(row));
  });

  test.each(rows)("$operation without sudo", async (row) => {
    const made = world();
    const asking = { token: made.tokens["plain"] ?? "" };
    expect(await status(made, row, asking)).toBe(row.access.sudo ? 403 : await usual(row));
  });

  test.each(rows)("$operation in a child namespace", async (row) => {
    const made = world();
    const token = made.sim.secrets.cluster("main").rootToken;
    const expected = async (): Promise<number> => {
      if (isRootOnly(row.verb, row.path) || row.engine !== undefined) return 404;
      // It has the namespace itself to list at the top, and nothing below it.
      if (row.operation === "namespaces.list" || row.operation === "tokens.accessors") return 404;
      // A root token cannot be renewed, and makes none like itself in another namespace.
      return ["tokens.renewSelf", "tokens.create", "tokens.createOrphan"].includes(row.operation)
        ? 400
        : await usual(row);
    };
    expect(await status(made, row, { token, namespace: "team" })).toBe(await expected());
  });

  test.each(rows)("$operation of a namespace that is not there", async (row) => {
    expect(await status(world(), row, { namespace: "nowhere" })).toBe(404);
  });

  test.each(rows)("$operation while the cluster is sealed", async (row) => {
    const made = world();
    made.sim.secrets.cluster("main").seal();
    const served = row.operation === "health.read" ? 503 : await usual(row);
    expect(await status(made, row, { token: made.mighty })).toBe(row.access.whileSealed ? served : 503);
  });

  test.each(rows)("$operation with the community licence", async (row) => {
    const made = world("community");
    expect(await status(made, row, { token: made.mighty })).toBe(row.access.enterprise ? 404 : await usual(row));
  });
});

test("what is sudo-protected is what decisions-secrets-core.md, A.8 lists, as far as it is there", () => {
  const sudo = [...operationsByName].filter(([, { access }]) => access.sudo).map(([name]) => name);
  expect(sudo.sort()).toEqual([
    "secrets.leases.list",
    "secrets.leases.revokeForce",
    "secrets.leases.revokePrefix",
    "secrets.plugins.delete",
    "secrets.plugins.read",
    "secrets.plugins.write",
    "secrets.replication.dr.secondaryToken",
    "secrets.replication.performance.secondaryToken",
    "secrets.seal.seal",
    "secrets.snapshots.delete",
    "secrets.snapshots.list",
    "secrets.snapshots.read",
    "secrets.snapshots.write",
    "secrets.tokens.accessors",
  ]);
});
