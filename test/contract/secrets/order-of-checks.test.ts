import { describe, expect, it } from "vitest";
import { byRule, doors, type Fields, type OperationName, send } from "../driver.ts";
import { expectNothingChanged } from "../expectations.ts";
import { type LibraryWorld, libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, A.3: each request here fails two steps that follow each other, and gets the earlier answer.

const TOO_BIG = new Uint8Array(33_554_433).fill(0x20);
const PATH = "/v1/ldap/library/ops/check-out";

interface Request {
  readonly rule: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** By default one that may do nothing. */
  readonly token?: "root" | "none" | "powerless";
  readonly namespace?: string;
  readonly status: number;
  readonly piece?: string;
}

function world(): LibraryWorld & { readonly powerless: string } {
  const made = libraryWorld();
  made.set("ops", ["svc-1"]);
  const cluster = made.sim.secrets.cluster("main");
  cluster.createNamespace("team");
  return { ...made, powerless: cluster.createToken({ policies: [], noDefaultPolicy: true }).token };
}

// Over HTTP only: methods, bodies, slashes at the end and paths that nobody knows are no part of a typed call.
describe("over HTTP, a request that fails at two steps is told the earlier one", () => {
  const rows: readonly Request[] = [
    { rule: "an unknown method before too large a body", method: "PURGE", path: PATH, body: TOO_BIG, status: 405 },
    { rule: "PATCH of another type before too large a body", method: "PATCH", path: PATH, body: TOO_BIG, status: 415 },
    { rule: "too large a body before one that is no JSON", method: "POST", path: PATH, body: TOO_BIG, status: 413 },
    {
      rule: "a body that is no JSON before an unknown namespace",
      method: "POST",
      path: PATH,
      body: "{",
      namespace: "nowhere",
      status: 400,
      piece: "JSON",
    },
    {
      rule: "a list parameter that is no boolean before an unknown namespace",
      method: "GET",
      path: `${PATH}?list=maybe`,
      namespace: "nowhere",
      status: 400,
    },
    {
      rule: "an unknown namespace before a slash at the end",
      method: "POST",
      path: `${PATH}/`,
      namespace: "nowhere",
      status: 404,
      piece: "namespace not found",
    },
    {
      rule: "a slash at the end before a missing token",
      method: "POST",
      path: `${PATH}/`,
      token: "none",
      status: 400,
      piece: "/",
    },
    {
      rule: "a missing token before a mount that is not there",
      method: "GET",
      path: "/v1/nowhere/x",
      token: "none",
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a token without permission before a mount that is not there",
      method: "GET",
      path: "/v1/nowhere/x",
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a token without permission before a path that is not there",
      method: "GET",
      path: "/v1/ldap/nothing",
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a token without permission before a name that is none",
      method: "POST",
      path: "/v1/ldap/library/-x",
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a token without permission before a verb that is not there",
      method: "DELETE",
      path: "/v1/ldap/library/ops/status",
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a mount that is not there before a path that is not there",
      method: "GET",
      path: "/v1/nowhere/-x",
      token: "root",
      status: 404,
      piece: "no handler for route",
    },
    {
      rule: "a mount that is not in this namespace before its path",
      method: "POST",
      path: "/v1/ldap/library/-x",
      namespace: "team",
      token: "root",
      status: 404,
      piece: "no handler for route",
    },
    {
      rule: "a path that is not there before fields of the wrong type",
      method: "POST",
      path: "/v1/ldap/library/-x/check-out",
      body: '{"ttl": "1w"}',
      token: "root",
      status: 404,
      piece: "unsupported path",
    },
    {
      rule: "a verb that is not there before fields of the wrong type",
      method: "POST",
      path: "/v1/ldap/library/ops/status",
      body: '{"ttl": "1w"}',
      token: "root",
      status: 405,
      piece: "unsupported operation",
    },
    {
      rule: "fields of the wrong type before what the handler says",
      method: "POST",
      path: "/v1/ldap/library/nowhere/check-out",
      body: '{"ttl": "1w"}',
      token: "root",
      status: 400,
      piece: "Field validation failed",
    },
  ];
  it.each(byRule(rows))("%s", async (_rule, { method, path, body, headers, namespace, token, status, piece }) => {
    const { sim, root, powerless } = world();
    const asking = {
      token: token === "root" ? root : token === "none" ? null : powerless,
      ...(namespace === undefined ? {} : { namespace }),
    };
    await expectNothingChanged(sim, async () => {
      const answer = await send(sim, method, path, {
        asking,
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers }),
      });
      expect(answer).toMatchObject({ status, errors: expect.stringContaining(piece ?? "") });
    });
  });
});

describe.each(doors())("through %s, a request that fails at two steps is told the earlier one", (_, { open }) => {
  interface Call {
    readonly rule: string;
    readonly operation: OperationName;
    readonly fields: Fields;
    readonly token?: "root" | "none";
    readonly namespace?: string;
    readonly mount?: string;
    readonly status: number;
    readonly piece: string;
  }
  const rows: readonly Call[] = [
    {
      rule: "an unknown namespace before a missing token",
      operation: "library.read",
      fields: { set_name: "ops" },
      namespace: "nowhere",
      token: "none",
      status: 404,
      piece: "namespace not found",
    },
    {
      rule: "a missing token before a mount that is not there",
      operation: "library.read",
      fields: { set_name: "ops" },
      mount: "nowhere",
      token: "none",
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a token without permission before a mount that is not there",
      operation: "library.write",
      fields: { set_name: "ops" },
      mount: "nowhere",
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a token without permission before a name that is none",
      operation: "library.checkOut",
      fields: { set_name: "-x" },
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a token without permission before fields of the wrong type",
      operation: "library.checkOut",
      fields: { set_name: "ops", ttl: "1w" },
      status: 403,
      piece: "permission denied",
    },
    {
      rule: "a mount that is not there before a name that is none",
      operation: "library.read",
      fields: { set_name: "-x" },
      mount: "nowhere",
      token: "root",
      status: 404,
      piece: "no handler for route",
    },
    {
      rule: "a name that is none before fields of the wrong type",
      operation: "library.write",
      fields: { set_name: "-x", ttl: "1w" },
      token: "root",
      status: 404,
      piece: "unsupported path",
    },
    {
      rule: "fields of the wrong type before a set that is not there",
      operation: "library.checkOut",
      fields: { set_name: "nowhere", ttl: "1w" },
      token: "root",
      status: 400,
      piece: "Field validation failed",
    },
    {
      rule: "fields of the wrong type before a missing lease_id",
      operation: "leases.renew",
      fields: { increment: "1w" },
      token: "root",
      status: 400,
      piece: "Field validation failed",
    },
  ];
  it.each(byRule(rows))("%s", async (_rule, { operation, fields, token, namespace, mount, status, piece }) => {
    const { sim, root, powerless } = world();
    const asking = {
      token: token === "root" ? root : token === "none" ? null : powerless,
      ...(namespace === undefined ? {} : { namespace }),
      ...(mount === undefined ? {} : { mount }),
    };
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call(operation, fields, asking);
      expect(answer).toMatchObject({ status, errors: expect.stringContaining(piece) });
    });
  });
});
