import type { Command } from "../../kernel/commit.ts";
import type { SecretsCaller } from "./declare.ts";
import type { Answered } from "./door.ts";
import type { Malformed } from "./read-request.ts";

/** An answer for the wire, which may come from before any handler, and what was found out on the way to it. */
export interface HttpAnswered {
  readonly answered: Answered | Unheard;
  readonly operation?: string | undefined;
  readonly caller?: SecretsCaller;
  /** The request as the log would have it, where it came so far. */
  readonly command?: Command | undefined;
  /** What was asked for, below its namespace. */
  readonly path?: string;
  /** Known routes like the one asked for, when none fitted. */
  readonly nearest?: readonly string[] | undefined;
}

/** The answer to what is malformed. */
export interface Unheard extends Malformed {
  readonly ok: false;
  readonly refusal?: undefined;
  readonly commit?: undefined;
  readonly raw?: undefined;
}
