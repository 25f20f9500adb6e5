import { bytesOfBase64url } from "../../languages/jws/base64url.ts";

/** What an element of the page holds as base64url. */
export function held(id: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytesOfBase64url(document.getElementById(id)?.textContent ?? "") ?? []);
}

/** The text that an element holds, by gzip. */
export function heldText(id: string): Promise<string> {
  return new Response(new Blob([held(id)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
