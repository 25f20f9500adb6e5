import type { ClusterHandle } from "../../../../src/services/secrets/cluster-handle.ts";
import { joined, type ReplicatedWorld, replicatedWorld, type SecretsOptions } from "./replicated-world.ts";

/** A primary `a` and its disaster-recovery secondary `b`. */
export interface DrPair extends ReplicatedWorld {
  readonly a: ClusterHandle;
  readonly b: ClusterHandle;
}

export async function drPair(options: SecretsOptions = {}): Promise<DrPair> {
  const world = replicatedWorld(["a", "b", "c"], options);
  const [a, b] = [world.cluster("a"), world.cluster("b")];
  await joined("dr", a, b);
  return { ...world, a, b };
}

/** An operation token of a disaster-recovery secondary, made with key shares as their holders would. */
export async function generatedToken(secondary: ClusterHandle, shares = secondary.keyShares): Promise<string> {
  const { operationToken } = secondary.as().replication.dr;
  const { nonce, otp = "", required } = await operationToken.start();
  let encoded = "";
  for (const key of shares.slice(0, required)) {
    encoded = (await operationToken.update({ key, nonce })).encoded_token;
  }
  return decoded(encoded, otp);
}

/** What an operator does with the two texts, by nothing but base64 and XOR. */
export function decoded(encoded: string, otp: string): string {
  const bytes = Buffer.from(encoded, "base64");
  return String.fromCharCode(...[...bytes].map((byte, index) => byte ^ otp.charCodeAt(index)));
}

export function hexOf(share: string): string {
  return Buffer.from(share, "base64").toString("hex");
}
