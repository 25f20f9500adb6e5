/** The signature algorithms that named keys have, in the order in which the contract lists them. */
export const ALGORITHMS = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The hash that goes with an algorithm. Source: decisions-oidc.md, 11 "ID token": EdDSA has SHA-512. */
export function hashOfAlgorithm(algorithm: Algorithm): "sha256" | "sha384" | "sha512" {
  switch (algorithm) {
    case "RS256":
    case "ES256":
      return "sha256";
    case "RS384":
    case "ES384":
      return "sha384";
    case "RS512":
    case "ES512":
    case "EdDSA":
      return "sha512";
    default:
      return algorithm satisfies never;
  }
}
