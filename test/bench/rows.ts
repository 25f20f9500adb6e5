import { commandLine } from "./families/command-line.ts";
import { commands } from "./families/commands.ts";
import { directory } from "./families/directory.ts";
import { exploring } from "./families/exploring.ts";
import { history } from "./families/history.ts";
import { http } from "./families/http.ts";
import { identity } from "./families/identity.ts";
import { interception } from "./families/interception.ts";
import { listener } from "./families/listener.ts";
import { hugeLogs, logs } from "./families/logs.ts";
import { orchestrator } from "./families/orchestrator.ts";
import { policyRuns } from "./families/policy-runs.ts";
import { programs } from "./families/programs.ts";
import { replication } from "./families/replication.ts";
import { scheduler } from "./families/scheduler.ts";
import { snapshots } from "./families/snapshots.ts";
import { startup } from "./families/startup.ts";
import { testing } from "./families/testing.ts";
import { timers } from "./families/timers.ts";
import { tokens } from "./families/tokens.ts";
import { vocabularies } from "./families/vocabularies.ts";
import { work } from "./families/work.ts";
import { worlds } from "./families/worlds.ts";
import { writes } from "./families/writes.ts";
import type { Family } from "./harness/row.ts";

/** The rows of design.md, section 7: what `npm run bench` measures unless it is told otherwise. */
export const USUAL: readonly string[] = [
  "commands-per-second",
  "commands-per-second@1000000",
  "writes-per-second",
  "bytes-per-commit",
  "bytes-per-commit@100000",
  "replay-events-per-second",
  "replay-events-per-second@1000-accounts",
  "seek-*ms",
  "fork-us",
  "import-ms",
  "import-runs-ms",
  "import-scheduler-ms",
  "import-secrets-ms",
  "vitest-import-ms",
  "create-ms",
  "fetch-ratio",
  "timers",
  "program-timers",
  "keeper-day-ms",
  "led-us",
  "journal-us",
  "journal-where-us",
  "year-of-rotations-s",
  "failover-schedules-per-second",
  "explore-schedules-per-second",
  "explore-two-workers",
  "explore-first-schedule-ms",
];

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
  worlds,
  interception,
  timers,
  programs,
  directory,
  policyRuns,
  scheduler,
  snapshots,
  identity,
  orchestrator,
  replication,
  exploring,
  testing,
  hugeLogs,
];
