import type { AsyncCommand } from "fast-check";
import { expect } from "vitest";
import { Rejection } from "../../src/index.ts";
import { watched } from "../support/checked.ts";
import {
  type Account,
  type Borrower,
  type LendingModel,
  type LendingReal,
  MAX_TTL_SECONDS,
  SETS,
  type SetName,
  TTL_SECONDS,
} from "./lending-model.ts";

type LendingCommand = AsyncCommand<LendingModel, LendingReal>;

/** What a call was refused with; "" when it was done. */
function refusal(call: () => unknown): string {
  try {
    call();
    return "";
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
}

/** A command that can always be tried; it knows from the notebook what has to come of it. */
abstract class Always implements LendingCommand {
  check(): boolean {
    return true;
  }

  async run(model: LendingModel, real: LendingReal): Promise<void> {
    const before = real.sim.position;
    const code = this.does(model, real);
    if (code !== "" && code !== "rotation_failed" && code !== "lease_revocation_failed") {
      expect(real.sim.position).toBe(before);
    }
    agrees(model, real);
  }

  /** Does it in both, compares the outcome, and returns the refusal's code or "". */
  protected abstract does(model: LendingModel, real: LendingReal): string;

  abstract toString(): string;
}

/** Notebook and simulator tell the same. */
function agrees(model: LendingModel, { sim, operator }: LendingReal): void {
  expect(sim.clock.now()).toBe(model.nowMs);
  for (const set of SETS) {
    const names = model.sets.get(set);
    if (names === undefined) {
      expect(refusal(() => operator.library.status({ set_name: set }))).toBe("set_not_found");
      continue;
    }
    const { data } = operator.library.status({ set_name: set });
    expect(Object.entries(data).map(([name, { available }]) => [name, available])).toEqual(
      names.map((name) => [name, !model.loans.has(name)]),
    );
  }
  expect(sim.state.secrets["main"]?.local.leases.size).toBe(model.loans.size);
  const due = [...model.loans.values()].map(({ attemptAtMs }) => attemptAtMs).filter((at) => at !== undefined);
  const armed = sim.clock.pending().filter(({ command }) => command === "timer.leaseRevocation");
  expect(armed.map(({ dueAtMs }) => Number(dueAtMs))).toEqual(due.sort((left, right) => left - right));
}

export class WriteSet extends Always {
  readonly set: SetName;
  readonly names: readonly Account[];

  constructor(set: SetName, names: readonly Account[]) {
    super();
    this.set = set;
    this.names = names;
  }

  protected override does(model: LendingModel, { operator }: LendingReal): string {
    const code = refusal(() =>
      operator.library.write({
        set_name: this.set,
        service_account_names: [...this.names],
        ttl: TTL_SECONDS,
        max_ttl: MAX_TTL_SECONDS,
      }),
    );
    expect(code).toBe(this.#expected(model));
    if (code === "") model.sets.set(this.set, [...this.names]);
    return code;
  }

  #expected(model: LendingModel): string {
    const had = model.sets.get(this.set);
    if (had === undefined && this.names.length === 0) return "set_names_missing";
    const added = this.names.filter((name) => !had?.includes(name));
    if (added.some((name) => model.setOf(name) !== undefined)) return "account_already_managed";
    if (had?.some((name) => !this.names.includes(name) && model.loans.has(name))) return "account_checked_out";
    if (this.names.length === 0) return "set_empty";
    return added.length > 0 && !model.directoryUp ? "rotation_failed" : "";
  }

  override toString(): string {
    return `writeSet(${this.set}, [${this.names.join(", ")}])`;
  }
}

export class DeleteSet extends Always {
  readonly set: SetName;

  constructor(set: SetName) {
    super();
    this.set = set;
  }

  protected override does(model: LendingModel, { operator }: LendingReal): string {
    const code = refusal(() => operator.library.delete({ set_name: this.set }));
    expect(code).toBe(model.lentFrom(this.set).length > 0 ? "account_checked_out" : "");
    if (code === "") model.sets.delete(this.set);
    return code;
  }

  override toString(): string {
    return `deleteSet(${this.set})`;
  }
}

export class CheckOut extends Always {
  readonly set: SetName;
  readonly borrower: Borrower;
  readonly ttlSeconds: number;

  constructor(set: SetName, borrower: Borrower, ttlSeconds: number) {
    super();
    this.set = set;
    this.borrower = borrower;
    this.ttlSeconds = ttlSeconds;
  }

  protected override does(model: LendingModel, real: LendingReal): string {
    const [first] = model.available(this.set);
    const code = refusal(() => {
      const { data, lease_id } = real.as(this.borrower).library.checkOut({ set_name: this.set, ttl: this.ttlSeconds });
      expect(data.service_account_name).toBe(first);
      real.leases.set(data.service_account_name as Account, lease_id);
    });
    expect(code).toBe(!model.sets.has(this.set) ? "set_not_found" : first === undefined ? "no_account_available" : "");
    if (code === "" && first !== undefined) model.lend(first, this.borrower, Math.min(this.ttlSeconds, TTL_SECONDS));
    return code;
  }

  override toString(): string {
    return `checkOut(${this.set}, ${this.borrower}, ${this.ttlSeconds} s)`;
  }
}

export class CheckIn extends Always {
  readonly set: SetName;
  readonly borrower: Borrower | "operator";
  readonly named: Account | undefined;

  constructor(set: SetName, borrower: Borrower | "operator", named: Account | undefined) {
    super();
    this.set = set;
    this.borrower = borrower;
    this.named = named;
  }

  protected override does(model: LendingModel, real: LendingReal): string {
    const names = this.named === undefined ? {} : { service_account_names: [this.named] };
    const argument = { set_name: this.set, ...names };
    const mine = model
      .lentFrom(this.set)
      .filter((account) => this.borrower === "operator" || model.isBorrower(this.borrower, account));
    const expected = this.#expected(model, mine);
    let returned: readonly string[] = [];
    const code = refusal(() => {
      const { data } =
        this.borrower === "operator"
          ? real.operator.library.forceCheckIn(argument)
          : real.as(this.borrower).library.checkIn(argument);
      returned = data.check_ins;
    });
    expect(code).toBe(expected);
    const account = this.named ?? mine[0];
    const given = code === "" && account !== undefined && model.loans.has(account) ? [account] : [];
    expect(returned).toEqual(given);
    for (const name of given) model.loans.delete(name);
    return code;
  }

  #expected(model: LendingModel, mine: readonly Account[]): string {
    if (!model.sets.has(this.set)) return "set_not_found";
    if (this.named === undefined && mine.length > 1) return "check_in_ambiguous";
    if (this.named !== undefined) {
      if (model.setOf(this.named) !== this.set) return "account_not_in_set";
      if (model.loans.has(this.named) && !mine.includes(this.named)) return "account_not_yours";
    }
    const account = this.named ?? mine[0];
    const rotates = account !== undefined && model.loans.has(account);
    return rotates && !model.directoryUp ? "rotation_failed" : "";
  }

  override toString(): string {
    return `checkIn(${this.set}, ${this.borrower}, ${this.named ?? "whatever is lent"})`;
  }
}

export class Renew extends Always {
  readonly account: Account;
  readonly incrementSeconds: number;

  constructor(account: Account, incrementSeconds: number) {
    super();
    this.account = account;
    this.incrementSeconds = incrementSeconds;
  }

  protected override does(model: LendingModel, real: LendingReal): string {
    const lease = real.leases.get(this.account) ?? "none";
    const loan = model.loans.get(this.account);
    const leftSeconds = loan === undefined ? 0 : MAX_TTL_SECONDS - Math.floor((model.nowMs - loan.issuedAtMs) / 1000);
    const code = refusal(() => {
      const answer = real.operator.leases.renew({ lease_id: lease, increment: this.incrementSeconds });
      expect(answer.lease_duration).toBe(Math.min(this.incrementSeconds || TTL_SECONDS, leftSeconds));
    });
    if (loan === undefined || loan.expiresAtMs <= model.nowMs) expect(code).toBe("lease_not_found");
    else if (loan.failedAttempts >= 6) expect(code).toBe("lease_not_renewable");
    else expect(code).toBe("");
    if (code === "" && loan !== undefined) {
      loan.expiresAtMs = model.nowMs + Math.min(this.incrementSeconds || TTL_SECONDS, leftSeconds) * 1000;
      loan.attemptAtMs = loan.expiresAtMs;
    }
    return code;
  }

  override toString(): string {
    return `renew(${this.account}, ${this.incrementSeconds} s)`;
  }
}

export class Revoke extends Always {
  readonly account: Account;

  constructor(account: Account) {
    super();
    this.account = account;
  }

  protected override does(model: LendingModel, real: LendingReal): string {
    const lease = real.leases.get(this.account) ?? "none";
    const loan = model.loans.get(this.account);
    const code = refusal(() => real.operator.leases.revoke({ lease_id: lease }));
    expect(code).toBe(loan !== undefined && !model.directoryUp ? "lease_revocation_failed" : "");
    if (loan !== undefined && code === "") model.loans.delete(this.account);
    if (loan !== undefined && code !== "") model.failedToTakeBack(loan);
    return code;
  }

  override toString(): string {
    return `revoke(${this.account})`;
  }
}

export class Advance extends Always {
  readonly seconds: number;

  constructor(seconds: number) {
    super();
    this.seconds = seconds;
  }

  protected override does(model: LendingModel, { sim }: LendingReal): string {
    sim.clock.advance(this.seconds * 1000);
    model.advance(this.seconds);
    return "";
  }

  override toString(): string {
    return `advance(${this.seconds} s)`;
  }
}

export class Directory extends Always {
  readonly up: boolean;

  constructor(up: boolean) {
    super();
    this.up = up;
  }

  protected override does(model: LendingModel, { sim }: LendingReal): string {
    sim.directory.setAvailable(this.up);
    model.directoryUp = this.up;
    return "";
  }

  override toString(): string {
    return `directory(${this.up ? "up" : "down"})`;
  }
}

/** The next password change fails, once. */
export class FailNext extends Always {
  readonly account: Account;

  constructor(account: Account) {
    super();
    this.account = account;
  }

  protected override does(model: LendingModel, real: LendingReal): string {
    const loan = model.loans.get(this.account);
    const set = model.setOf(this.account);
    if (loan === undefined || set === undefined || !model.directoryUp) return "";
    real.sim.directory.failNext({ count: 1 });
    const argument = { set_name: set, service_account_names: [this.account] };
    expect(refusal(() => real.operator.library.forceCheckIn(argument))).toBe("rotation_failed");
    expect(real.operator.library.forceCheckIn(argument).data.check_ins).toEqual([this.account]);
    model.loans.delete(this.account);
    return "";
  }

  override toString(): string {
    return `failNext(${this.account})`;
  }
}

/** Goes on in a fork; whatever happens there, the parent stays as it was. */
export class Fork extends Always {
  protected override does(model: LendingModel, real: LendingReal): string {
    const parent = real.sim;
    const before = { hash: parent.stateHash(), position: parent.position, now: parent.clock.now() };
    real.sim = watched(parent.fork());
    expect(real.sim.stateHash()).toBe(before.hash);
    const other = parent.fork();
    other.clock.advance("1h");
    other.directory.setAvailable(!model.directoryUp);
    expect({ hash: parent.stateHash(), position: parent.position, now: parent.clock.now() }).toEqual(before);
    return "";
  }

  override toString(): string {
    return "goOnInAFork()";
  }
}
