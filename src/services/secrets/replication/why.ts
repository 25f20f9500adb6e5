import { formatDuration } from "../../../languages/duration.ts";
import {
  argument,
  argumentsTogether,
  type Fact,
  fact,
  recorded,
  shownArgument,
  textGiven,
  when,
} from "../../kit/why.ts";
import { gate, ofCluster, type SecretsExplainers, type SecretsMet } from "../explaining.ts";
import type { InCluster } from "../place.ts";
import { callerFacts } from "../tokens/why.ts";
import { clusterOf } from "../world.ts";
import type { ReindexRefusals } from "./merkle/rejections.ts";
import type { OperationTokenRefusals } from "./operation-tokens/rejections.ts";
import { TOKEN_LENGTH } from "./operation-tokens/state.ts";
import type { ReplicationRefusals } from "./rejections.ts";
import { roleOf } from "./roles.ts";
import type { ReplicationKind } from "./state.ts";

/** Facts after which a cluster has another role. */
const ROLE_CHANGES = [
  "ReplicationPrimaryEnabled",
  "ReplicationPrimaryDemoted",
  "ReplicationDisabled",
  "ReplicationSecondaryEnabled",
  "SecondaryPromoted",
] as const;

/** What a cluster is in a kind of replication, and which commit made it so. */
export function roleFact(met: SecretsMet, kind: ReplicationKind): Fact {
  const { mode } = roleOf(clusterOf(met.state, met.caller.cluster), kind);
  const changed = ROLE_CHANGES.map((type) =>
    met.past.last(type, (data) => ofCluster(met)(data) && data.kind === kind),
  ).reduce((last, one) => ((one?.position ?? 0) > (last?.position ?? 0) ? one : last), undefined);
  const name = kind === "dr" ? "disaster-recovery" : "performance";
  return gate(`${name} replication of ${met.caller.cluster} is ${mode}`, changed);
}

/** What connects a secondary to its primary. */
function linkFacts(met: SecretsMet): readonly Fact[] {
  const { past, caller } = met;
  const cut = past.last("LinkCut", ({ a, b }) => a["cluster"] === caller.cluster || b["cluster"] === caller.cluster);
  const isOther = ({ cluster }: InCluster): boolean => cluster !== caller.cluster;
  return [
    roleFact(met, "performance"),
    recorded("fault", "a link of it was cut last", cut),
    recorded("fault", "another cluster was stopped last", past.last("ClusterStopped", isOther)),
    recorded("fault", "another cluster lost its active node last", past.last("ElectionStarted", isOther)),
  ].filter((one) => one !== undefined);
}

const bothRoles = (met: SecretsMet): readonly Fact[] => [roleFact(met, "dr"), roleFact(met, "performance")];

/** Why replication refuses. */
export const replicationWhy: SecretsExplainers<ReplicationRefusals & OperationTokenRefusals & ReindexRefusals> = {
  changing_role: (met) => {
    const { replication } = clusterOf(met.state, met.caller.cluster).ignored;
    const outage = formatDuration(replication.roleChangeOutageMs);
    return [fact("configured", `a change of role takes ${outage} (roleChangeOutage)`), ...bothRoles(met)];
  },
  dr_secondary: (met) => [roleFact(met, "dr")],
  forwarding_failed: linkFacts,

  replication_enabled: (met, { kind }) => [roleFact(met, kind)],
  not_a_primary: (met, { kind }) => [roleFact(met, kind)],
  not_a_secondary: (met, { kind }) => [roleFact(met, kind)],
  dr_operation_token_missing: (met) => [
    ...argument("dr_operation_token", "a DR operation token")(met, {}),
    roleFact(met, "dr"),
  ],
  dr_operation_token_unknown: (met) => {
    const given = textGiven(met, "dr_operation_token");
    const made = met.past.last("DrOperationTokenCreated", ({ token }) => token === given);
    const end = met.past.last("DrOperationTokenDeleted", ({ token }) => token === given);
    return [
      recorded("token", "the operation token was deleted", end) ??
        recorded("token", `the operation token is one of ${made?.data.cluster}, made`, made) ??
        fact("token", "the operation token is none that was made here"),
      roleFact(met, "dr"),
    ];
  },

  secondary_id_missing: argument("id", "a name for the secondary"),
  secondary_id_malformed: shownArgument("id", "letters, digits, _ and -"),
  secondary_exists: (met, { id }) => [
    recorded("secondary", `a token for ${id} was made`, lastOfSecondary(met, id)) ??
      fact("secondary", `${id} is known`),
  ],
  secondary_token_ttl: argument("ttl", "a time longer than none"),
  public_key_malformed: argument("secondary_public_key", "what generate-public-key of the secondary answers"),
  activation_token_missing: argument("token", "the activation token of a secondary"),
  performance_in_the_way: (met) => [roleFact(met, "performance")],
  activation_token_malformed: argument("token", "the activation token of a secondary"),
  unwrapping_failed: (met, { reason }) => {
    const used = met.past.last("SecondaryTokenUsed", () => true);
    const cut = met.past.last("LinkCut", () => true);
    return [
      fact("reason", reason),
      recorded("secondary", "an activation token was used last", used),
      recorded("fault", "a link was cut last", cut),
    ];
  },
  bootstrap_failed: (met, { address }) => [
    fact("network", `${address} was asked, and nobody was reached`),
    ...linkFacts(met),
  ],
  update_methods_exclusive: argumentsTogether(["token", "update_primary_addrs"], "only one of them"),
  update_method_missing: argumentsTogether(["token", "update_primary_addrs"], "one of them"),
  update_needs_token: bothRoles,
  no_primary_responds: (met) => [
    ...argument("update_primary_addrs", "the address of a primary")(met, {}),
    ...bothRoles(met),
  ],
  cluster_id_differs: bothRoles,
  filter_mode_unknown: (_, { mode, known }) => [
    fact("argument", `mode is ${JSON.stringify(mode)}: ${known.join(" or ")}`),
  ],
  filter_path_refused: (_, { path }) => [fact("argument", `${path} is one that cannot be filtered`)],
  promotion_unsafe: (met, { state }) => [fact("replication", `its state is ${state}`), ...bothRoles(met)],

  generation_in_progress: (met) => [attemptFact(met)],
  generation_otp_length: argument("otp", `a text of ${TOKEN_LENGTH} characters`),
  generation_covers_exclusive: argumentsTogether(["otp", "pgp_key"], "only one of them"),
  pgp_key_malformed: (_, { reason }) => [fact("argument", `pgp_key: ${reason}`)],
  generation_share_missing: argument("key", "a key share"),
  generation_share_not_encoded: argument("key", "a share in hexadecimal or base64"),
  generation_share_length: argument("key", "a share of 16 to 33 bytes"),
  generation_not_started: (met) => [attemptFact(met)],
  generation_nonce_differs: (met) => [attemptFact(met)],
  generation_share_repeated: (met) => [attemptFact(met)],
  generation_aborted: (met) => [
    fact(
      "configured",
      `${clusterOf(met.state, met.caller.cluster).ignored.seal.threshold} shares of one set make its key`,
    ),
    attemptFact(met),
  ],

  reindex_running: (met) => {
    const begun = met.past.last("ReindexStarted", ofCluster(met));
    return [
      recorded("reindex", "a reindex was started", begun) ?? fact("reindex", "a reindex is running"),
      ...callerFacts(met),
    ];
  },
};

function lastOfSecondary(met: SecretsMet, id: string) {
  return met.past.last("SecondaryTokenCreated", (data) => data.id === id);
}

const ATTEMPTS = {
  operation: ["DrOperationTokenAttemptStarted", "DrOperationTokenAttemptCancelled", "DrOperationTokenCreated"],
  root: ["RootTokenAttemptStarted", "RootTokenAttemptCancelled", "RootTokenMade"],
} as const;

/** The attempt at a token by key shares. */
function attemptFact(met: SecretsMet): Fact {
  const made = met.command.name.startsWith("secrets.rootToken.") ? "root" : "operation";
  const [begun, ...ends] = ATTEMPTS[made].map((type) => met.past.last(type, ofCluster(met)));
  const end = ends.find((one) => one !== undefined && one.position > (begun?.position ?? 0));
  const text = begun === undefined ? "no attempt was started here" : `the last attempt was started ${when(begun)}`;
  return recorded("attempt", `${text}, and ended`, end) ?? recordedAt(text, begun);
}

function recordedAt(text: string, found: { readonly position: number } | undefined): Fact {
  return { kind: "attempt", ...(found && { position: found.position }), text };
}
