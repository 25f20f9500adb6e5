import { describe, expect, test } from "vitest";
import type { ClusterHandle } from "../../../../src/index.ts";
import { type Answer, doors, type Fields, type OperationName } from "../../driver.ts";
import {
  activationToken,
  joined,
  KINDS,
  type Kind,
  type ReplicatedWorld,
  replicatedWorld,
  rootOf,
} from "./replicated-world.ts";

// decisions-replication.md, 4: every cell of its table, for both kinds and through both doors.

type Mode = "disabled" | "primary" | "secondary";
const MODES = ["disabled", "primary", "secondary"] as const;

/** A status, and what its text or its warning holds; a gate is the answer of a disaster-recovery secondary to what it does not serve. */
type Cell = readonly [status: number, text?: string] | "gate on dr";

interface Row {
  readonly operation: string;
  readonly fields?: (world: World) => Fields | Promise<Fields>;
  readonly only?: Kind;
  readonly cells: { readonly [M in Mode]: (kind: Kind) => Cell };
}

interface World {
  readonly made: ReplicatedWorld;
  readonly subject: ClusterHandle;
  readonly primary: ClusterHandle;
  readonly kind: Kind;
  readonly token: string;
  readonly operationToken: string;
}

const notPrimary = (): Cell => [400, "not a primary"];
const notSecondary = (kind: Kind): Cell => [400, kind === "dr" ? "not a DR secondary" : "not a secondary"];
const refused = (): Cell => [400];
const gated = (kind: Kind): Cell => (kind === "dr" ? "gate on dr" : [400]);
const done = (text?: string) => (): Cell => (text === undefined ? [204] : [200, text]);

/** What only a primary does. */
const ofPrimary = (primary: () => Cell) => ({ disabled: notPrimary, primary, secondary: gated });
const ofSecondary = (text: string) => ({ disabled: notSecondary, primary: notSecondary, secondary: done(text) });

const withOperationToken = ({ operationToken, kind }: World): Fields =>
  kind === "dr" ? { dr_operation_token: operationToken } : {};

const ROWS: readonly Row[] = [
  {
    operation: "primaryEnable",
    cells: { disabled: done("enabled"), primary: () => [400, "already"], secondary: gated },
  },
  { operation: "primaryDemote", cells: ofPrimary(done("demoted")) },
  { operation: "primaryDisable", cells: ofPrimary(done("disabled")) },
  { operation: "secondaryToken", fields: () => ({ id: "new" }), cells: ofPrimary(() => [200]) },
  { operation: "revokeSecondary", fields: () => ({ id: "new" }), cells: ofPrimary(done()) },
  {
    operation: "pathsFilter.write",
    only: "performance",
    fields: () => ({ id: "b", mode: "deny" }),
    cells: ofPrimary(done()),
  },
  { operation: "pathsFilter.read", only: "performance", fields: () => ({ id: "b" }), cells: ofPrimary(() => [404]) },
  { operation: "pathsFilter.delete", only: "performance", fields: () => ({ id: "b" }), cells: ofPrimary(done()) },
  {
    operation: "mountFilter.write",
    only: "performance",
    fields: () => ({ id: "b", mode: "blacklist" }),
    cells: ofPrimary(done()),
  },
  { operation: "mountFilter.read", only: "performance", fields: () => ({ id: "b" }), cells: ofPrimary(() => [404]) },
  { operation: "mountFilter.delete", only: "performance", fields: () => ({ id: "b" }), cells: ofPrimary(done()) },
  { operation: "dynamicFilter", only: "performance", fields: () => ({ id: "b" }), cells: ofPrimary(() => [404]) },
  {
    operation: "secondaryDynamicFilter",
    only: "performance",
    fields: () => ({ id: "b" }),
    cells: { disabled: refused, primary: refused, secondary: () => [404] },
  },
  {
    operation: "secondaryEnable",
    fields: async ({ primary, kind }) => ({ token: await activationToken(kind, primary, "another") }),
    cells: { disabled: done("secondary information"), primary: refused, secondary: gated },
  },
  { operation: "promote", fields: withOperationToken, cells: ofSecondary("promoted") },
  { operation: "secondaryDisable", fields: withOperationToken, cells: ofSecondary("disabled") },
  {
    operation: "updatePrimary",
    fields: (world) => ({ ...withOperationToken(world), token: "" }),
    cells: ofSecondary("updated"),
  },
];

async function world(kind: Kind, mode: Mode): Promise<World> {
  const made = replicatedWorld(["subject", "lead"]);
  const [subject, primary] = [made.cluster("subject"), made.cluster("lead")];
  primary.as(primary.rootToken).replication[kind].primaryEnable();
  if (mode === "primary") subject.as(subject.rootToken).replication[kind].primaryEnable();
  if (mode === "secondary") await joined(kind, primary, subject);
  const isGated = kind === "dr" && mode === "secondary";
  const operationToken = isGated ? made.operationToken(subject) : "scs.none";
  return { made, subject, primary, kind, operationToken, token: isGated ? subject.rootToken : rootOf(subject) };
}

const textIn = ({ body, errors }: Answer): string =>
  errors ?? JSON.stringify((body as { warnings?: readonly string[] } | undefined)?.warnings ?? "");

const cases = KINDS.flatMap((kind) =>
  ROWS.filter(({ only }) => only === undefined || only === kind).flatMap((row) =>
    MODES.map((mode) => ({ kind, mode, row, name: `${kind}.${row.operation} on a cluster that is ${mode}` })),
  ),
);

describe.each(doors())("through %s,", (_, { open }) => {
  test.each(cases)("$name", async ({ kind, mode, row }) => {
    const set = await world(kind, mode);
    const cell = row.cells[mode](kind);
    const [status, text] = cell === "gate on dr" ? [400, "path disabled in replication DR secondary mode"] : cell;
    const fields = (await row.fields?.(set)) ?? {};
    const before = set.made.sim.stateHash();
    const operation = `replication.${kind}.${row.operation}` as OperationName;
    const answer = await open(set.made.sim, "subject").call(operation, fields, { token: set.token });
    expect(answer).toMatchObject({ status });
    if (text !== undefined) expect(textIn(answer)).toContain(text);
    if (status >= 400) expect(set.made.sim.stateHash(), "what is refused changes nothing").toBe(before);
  });

  // "Mode is checked after authorisation, before body validation."
  test.each(cases.filter(({ mode }) => mode !== "secondary"))(
    "$name asks for a token first",
    async ({ kind, row, mode }) => {
      const set = await world(kind, mode);
      const operation = `replication.${kind}.${row.operation}` as OperationName;
      const asked = { ...(await row.fields?.(set)), ...{ id: "x1" } };
      const answer = await open(set.made.sim, "subject").call(operation, asked, { token: null });
      expect(answer).toMatchObject({ status: 403 });
    },
  );

  test.each([
    ["dr", "disabled", "promote"],
    ["dr", "primary", "promote"],
    ["performance", "primary", "promote"],
    ["performance", "disabled", "promote"],
  ] as const)("the mode of %s, %s is told before a body is looked at", async (kind, mode, verb) => {
    const set = await world(kind, mode);
    const operation = `replication.${kind}.${verb}` as OperationName;
    const answer = await open(set.made.sim, "subject").call(operation, { force: "perhaps" }, { token: set.token });
    expect(answer).toMatchObject({ status: 400, code: "not_a_secondary" });
  });

  describe("a DR secondary", () => {
    const ofToken = ["promote", "secondaryDisable", "updatePrimary"] as const;

    test.each(ofToken)("%s looks at no header token", async (verb) => {
      for (const token of [null, "scs.nobody"]) {
        const set = await world("dr", "secondary");
        const fields = { dr_operation_token: set.operationToken, token: "" };
        const { [verb === "updatePrimary" ? "none" : "token"]: _, ...sent } = fields as Record<string, string>;
        const answer = await open(set.made.sim, "subject").call(`replication.dr.${verb}`, sent, { token });
        expect(answer.status).toBe(200);
      }
    });

    test.each(ofToken)("%s wants an operation token", async (verb) => {
      const set = await world("dr", "secondary");
      const door = open(set.made.sim, "subject");
      const missing = await door.call(`replication.dr.${verb}`, {}, { token: set.token });
      expect(missing).toMatchObject({ status: 400, code: "dr_operation_token_missing" });
      expect(missing.errors).toContain("dr_operation_token");
      for (const wrong of ["scs.nothing", set.subject.rootToken, set.primary.rootToken]) {
        const answer = await door.call(`replication.dr.${verb}`, { dr_operation_token: wrong }, { token: set.token });
        expect(answer).toMatchObject({ status: 403 });
        expect(answer.errors).toContain("permission denied");
      }
    });

    test("an operation token is no header token", async () => {
      const set = await world("dr", "secondary");
      const answer = await open(set.made.sim, "subject").call("tokens.lookupSelf", {}, { token: set.operationToken });
      expect(answer).toMatchObject({ status: 400, code: "dr_secondary" });
    });
  });
});
