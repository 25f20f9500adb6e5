/** A service account that is lent to one borrower at a time. */
export interface Account {
  readonly status: "available" | "checked_out";
  readonly borrower: string | null;
}

export interface LendingCommand {
  readonly type: "CheckOut" | "CheckIn";
  readonly data: { readonly account: string; readonly borrower: string };
}

export type LendingEvent =
  | { readonly type: "AccountAdded"; readonly data: { readonly account: string } }
  | { readonly type: "AccountCheckedOut"; readonly data: { readonly account: string; readonly borrower: string } }
  | { readonly type: "AccountCheckedIn"; readonly data: { readonly account: string } };

/** What a command gets for an answer: the status that it led to, or why not. */
export type LendingAnswer = Account["status"] | Refusal;
export type Refusal = "no_such_account" | "already_lent" | "not_the_borrower";

export const AVAILABLE: Account = Object.freeze({ status: "available", borrower: null });

/** The decider that all engines have: one fact, or a refusal. */
export function decide({ type, data }: LendingCommand, account: Account | undefined): LendingEvent | Refusal {
  if (account === undefined) return "no_such_account";
  switch (type) {
    case "CheckOut":
      return account.status === "available" ? { type: "AccountCheckedOut", data } : "already_lent";
    case "CheckIn":
      return account.status === "checked_out" && account.borrower === data.borrower
        ? { type: "AccountCheckedIn", data: { account: data.account } }
        : "not_the_borrower";
    default:
      return type satisfies never;
  }
}

/** What becomes of an account by a fact. */
export function evolve(event: LendingEvent): Account {
  switch (event.type) {
    case "AccountAdded":
    case "AccountCheckedIn":
      return AVAILABLE;
    case "AccountCheckedOut":
      return { status: "checked_out", borrower: event.data.borrower };
    default:
      return event satisfies never;
  }
}

/** What decides commands, keeps what became of them, and can be asked. */
export interface Engine {
  readonly send: (command: LendingCommand) => LendingAnswer | Promise<LendingAnswer>;
  readonly account: (name: string) => Account | undefined | Promise<Account | undefined>;
}

/** Makes an engine in which the accounts are there, all available. */
export type MakeEngine = (accounts: readonly string[]) => Engine | Promise<Engine>;

export const accountNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `svc-${index}`);
