import { commandLine } from "./families/command-line.ts";
import { commands } from "./families/commands.ts";
import { directory } from "./families/directory.ts";
import { history } from "./families/history.ts";
import { http } from "./families/http.ts";
import { identity } from "./families/identity.ts";
import { interception } from "./families/interception.ts";
import { listener } from "./families/listener.ts";
import { hugeLogs, logs } from "./families/logs.ts";
import { orchestrator } from "./families/orchestrator.ts";
import { policyRuns } from "./families/policy-runs.ts";
import { replication } from "./families/replication.ts";
import { scheduler } from "./families/scheduler.ts";
import { snapshots } from "./families/snapshots.ts";
import { startup } from "./families/startup.ts";
import { testing } from "./families/testing.ts";
import { timers } from "./families/timers.ts";
import { tokens } from "./families/tokens.ts";
import { vocabularies } from "./families/vocabularies.ts";
import { work } from "./families/work.ts";
import { writes } from "./families/writes.ts";
import type { Family } from "./harness/row.ts";

/** Every family, in the order of design.md, section 7. */
export const families: readonly Family[] = [
  commands,
  work,
  writes,
  tokens,
  history,
  logs,
  startup,
  commandLine,
  http,
  vocabularies,
  listener,
  interception,
  timers,
  directory,
  policyRuns,
  scheduler,
  snapshots,
  identity,
  orchestrator,
  replication,
  testing,
  hugeLogs,
];
