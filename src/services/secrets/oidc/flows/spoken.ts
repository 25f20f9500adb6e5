import { renamedIdentifier } from "../../../../languages/vocabulary/rename.ts";
import type { Speech } from "../../../../languages/vocabulary/shape.ts";
import { providerUrl } from "../../words/members.ts";
import type { PathContext } from "../../words/path.ts";
import { halfHash, type IssuedTokens } from "./exchange.ts";
import type { Claims } from "./state.ts";

/**
 * The claims of an ID token as they are signed for the wire: who checks them compares the issuer with the one that it discovered, and the
 * hash with that of the access token that it was given.
 */
export function spokenClaims(
  { key, accessToken, claims }: Omit<IssuedTokens, "expiresInSeconds">,
  speech: Speech<PathContext>,
): Claims {
  return {
    ...claims,
    iss: providerUrl(claims["iss"], speech, "iss"),
    at_hash: halfHash(key.algorithm, renamedIdentifier(speech.words, accessToken, "own")),
  };
}
