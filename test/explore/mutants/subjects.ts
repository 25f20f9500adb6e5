import { keeper } from "./keeper.ts";
import { operator } from "./operator.ts";
import { poller } from "./poller.ts";
import { pool } from "./pool.ts";
import { reader } from "./reader.ts";
import { runbook } from "./runbook.ts";
import type { Subject } from "./subject.ts";
import { watcher } from "./watcher.ts";

/** The programs of test/programs and two around failovers, each with what may be wrong with it. */
export const subjects: readonly Subject[] = [keeper, pool, poller, watcher, runbook, operator, reader];
