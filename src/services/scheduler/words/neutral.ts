import type { NeutralWords } from "../../../languages/vocabulary/ambiguity.ts";
import { PARAMETERS } from "../query.ts";
import { schedulerRegistry } from "../registry.ts";
import { ALL_WORDS } from "../rules/words.ts";

/** The words of this service, of which none can be an own word of something else. */
export function schedulerWords(): NeutralWords {
  const operations = [...schedulerRegistry.byName.values()];
  return {
    headers: [
      "X-Scheduler-Token",
      "X-Scheduler-Index",
      "X-Scheduler-KnownLeader",
      "X-Scheduler-LastContact",
      "X-Scheduler-NextToken",
      "Authorization",
      "Content-Type",
    ],
    segments: operations.flatMap(({ path }) =>
      path.split("/").filter((segment) => segment !== "" && !segment.startsWith(":")),
    ),
    fields: [...operations.flatMap(({ fields }) => Object.keys(fields)), ...SHOWN],
    values: ["client", "management", ...ALL_WORDS],
    prefixes: [],
  };
}

/** Members of answers, and parameters of queries. */
const SHOWN = [
  "Name",
  "Description",
  "Rules",
  "CreateIndex",
  "ModifyIndex",
  "AccessorID",
  "SecretID",
  "Type",
  "Policies",
  "Global",
  "Roles",
  "ID",
  "CreateTime",
  "ExpirationTTL",
  "ExpirationTime",
  "Index",
  "OneTimeToken",
  "Token",
  "ExpiresAt",
  "Quota",
  "Capabilities",
  "Meta",
  "server",
  "message",
  "ok",
  "config",
  "Region",
  "Datacenter",
  "Version",
  "ACL",
  "Enabled",
  "Server",
  "member",
  "Addr",
  "Port",
  "Status",
  "Tags",
  "dc",
  "build",
  "stats",
  "raft",
  "state",
  "applied_index",
  ...Object.keys(PARAMETERS),
  "pretty",
];
