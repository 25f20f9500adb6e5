import { type Fact, fact } from "../kit/why.ts";

/** Where it is said what is not simulated. */
const LIMITS = "README.md#what-is-not-simulated";

/** What the real service has and hindcast has not, by the beginnings of paths and the types of engines (real-clients.md). */
const ABSENT: readonly (readonly [beginning: string, what: string])[] = [
  ["sys/audit", "audit devices"],
  ["sys/quotas", "quotas"],
  ["sys/metrics", "metrics"],
  ["sys/policies/rgp", "role governing policies"],
  ["sys/policies/egp", "endpoint governing policies"],
  ["transit", "the transit engine"],
  ["pki", "the PKI engine"],
  ["database", "the database engine"],
  ["ssh", "the SSH engine"],
  ["totp", "the TOTP engine"],
];

/** Says of a path or a type that it is not simulated, where the real service has it. */
export function notSimulated(asked: string): Fact | undefined {
  const found = ABSENT.find(([beginning]) => asked === beginning || asked.startsWith(`${beginning}/`));
  return found && fact("limit", `${found[1]}: not simulated, see ${LIMITS}`);
}
