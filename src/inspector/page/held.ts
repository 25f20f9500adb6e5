import { bytesOfBase85 } from "../base85.ts";

/** What an element of the page holds as base85. */
export function held(id: string): Uint8Array<ArrayBuffer> {
  return bytesOfBase85(document.getElementById(id)?.textContent ?? "");
}

/** The text that an element holds, by gzip. */
export function heldText(id: string): Promise<string> {
  return new Response(new Blob([held(id)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
