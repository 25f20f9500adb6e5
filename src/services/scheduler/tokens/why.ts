import type { Recorded } from "../../../kernel/event-index.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import { type Fact, fact, recorded, textGiven, when } from "../../kit/why.ts";
import type { SchedulerMet } from "../explaining.ts";
import { type RegionName, secretKey } from "../ids.ts";
import { regionNamed, schedulerOf } from "../world.ts";
import type { TokenContent } from "./state.ts";

/** The region that a request named, or that it came to. */
export function regionAsked(met: SchedulerMet): RegionName {
  return (textGiven(met, "region") || met.caller.region) as RegionName;
}

/** Who asks, by the accessor of the secret that was sent, which is not told. */
export function callerFacts(met: SchedulerMet): readonly Fact[] {
  const { token } = met.caller;
  if (token === undefined) return [fact("token", "no token was sent: the policy anonymous applies")];
  const made = madeOf(met, ({ secret }) => secretKey(secret) === secretKey(token));
  return made === undefined
    ? [fact("token", `the token that was sent is none that was made here, and region ${regionAsked(met)} was asked`)]
    : tokenFacts(met, made.data.token);
}

/** The token with an accessor: which commit made it, and which one ended it. */
export function accessorFacts(met: SchedulerMet, accessor: string): readonly Fact[] {
  const made = madeOf(met, (token) => token.accessor === accessor);
  return made === undefined
    ? [fact("token", "the accessor that was given is none of a token that was made here")]
    : tokenFacts(met, made.data.token);
}

type Made = Recorded<{ readonly token: TokenContent }>;

function madeOf({ past }: SchedulerMet, fits: (token: TokenContent) => boolean): Made | undefined {
  return (
    past.last("AclTokenCreated", ({ token }) => fits(token)) ?? past.last("AclBootstrapped", ({ token }) => fits(token))
  );
}

function tokenFacts(met: SchedulerMet, { accessor, name, rights, expiry, global }: TokenContent): readonly Fact[] {
  const region = regionAsked(met);
  const called = `token ${accessor}${name === "" ? "" : ` (${name})`}`;
  const held = regionNamed(schedulerOf(met.state), region)?.tokens.get(accessor);
  const made = madeOf(met, (token) => token.accessor === accessor);
  const end =
    met.past.last("AclTokenDeleted", (data) => data.accessor === accessor) ??
    met.past.last("AclTokensCollected", ({ accessors }) => accessors.includes(accessor));
  const life = expiry === undefined ? "without an end" : `until ${rfc3339(expiry.atMs)}`;
  const policies = rights.type === "management" ? "management" : `policies ${rights.policies.join(", ") || "none"}`;
  const text = `it was made ${made === undefined ? "" : when(made)} ${life}, ${global ? "global" : "local"}, ${policies}`;
  const state =
    held === undefined ? `${called} is not held by region ${region}` : `${called} is held by region ${region}`;
  return [
    held === undefined ? (recorded("token", `${called} ended`, end) ?? fact("token", state)) : fact("token", state),
    { kind: "token", ...(made && { position: made.position }), text },
  ];
}
