import { describe, expect, test } from "vitest";
import type { Simulator } from "../../src/index.ts";
import type { Commit } from "../../src/kernel/commit.ts";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { type Action, type Came, lived, newLendingWorld, perform, stories } from "../support/world-actions.ts";
import { logText } from "../support/world-checks.ts";

/** All that a refusal has to leave as it was. */
const present = (sim: Simulator) => ({
  state: sim.state,
  position: sim.position,
  nowMs: sim.clock.now(),
  commits: sim.log.commits().length,
  pending: sim.clock.pending(),
});

const changesNothing = (came: Came): boolean => (came.as === "refused" && !came.kept) || came.as === "mistake";

describe("what is refused", () => {
  property([stories()], runs(50))("leaves state, log, clock and deadlines as they were", (story) => {
    const sim = newLendingWorld();
    for (const action of story) {
      const before = present(sim);
      if (!changesNothing(perform(sim, action))) continue;
      const after = present(sim);
      expect(after).toEqual(before);
      expect(after.state).toBe(before.state);
    }
    expect(sim.position).toBeGreaterThan(0);
  });

  property([stories()], runs(50))(
    "leaves no trace in what comes later: a twin that never saw it lives alike",
    (story) => {
      const [sim, twin] = [newLendingWorld(), newLendingWorld()];
      for (const action of story) {
        const came = perform(sim, action);
        if (!changesNothing(came)) expect(perform(twin, action)).toEqual(came);
      }
      expect(logText(twin)).toBe(logText(sim));
      expect(twin.stateHash()).toBe(sim.stateHash());
      expect(twin.clock.now()).toBe(sim.clock.now());
    },
  );

  property([stories()], runs(40))("is refused again, for the same reason, when it is asked again at once", (story) => {
    const sim = newLendingWorld();
    for (const action of story) {
      const came = perform(sim, action);
      if (changesNothing(came)) expect(perform(sim, action)).toEqual(came);
    }
    expect(sim.position).toBeGreaterThan(0);
  });
});

describe("what records no fact", () => {
  property([stories()], runs(40))("is no commit: reads, and commands that found nothing to do", (story) => {
    const sim = newLendingWorld();
    for (const action of story) {
      const before = present(sim);
      perform(sim, action);
      if (sim.position === before.position) expect(sim.state).toBe(before.state);
      else expect(sim.state).not.toBe(before.state);
    }
    expect(sim.position).toBeGreaterThan(0);
  });
});

// --- failures that keep facts ---------------------------------------------------------------------------------------

/** Facts as letters, so that the shape of a commit can be matched. */
const LETTERS: Readonly<Record<string, string>> = {
  TokenUsed: "u",
  TokenRevoked: "t",
  DirectoryPasswordChanged: "p",
  DirectoryFailureUsed: "x",
  ServiceAccountCheckedOut: "o",
  ServiceAccountCheckedIn: "i",
  LeaseIssued: "l",
  LeaseEnded: "e",
  LeaseRenewed: "n",
  LeaseRevocationFailed: "f",
};

const shapeOf = ({ events }: Commit): string => events.map(({ type }) => LETTERS[type] ?? `<${type}>`).join("");

/** An account comes back; a lease whose revocation fails, because of an injected failure or not. */
const GIVEN_BACK = "pie";
const FAILED = "x?f";
/** A token ends, and each lease that was made with it. */
const TOKEN_ENDED = `t(${GIVEN_BACK}|${FAILED})*`;

/** What each rule says that stays although the answer is an error. A lease that was dropped by force is not there to end. */
const KEPT: Readonly<Record<string, string>> = {
  "secrets.library.write rotation_failed": "p*x?",
  "secrets.library.checkIn rotation_failed": "(pie?)*x?",
  "secrets.library.forceCheckIn rotation_failed": "(pie?)*x?",
  "secrets.leases.revoke lease_revocation_failed": FAILED,
  "secrets.leases.revokePrefix lease_revocation_failed": `(${GIVEN_BACK})*${FAILED}`,
  "secrets.library.checkOut lease_of_spent_token": "ol",
  // A renewal would return a lease, too; whose it is does not matter.
  "secrets.leases.renew lease_of_spent_token": "n",
};

function rightShape(commit: Commit): RegExp {
  const kept = KEPT[`${commit.command.name} ${commit.failed}`] ?? "";
  return new RegExp(`^(?!$)(${kept}|u(${kept})(${TOKEN_ENDED})?)$`);
}

describe("a command that fails", () => {
  property([stories()], runs(40))("leaves exactly the facts that its rule names", (story) => {
    const failed = lived(story)
      .log.commits()
      .filter((commit) => commit.failed !== undefined);
    const wrong = failed.filter((commit) => !rightShape(commit).test(shapeOf(commit)));
    expect(wrong.map((commit) => `${commit.command.name} ${commit.failed}: ${shapeOf(commit)}`)).toEqual([]);
  });

  property([stories()], runs(40))("is told to its caller with what is in the log", (story) => {
    const sim = newLendingWorld();
    for (const action of story) {
      const before = sim.position;
      const came = perform(sim, action);
      const commits = sim.log.commits().slice(before);
      const [own] = commits.filter(({ command }) => command.via !== "timer");
      expect(came.as === "refused" && came.kept ? came.code : undefined).toBe(own?.failed);
    }
    expect(sim.position).toBeGreaterThan(0);
  });

  property([stories()], runs(40))("is no timer: what fires by itself answers nobody", (story) => {
    const timers = lived(story)
      .log.commits()
      .filter(({ command }) => command.via === "timer");
    expect(timers.filter(({ failed }) => failed !== undefined)).toEqual([]);
  });
});

/** Stories in which failures of each kind are known to happen: the property above would say nothing of what never comes. */
const STORIES_OF_FAILURE: readonly (readonly [code: string, story: readonly Action[]])[] = [
  [
    "rotation_failed",
    [
      { do: "removeEntry", name: "svc-b" },
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a", "svc-b"] },
    ],
  ],
  [
    "rotation_failed",
    [
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a", "svc-b"] },
      { do: "checkOut", engine: "ldap", set: "ops", by: "ann" },
      { do: "failNext", count: 1 },
      { do: "checkIn", engine: "ldap", set: "ops", by: "ann" },
    ],
  ],
  [
    "lease_revocation_failed",
    [
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a", "svc-b"] },
      { do: "checkOut", engine: "ldap", set: "ops", by: "ann" },
      { do: "switchDirectory", on: false },
      { do: "revoke", lease: 0, by: "bob" },
    ],
  ],
  [
    "lease_of_spent_token",
    [
      { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a"] },
      { do: "createToken", token: "once", uses: 1 },
      { do: "checkOut", engine: "ldap", set: "ops", by: "once" },
    ],
  ],
  [
    "permission_denied",
    [
      { do: "createToken", token: "few", uses: 2, policy: "nothing" },
      { do: "readStatus", engine: "ldap", set: "ops", by: "few" },
    ],
  ],
];

describe("a failure is known to keep facts:", () => {
  test.each(STORIES_OF_FAILURE)("%s %#", (code, story) => {
    const last = lived(story).log.commits().at(-1) as Commit;
    expect(last.failed).toBe(code);
    expect(shapeOf(last)).toMatch(rightShape(last));
  });
});
