import type { RefusedMove } from "./outcome.ts";

/**
 * What a call throws when the simulated service, or the world's state, refuses it.
 *
 * `code` is stable and meant for programs; the message may improve. `status` is the HTTP status that the same refusal has
 * on the wire. `position` is set when the refusal itself committed facts, such as a token whose last use it was.
 * `refusedMove` is set when a chart said no: it names the state and the guards.
 *
 * @example
 * try { client.library.checkOut({ set_name: "ops" }); }
 * catch (error) { if (error instanceof Rejection && error.code === "no_account_available") wait(); else throw error; }
 */
export class Rejection extends Error {
  override readonly name = "Rejection";
  readonly code: string;
  readonly status: number;
  readonly data: object;
  // Declared, and not a field: it is not there at all where nothing was committed.
  declare readonly position?: number;
  declare readonly refusedMove?: RefusedMove;

  constructor(refusal: {
    code: string;
    status: number;
    data: object;
    message: string;
    position?: number | undefined;
    refusedMove?: RefusedMove | undefined;
  }) {
    super(refusal.message);
    this.code = refusal.code;
    this.status = refusal.status;
    this.data = refusal.data;
    if (refusal.position !== undefined) this.position = refusal.position;
    if (refusal.refusedMove !== undefined) this.refusedMove = refusal.refusedMove;
  }
}
