import { keeper } from "./keeper.ts";
import { poller } from "./poller.ts";
import { pool } from "./pool.ts";
import { runbook } from "./runbook.ts";
import type { Subject } from "./subject.ts";
import { watcher } from "./watcher.ts";

/** The programs of test/programs, each with what may be wrong with it. */
export const subjects: readonly Subject[] = [keeper, pool, poller, watcher, runbook];
