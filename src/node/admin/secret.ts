import { randomBytes } from "node:crypto";

const SECRET_BYTES = 24;

/** A secret that nobody guesses. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}
