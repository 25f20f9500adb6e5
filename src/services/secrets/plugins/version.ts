import { refuse } from "../rejections.ts";

/** https://semver.org, "Is there a suggested regular expression", with the `v` that the service writes before it. */
const SEMANTIC =
  /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

/** What versions of built-in plugins have in their metadata. */
const BUILT_IN_MARK = "builtin";

/** The version of a request as the catalog has it; undefined for none (decisions-secrets-core.md, C). */
export function readVersion(given: string | undefined): string | undefined {
  if (given === undefined || given === "") return undefined;
  const match = SEMANTIC.exec(given);
  if (match === null) return refuse("plugin_version_invalid", { version: given });
  if (match[5]?.split(".").includes(BUILT_IN_MARK)) refuse("plugin_version_reserved", { version: given });
  return given.startsWith("v") ? given : `v${given}`;
}

/** Which of two versions comes first, by the precedence of semantic versions: below 0 for the first. Metadata does not count. */
export function compareVersions(left: string, right: string): number {
  const [one, other] = [partsOf(left), partsOf(right)];
  for (let index = 0; index < 3; index++) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // What leads up to a version comes before it.
  if (one.before.length === 0 || other.before.length === 0) return other.before.length - one.before.length;
  for (let index = 0; index < Math.max(one.before.length, other.before.length); index++) {
    const difference = compareIdentifiers(one.before[index], other.before[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly before: readonly string[] } {
  const [, major, minor, patch, before = ""] = SEMANTIC.exec(version) ?? [];
  return { numbers: [major, minor, patch].map(Number), before: before === "" ? [] : before.split(".") };
}

function compareIdentifiers(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
  const [isNumber, isOtherNumber] = [left, right].map((text) => /^\d+$/.test(text));
  if (isNumber && isOtherNumber) return Number(left) - Number(right);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}
