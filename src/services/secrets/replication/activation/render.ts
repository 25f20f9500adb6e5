import { hashOfText, hexOf } from "../../../../kernel/hash.ts";
import type { ActivationClaims } from "./claims.ts";

const HEADER = { alg: "ES512", typ: "JWT" };

/** The text of an activation token: claims under a signature. It is made when the answer is, of what was committed. */
export async function renderActivationToken(claims: ActivationClaims): Promise<string> {
  const signed = `${base64Url(JSON.stringify(HEADER))}.${base64Url(JSON.stringify(claims))}`;
  return `${signed}.${base64Url(signatureOf(signed))}`;
}

/** Our choice for now: as long as a signature of P-521, and different for each text. */
function signatureOf(signed: string): string {
  let bytes = "";
  for (let block = 0; bytes.length < 132; block++) {
    const hex = hexOf(hashOfText(`${block} ${signed}`));
    for (let at = 0; at < hex.length; at += 2) bytes += String.fromCharCode(Number.parseInt(hex.slice(at, at + 2), 16));
  }
  return bytes.slice(0, 132);
}

function base64Url(bytes: string): string {
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
