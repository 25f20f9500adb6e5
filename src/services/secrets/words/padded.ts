import { isObject } from "../../../languages/objects.ts";
import type { Turn } from "../../../languages/vocabulary/shape.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { bytesOfBase64, toBase64 } from "../bytes.ts";
import { shownRecord } from "./members.ts";
import type { PathContext } from "./path.ts";

/**
 * What gives a token out under a one-time pad (decisions-replication.md, 8.3): what the token begins with is turned below the pad, by what
 * the two words differ in.
 *
 * Our choice: a token that a public key covers, and one whose beginning would change its length, stay as they are. Tokens are taken in
 * either words.
 */
export const padded: Turn<PathContext> = (content, speech, field) => {
  if (!isObject(content)) return content;
  const { encoded_token: token, pgp_fingerprint: cover } = content;
  const isPadded = typeof token === "string" && token !== "" && (cover ?? "") === "";
  if (!isPadded) return shownRecord(content, speech, field);
  const encoded_token = turnedBelowPad(speech.words, token);
  // A root token has two names.
  const again = "encoded_root_token" in content ? { encoded_root_token: encoded_token } : {};
  return shownRecord({ ...content, encoded_token, ...again }, speech, field);
};

function turnedBelowPad({ prefixes }: ServiceWords, encoded: string): string {
  const prefix = prefixes.own.find(({ neutral }) => neutral === SERVICE_TOKEN);
  if (prefix === undefined || prefix.own.length !== prefix.neutral.length) return encoded;
  const differences = [...prefix.neutral].map(
    (character, index) => character.charCodeAt(0) ^ prefix.own.charCodeAt(index),
  );
  const bytes = bytesOfBase64(encoded);
  return toBase64(bytes.map((byte, index) => byte ^ (differences[index] ?? 0))).replaceAll("=", "");
}

/** What tokens of the kind begin with (decisions-secrets-core.md, A.7 "Format"). */
const SERVICE_TOKEN = "scs.";
