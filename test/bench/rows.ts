import { commands } from "./families/commands.ts";
import { history } from "./families/history.ts";
import { http } from "./families/http.ts";
import { listener } from "./families/listener.ts";
import { hugeLogs, logs } from "./families/logs.ts";
import { policyRuns } from "./families/policy-runs.ts";
import { scheduler } from "./families/scheduler.ts";
import { startup } from "./families/startup.ts";
import { timers } from "./families/timers.ts";
import { tokens } from "./families/tokens.ts";
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
  http,
  listener,
  timers,
  policyRuns,
  scheduler,
  hugeLogs,
];
