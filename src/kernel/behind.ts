import type { EpochMs, LogPosition } from "./brand.ts";
import type { Command } from "./commit.ts";
import type { Refusal } from "./outcome.ts";

/** What stands behind a refusal. */
export interface Behind {
  /** The line of time on which it was refused. */
  readonly origin: object;
  /** The commit that was made nevertheless, or else the last one before. */
  readonly position: LogPosition;
  readonly atMs: EpochMs;
  readonly committed: boolean;
  /** What was asked, as the log has it or would have it. */
  readonly command: Command;
  readonly refusal: Refusal;
  /** What was looked at; absent where facts were kept, and where it is to be sought at the position. */
  readonly state?: unknown;
}
