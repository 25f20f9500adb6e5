import * as v from "valibot";
import { instant, objectOf, optionsSchema, readArgument } from "../../../kernel/arguments.ts";
import { epochMs } from "../../../kernel/brand.ts";
import { setOwn } from "../../../languages/objects.ts";
import { flagOf, textOf } from "../arguments.ts";
import type { RunsRecorder } from "../declare.ts";
import { type ApiTokenId, newApiToken, newId, type OrganizationName } from "../ids.ts";
import { refuse } from "../rejections.ts";
import { runServiceOf } from "../world.ts";
import { type Grants, type TokenRecord, WORKSPACE_GRANTS, type WorkspaceGrant } from "./state.ts";

const grants = optionsSchema({
  owner: v.optional(flagOf("owner"), false),
  managePolicies: v.optional(flagOf("managePolicies"), false),
  managePolicyOverrides: v.optional(flagOf("managePolicyOverrides"), false),
  workspaces: v.optional(
    v.pipe(
      objectOf("workspaces is an object"),
      v.transform((given) => new Map(Object.entries(given))),
      v.map(
        v.string(),
        v.array(
          v.picklist(WORKSPACE_GRANTS, `a grant is one of ${WORKSPACE_GRANTS.join(", ")}`),
          "the grants on a workspace are an array",
        ),
      ),
    ),
  ),
});

const newToken = v.pipe(
  optionsSchema({
    kind: v.picklist(["user", "team", "organization"], "kind is user, team or organization"),
    organization: textOf("organization"),
    user: v.optional(textOf("user")),
    team: v.optional(textOf("team")),
    expiresAt: v.optional(instant),
    grants: v.optional(grants, {}),
  }),
  v.check(({ kind, user }) => user === undefined || kind === "user", "user goes with kind user only"),
  v.check(({ kind, team }) => team === undefined || kind === "team", "team goes with kind team only"),
);

/** The options of `sim.runs.createToken`. */
export interface CreateApiTokenOptions {
  readonly kind: "user" | "team" | "organization";
  /** The name of an organization that exists. */
  readonly organization: string;
  /** Whose token it is: all tokens of one user share one rate limit. By default somebody new. */
  readonly user?: string | undefined;
  readonly team?: string | undefined;
  /** From this instant on every request with it is answered 401. By default it never expires. */
  readonly expiresAt?: Date | string | undefined;
  /** What it may do; by default nothing. An organization's token reads everything in it, whatever is granted. */
  readonly grants?:
    | {
        readonly owner?: boolean | undefined;
        readonly managePolicies?: boolean | undefined;
        readonly managePolicyOverrides?: boolean | undefined;
        readonly workspaces?: { readonly [workspace: string]: readonly WorkspaceGrant[] } | undefined;
      }
    | undefined;
}

/** Creates a token of one of the three kinds. */
export function createToken(decision: RunsRecorder, input: unknown): { readonly id: string; readonly token: string } {
  const wanted = readArgument(newToken, "createToken", input);
  const organization = wanted.organization as OrganizationName;
  if (!runServiceOf(decision.state).organizations.has(organization)) {
    return refuse("organization_not_found", { organization });
  }
  const { workspaces, ...flags } = wanted.grants;
  const base = {
    id: newId(decision.draw, "at"),
    organization,
    ...(wanted.expiresAt === undefined ? {} : { expiresAtMs: epochMs(wanted.expiresAt) }),
    grants: { ...flags, workspaces: workspaceGrants(decision, workspaces) },
  };
  const token = newApiToken(decision.draw);
  decision.record({ type: "ApiTokenCreated", data: { token, record: recordOf(decision, base, wanted) } });
  return { id: base.id, token };
}

function recordOf(
  decision: RunsRecorder,
  base: Pick<TokenRecord, "id" | "organization" | "expiresAtMs" | "grants">,
  { kind, user, team }: v.InferOutput<typeof newToken>,
): TokenRecord {
  switch (kind) {
    case "user":
      return { ...base, kind, user: user ?? newId(decision.draw, "user") };
    case "team":
      return { ...base, kind, team: team ?? newId(decision.draw, "team") };
    case "organization":
      return { ...base, kind };
    default:
      return kind satisfies never;
  }
}

/** A grant on a workspace that is not there is a slip; one on another organization's grants nothing, but may be tried. */
function workspaceGrants(
  decision: RunsRecorder,
  given: ReadonlyMap<string, readonly WorkspaceGrant[]> | undefined,
): Grants["workspaces"] {
  const byWorkspace: Record<string, readonly WorkspaceGrant[]> = {};
  for (const [workspace, granted] of given ?? []) {
    if (!runServiceOf(decision.state).workspaces.has(workspace)) refuse("workspace_not_found", { workspace });
    setOwn(byWorkspace, workspace, granted);
  }
  return byWorkspace;
}

/** Revokes a token by its id; one that was revoked before is revoked already. */
export function revokeToken(decision: RunsRecorder, id: string): void {
  const { tokens, tokensById } = runServiceOf(decision.state);
  const token = tokensById.get(id) ?? refuse("token_not_found", { id });
  if (tokens.has(token)) decision.record({ type: "ApiTokenRevoked", data: { id: id as ApiTokenId } });
}
