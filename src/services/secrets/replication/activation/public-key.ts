import { bytesOfPoint, pointOfBytes, publicPointOfSeed } from "../../../../languages/jws/encrypted.ts";
import type { Point } from "../../../../languages/jws/weierstrass.ts";
import { bytesOf, toBase64 } from "../../bytes.ts";
import type { Replicating, ReplicationKind, SecondaryKey } from "../state.ts";

/** Public keys by what they are made of. */
const rendered = new WeakMap<SecondaryKey, string>();

/** The public half, as whoever makes tokens gets it: a point of P-521 in base64. */
export function publicKeyText(key: SecondaryKey): string {
  let text = rendered.get(key);
  if (text === undefined) {
    text = toBase64(bytesOfPoint(publicPointOfSeed(key.seed)));
    rendered.set(key, text);
  }
  return text;
}

/** The point that such a text stands for; undefined for what is no public key. */
export function pointOfPublicKey(text: string): Point | undefined {
  const bytes = bytesOf(text);
  return bytes === undefined ? undefined : pointOfBytes(bytes);
}

/** A cluster has one for each kind: it lies where that kind's role does. */
export function secondaryKeyOf({ ignored, local }: Replicating, kind: ReplicationKind): SecondaryKey | undefined {
  return kind === "dr" ? ignored.secondaryKey : local.secondaryKey;
}
