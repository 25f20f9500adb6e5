import type { Difference } from "./compare.ts";
import type { RecordedRequest } from "./recording.ts";

/** Why an answer differs where the recording does not say so itself. */
export interface Reason {
  readonly grade: "decided" | "version";
  readonly ref: string;
}

interface Decision extends Reason {
  /** The requests that it is about; absent where it is about all. */
  readonly ids?: readonly string[];
  /** The places of their answers at which they differ. */
  readonly at: RegExp;
}

const ENVELOPED = /^(status|header\.|body)/;

/** Lines of the contract that stand above what was recorded. */
const DECISIONS: readonly Decision[] = [
  {
    ids: ["http-096", "http-097", "http-098"],
    at: /^(header\.|body)/,
    grade: "decided",
    ref: "core A.1, Error body and Header on every response: JSON with errors, no-store",
  },
  {
    ids: ["token-161"],
    at: ENVELOPED,
    grade: "decided",
    ref: "core A.7, Revoke: unknown token is 204; 5 is one as a text",
  },
  {
    ids: ["ldapcfg-005", "ldapstatic-041"],
    at: /^body\.data\.ttl$/,
    grade: "decided",
    ref: "amendments S13: ttl of a role that was never rotated stays",
  },
  {
    ids: ["leases-019", "leases-020", "leases-038"],
    at: ENVELOPED,
    grade: "version",
    ref: "real-clients.md, H4: paths that the newer of the two releases has no more",
  },
  {
    at: /\.running_plugin_version$/,
    grade: "version",
    ref: "6: versions of what is built in",
  },
  {
    ids: ["leases-023", "leases-024"],
    at: /^body\.data\.keys$/,
    grade: "version",
    ref: "6: root token of the dev mode, which has a lease",
  },
];

/** What decides a difference although the recording calls it wrong; undefined where nothing does. */
export function decisionOn({ id }: RecordedRequest, { place }: Difference): Reason | undefined {
  return DECISIONS.find(({ ids, at }) => ids?.includes(id) !== false && at.test(place));
}

/** The requests that are named, so that a test finds names of none. */
export const DECIDED_IDS: readonly string[] = DECISIONS.flatMap(({ ids = [] }) => ids);
