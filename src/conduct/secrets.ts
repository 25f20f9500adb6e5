import type { RequestEntry } from "../kernel/journal.ts";
import { formatDuration } from "../languages/duration.ts";
import { shown } from "../languages/shown.ts";
import { isAnswered, isUncertain, type Looking, objectIn, type Rule, ruleNamed, tokenOf } from "./rule.ts";

/**
 * It uses nothing that has ended or was revoked: no token, lease, secret id, code or attempt. What it was refused for tells. What ended on
 * the way of a request was not used after its end.
 *
 * @example
 * expect(usesNothingEnded()(sim.journal, sim, "shop")).toEqual([]);
 */
export function usesNothingEnded(): Rule {
  return ruleNamed("usesNothingEnded", ({ requests, breach }) => {
    for (const entry of requests) {
      const [why = ""] = entry.refusal?.why.split(";") ?? [];
      if (!ENDED.test(why)) continue;
      const [, endedAt] = /\bended at (\S+Z)/.exec(why) ?? [];
      if (endedAt === undefined || Date.parse(endedAt) <= entry.atMs) breach(entry, `used what has ended (${why})`);
    }
  });
}

const ENDED = /\b(ended|was revoked|spent|expired)\b/;

/** A renewal may come up to so much later: clients round to seconds. */
const LATE_MS = 1_000;

/**
 * It renews what it goes on using before so much of its time has passed: tokens that it asks with, and leases that it renews. A try counts,
 * whatever becomes of it. Up to a second later is in time.
 *
 * @param part a fraction as `"2/3"`, or a number above 0 and up to 1
 * @throws TypeError for what is no such fraction
 * @example
 * conduct: [renewsBefore("2/3")]
 */
export function renewsBefore(part: string | number = "2/3"): Rule {
  const fraction = fractionOf(part);
  return ruleNamed("renewsBefore", ({ requests, sim, breach }) => {
    /** By what is renewed: when it was granted, for how long, and whether a renewal was tried since. */
    const grants = new Map<string, { readonly atMs: number; readonly ms: number; tried: boolean; told: boolean }>();
    const use = (entry: RequestEntry, what: string, name: string, renews: boolean): void => {
      const grant = grants.get(what);
      if (grant === undefined) return;
      const lastMs = grant.atMs + grant.ms * fraction + LATE_MS;
      if (!grant.tried && !grant.told && entry.atMs > lastMs) {
        grant.told = true;
        const verb = renews ? "renewed" : "uses";
        const age = formatDuration(entry.atMs - grant.atMs);
        breach(
          entry,
          `${verb} a ${name} ${age} after it was given for ${formatDuration(grant.ms)}, later than ${part} of it`,
        );
      }
      if (renews) grant.tried = true;
    };
    for (const entry of requests) {
      const { operation = "", response, answeredAtMs = entry.atMs } = entry;
      const token = tokenOf(entry, sim);
      const body = objectIn(response?.body);
      const { pathname } = new URL(entry.request.url);
      // What never arrived has no operation: it counts by what it asked for.
      const renewsToken = operation.endsWith(".tokens.renewSelf") || pathname.endsWith("/auth/token/renew-self");
      if (token !== undefined) use(entry, token, "token", renewsToken);
      const lease = objectIn(entry.request.body)["lease_id"];
      const asksForRenewal = operation.includes(".leases.renew") || pathname.endsWith("/sys/leases/renew");
      const renewsLease = asksForRenewal && typeof lease === "string";
      if (renewsLease) use(entry, lease, "lease", true);
      if (!isAnswered(entry) || isUncertain(entry)) continue;
      const auth = objectIn(body["auth"]);
      const given = (what: unknown, seconds: unknown): void => {
        if (typeof what !== "string" || what === "" || typeof seconds !== "number" || seconds <= 0) return;
        grants.set(what, { atMs: answeredAtMs, ms: seconds * 1_000, tried: false, told: false });
      };
      if (auth["renewable"] === true || renewsToken) given(auth["client_token"] ?? token, auth["lease_duration"]);
      if (body["renewable"] === true) given(body["lease_id"], body["lease_duration"]);
    }
  });
}

function fractionOf(part: string | number): number {
  const [, above, below] = (typeof part === "string" && /^(\d+)\/(\d+)$/.exec(part)) || [];
  const fraction = above === undefined ? part : Number(above) / Number(below);
  if (typeof fraction === "number" && fraction > 0 && fraction <= 1) return fraction;
  throw new TypeError(`renewsBefore: ${shown(part)} is no fraction: it is "2/3", or a number above 0 and up to 1`);
}

/**
 * It gives back each account that it borrowed, once, before its time is up, and none that another one borrowed. A return whose answer was
 * lost may be sent again.
 */
export function returnsWhatItBorrowed(): Rule {
  return ruleNamed("returnsWhatItBorrowed", ({ requests, all, program, sim, breach }) => {
    const loans = new Map<string, { readonly entry: RequestEntry; readonly endMs: number }>();
    /** What it may give back, and need not: nobody knows whether it has it. */
    const returning = new Set<string>();
    for (const entry of asDecided(requests)) {
      const { operation = "", response, answeredAtMs = entry.atMs } = entry;
      const body = objectIn(response?.body);
      if (operation.endsWith(".library.checkOut") && isAnswered(entry)) {
        const name = objectIn(body["data"])["service_account_name"];
        const seconds = body["lease_duration"];
        if (typeof name !== "string") continue;
        const account = placed(entry, name);
        if (isUncertain(entry)) {
          returning.add(account);
          continue;
        }
        returning.delete(account);
        const ms = typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : Number.POSITIVE_INFINITY;
        loans.set(account, { entry, endMs: answeredAtMs + ms });
      }
      if (!operation.endsWith(".library.checkIn")) continue;
      const names = objectIn(entry.request.body)["service_account_names"];
      for (const name of Array.isArray(names) ? names : []) {
        const account = placed(entry, String(name));
        if (!loans.has(account) && !returning.has(account)) {
          const holder = borrower(all, entry, String(name));
          const whose = holder === undefined || holder === program ? "it does not have" : `${holder} borrowed`;
          breach(entry, `gives back ${String(name)}, which ${whose}`);
        }
        // What was not done has to be tried again, and what may have been done may be.
        if (isTurnedAway(entry) && !isUncertain(entry)) continue;
        if (loans.delete(account)) returning.add(account);
        if (!isUncertain(entry)) returning.delete(account);
      }
    }
    const nowMs = sim.clock.now();
    for (const [account, { entry, endMs }] of loans) {
      if (endMs <= nowMs)
        breach(
          entry,
          `never gave back ${account.split(" ")[1]}, whose time was up at ${new Date(endMs).toISOString()}`,
        );
    }
  });
}

/** Whether a request was not done, and may be done later on. */
function isTurnedAway({ response }: RequestEntry): boolean {
  return response === undefined || response.status === 429 || response.status >= 500;
}

/** Requests in the order in which they were decided: some are longer on their way than others. What never arrived stays where it set out. */
function asDecided(requests: readonly RequestEntry[]): readonly RequestEntry[] {
  let last = 0;
  const placed = requests.map((entry) => {
    last = Math.max(last, entry.position ?? 0);
    return { entry, position: entry.position ?? last };
  });
  return placed.sort((left, right) => left.position - right.position).map(({ entry }) => entry);
}

/** An account as one set of one service has it. */
function placed({ request }: RequestEntry, account: string): string {
  const { origin, pathname } = new URL(request.url);
  return `${origin}${pathname.replace(/\/check-(in|out)$/, "")} ${account}`;
}

/** Who borrowed an account last before a request. */
function borrower(all: readonly RequestEntry[], before: RequestEntry, account: string): string | undefined {
  return all.findLast(
    (entry) =>
      entry.n < before.n &&
      entry.operation?.endsWith(".library.checkOut") === true &&
      objectIn(objectIn(entry.response?.body)["data"])["service_account_name"] === account,
  )?.program;
}

/** It uses no token, lease or secret that was handed out to another program alone. */
export function holdsNoSecretOfAnother(): Rule {
  return ruleNamed("holdsNoSecretOfAnother", (looking: Looking) => {
    const { all, program, sim, breach } = looking;
    /** Who was handed a secret. */
    const holders = new Map<string, Set<string>>();
    const told = new Set<string>();
    for (const entry of all) {
      if (entry.program === program) {
        for (const used of [tokenOf(entry, sim), ...textsIn(entry.request.body)]) {
          const had = used === undefined ? undefined : holders.get(used);
          if (used === undefined || had === undefined || had.has(program) || told.has(used)) continue;
          told.add(used);
          breach(entry, `uses what was handed to ${[...had].join(" and ")}`);
        }
      }
      if (entry.program === "author") continue;
      for (const secret of handedOut(entry.response?.body)) {
        const had = holders.get(secret) ?? new Set();
        had.add(entry.program);
        holders.set(secret, had);
      }
    }
  });
}

/** Members of answers that hold a secret. */
const SECRETS: ReadonlySet<string> = new Set([
  "client_token",
  "lease_id",
  "secret_id",
  "password",
  "token",
  "service_account_token",
  "encoded_token",
  "SecretID",
  "OneTimeSecretID",
]);

function* handedOut(value: unknown): Generator<string> {
  for (const [name, member] of Object.entries(objectIn(value))) {
    if (typeof member === "string" && member.length > 8 && SECRETS.has(name)) yield member;
    else yield* handedOut(member);
  }
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const member of Object.values(value)) yield* textsIn(member);
}
