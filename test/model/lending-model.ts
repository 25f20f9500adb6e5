import type { SecretsClient, Simulator } from "../../src/index.ts";
import { createSimulator } from "../support/checked.ts";

/** Accounts that exist in the directory, in an order of their own. */
export const ACCOUNTS = ["svc-a", "svc-b", "svc-c"] as const;
export type Account = (typeof ACCOUNTS)[number];

export const SETS = ["ops", "dev"] as const;
export type SetName = (typeof SETS)[number];

/** Ann has two tokens of one entity; Bob's token has none. */
export const BORROWERS = ["ann", "annsOther", "bob"] as const;
export type Borrower = (typeof BORROWERS)[number];

const SECOND_MS = 1000;
/** The times of every set of this model. */
export const TTL_SECONDS = 600;
export const MAX_TTL_SECONDS = 1500;
const RETRY_SECONDS = [20, 40, 80, 160, 320];

/** A loan as a person would write it down. */
interface Loan {
  readonly borrower: Borrower;
  readonly issuedAtMs: number;
  expiresAtMs: number;
  /** The next attempt to take it back; none when nothing tries any more. */
  attemptAtMs: number | undefined;
  failedAttempts: number;
}

/** What a small notebook knows: lists, loans, time, and whether the directory answers. */
export class LendingModel {
  nowMs = Date.UTC(2026, 0, 1);
  directoryUp = true;
  readonly sets = new Map<SetName, Account[]>();
  readonly loans = new Map<Account, Loan>();

  copy(): LendingModel {
    const copy = new LendingModel();
    copy.nowMs = this.nowMs;
    copy.directoryUp = this.directoryUp;
    for (const [set, names] of this.sets) copy.sets.set(set, [...names]);
    for (const [account, loan] of this.loans) copy.loans.set(account, { ...loan });
    return copy;
  }

  setOf(account: Account): SetName | undefined {
    return [...this.sets].find(([, names]) => names.includes(account))?.[0];
  }

  available(set: SetName): Account[] {
    return (this.sets.get(set) ?? []).filter((account) => !this.loans.has(account));
  }

  lentFrom(set: SetName): Account[] {
    return (this.sets.get(set) ?? []).filter((account) => this.loans.has(account));
  }

  isBorrower(who: Borrower, account: Account): boolean {
    const person = (borrower: Borrower): string => (borrower === "annsOther" ? "ann" : borrower);
    const loan = this.loans.get(account);
    return loan !== undefined && person(loan.borrower) === person(who);
  }

  lend(account: Account, borrower: Borrower, seconds: number): void {
    const expiresAtMs = this.nowMs + seconds * SECOND_MS;
    const loan = { borrower, issuedAtMs: this.nowMs, expiresAtMs, attemptAtMs: expiresAtMs, failedAttempts: 0 };
    this.loans.set(account, loan);
  }

  /** Time passes; what is due is taken back in the order of its instants, unless the directory refuses. */
  advance(seconds: number): void {
    const untilMs = this.nowMs + seconds * SECOND_MS;
    for (let due = this.#nextDue(untilMs); due !== undefined; due = this.#nextDue(untilMs)) {
      const [account, loan] = due;
      this.nowMs = loan.attemptAtMs ?? this.nowMs;
      if (this.directoryUp) this.loans.delete(account);
      else this.failedToTakeBack(loan);
    }
    this.nowMs = untilMs;
  }

  failedToTakeBack(loan: Loan): void {
    const wait = RETRY_SECONDS[loan.failedAttempts];
    loan.failedAttempts += 1;
    loan.attemptAtMs = wait === undefined ? undefined : this.nowMs + wait * SECOND_MS;
  }

  #nextDue(untilMs: number): [Account, Loan] | undefined {
    const due = [...this.loans].filter(([, { attemptAtMs = Number.POSITIVE_INFINITY }]) => attemptAtMs <= untilMs);
    due.sort(([, left], [, right]) => (left.attemptAtMs ?? 0) - (right.attemptAtMs ?? 0));
    return due[0];
  }
}

/** The real thing: a simulator, and the doors of everybody. It changes when a run goes on in a fork. */
export class LendingReal {
  sim: Simulator;
  readonly tokens: Readonly<Record<Borrower, string>>;
  readonly leases = new Map<Account, string>();

  constructor(seed: number) {
    this.sim = createSimulator({ seed });
    const main = this.sim.secrets.cluster("main");
    for (const account of ACCOUNTS) this.sim.directory.addEntry(`cn=${account},dc=example,dc=com`, { cn: account });
    this.operator.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
    main.writePolicy("all", 'path "*" { capabilities = ["create", "read", "update", "delete", "list"] }');
    const token = (entityId: string): string => main.createToken({ policies: ["all"], entityId }).token;
    this.tokens = { ann: token("ann"), annsOther: token("ann"), bob: token("") };
  }

  get operator(): SecretsClient {
    const main = this.sim.secrets.cluster("main");
    return main.as(main.rootToken);
  }

  as(borrower: Borrower): SecretsClient {
    return this.sim.secrets.cluster("main").as(this.tokens[borrower]);
  }
}
