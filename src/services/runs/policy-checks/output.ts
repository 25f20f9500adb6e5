import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { EpochMs } from "../../../kernel/brand.ts";
import { encodedSegment } from "../documents.ts";
import type { PolicyCheckId } from "../ids.ts";
import { type RunsWorld, runServiceOf } from "../world.ts";
import type { PolicyCheck } from "./state.ts";

// Source of all rules in this file: decisions-policy-checks.md, 4.7.

/** A link to an output works for 25 hours from its issue. */
const LINK_LIFETIME_MS = 25 * 3_600_000;

const TARGET = "/policy-check-outputs/";

/**
 * Where the output of a check is read without a token: the check, the instant of the issue, and a digest of both. It is
 * derived and stored nowhere, so a fork or a replay honours it too.
 */
export function outputTarget(world: RunsWorld, id: PolicyCheckId, check: PolicyCheck, issuedAtMs: EpochMs): string {
  const digest = digestOf(world, id, check, `${issuedAtMs}`);
  return `${runServiceOf(world).url}${TARGET}${encodedSegment(id)}/${issuedAtMs}/${digest}`;
}

/** What a target of such a link asks for; undefined for any other path. */
export interface OutputAsked {
  readonly id: string;
  readonly issued: string;
  readonly digest: string;
}

/** Reads the segments of a path. */
export function outputAskedIn(segments: readonly string[]): OutputAsked | undefined {
  const [before, folder, id, issued, digest, ...more] = segments;
  if (before !== "" || `/${folder}/` !== TARGET || more.length > 0) return undefined;
  return id === undefined || issued === undefined || digest === undefined ? undefined : { id, issued, digest };
}

/** The text behind a link; undefined for one that was tampered with or whose time is over. */
export function outputBehind(
  world: RunsWorld,
  nowMs: EpochMs,
  { id, issued, digest }: OutputAsked,
): string | undefined {
  const check = runServiceOf(world).policyChecks.get(id);
  if (check === undefined || !/^\d{1,15}$/.test(issued)) return undefined;
  if (digest !== digestOf(world, id as PolicyCheckId, check, issued)) return undefined;
  return nowMs >= Number(issued) + LINK_LIFETIME_MS ? undefined : outputOf(check);
}

function digestOf(world: RunsWorld, id: PolicyCheckId, { run }: PolicyCheck, issued: string): string {
  const { runs, workspaces, organizations } = runServiceOf(world);
  const workspace = workspaces.get(runs.get(run)?.workspace ?? "");
  const key = organizations.get(workspace?.organization ?? "")?.linkKey ?? "";
  return bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(JSON.stringify([id, issued]))));
}

/** The log of an ended check; undefined while there is nothing to read. An override does not change it. */
export function outputOf({ result, policies }: PolicyCheck): string | undefined {
  if (result === null) return undefined;
  const lines = [`Result: ${result.result}`, "", `${policies.length} policies evaluated.`, ""];
  policies.forEach(({ name, level, result: held }, index) => {
    lines.push(`## Policy ${index + 1}: ${name} (${level})`, "", `Result: ${held === true}`, "");
  });
  return `${lines.join("\n")}\n`;
}
