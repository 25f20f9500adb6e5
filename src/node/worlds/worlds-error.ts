/** Why worlds refuse something. */
export type WorldsFault = "unknown_world" | "too_many_worlds" | "too_many_bytes";

const STATUSES: { readonly [F in WorldsFault]: number } = {
  unknown_world: 404,
  // Source: RFC 4918, 11.5: what is asked for cannot be kept.
  too_many_worlds: 507,
  too_many_bytes: 507,
};

/**
 * What worlds throw where there is no such world, or no room for one more.
 *
 * @example
 * try { await worlds.create() } catch (error) { if (error instanceof WorldsError) console.log(error.code); }
 */
export class WorldsError extends Error {
  override readonly name = "WorldsError";
  readonly code: WorldsFault;
  /** The status of an answer over HTTP. */
  readonly status: number;

  constructor(code: WorldsFault, message: string) {
    super(message);
    this.code = code;
    this.status = STATUSES[code];
  }
}
