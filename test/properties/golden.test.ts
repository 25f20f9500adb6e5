import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Draw } from "../../src/kernel/randomness.ts";
import { type Action, type EngineName, newLendingWorld, perform } from "../support/world-actions.ts";
import { logText } from "../support/world-checks.ts";

// One long life, and the digest of what it left. Every version of Node comes to the same; when a rule changes, so does the
// digest, and `npx vitest run test/properties/golden.test.ts -u` writes the new one.

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** A life that our own generator makes up, so that no other library's new version changes it. */
function* longLife(steps: number): Generator<Action> {
  const draw = new Draw("a long life");
  const pick = <T>(...choices: readonly T[]): T => choices[draw.below(choices.length)] as T;
  const accounts = (): string[] =>
    draw.shuffle(["svc-a", "svc-b", "svc-c", "svc-d", "svc-e"]).slice(0, 1 + draw.below(4));
  for (let step = 0; step < steps; step++) {
    const where = {
      engine: pick<EngineName>("ldap", "ldap", "corp", "team"),
      set: pick("ops", "ops", "dev", "Team/DB"),
    };
    const by = pick("ann", "ann", "bob", "eve", "few", "root");
    switch (draw.below(20)) {
      case 0:
        yield { do: "configure", engine: where.engine, length: pick(8, 20, 64) };
        break;
      case 1:
      case 2:
        yield { do: "writeSet", ...where, names: accounts(), ttl: pick(60, 600), maxTtl: pick(600, 3_600) };
        break;
      case 3:
        yield { do: "deleteSet", ...where };
        break;
      case 4:
        yield { do: "createToken", token: pick("eve", "few"), ttlSeconds: pick(60, 3_600), uses: 1 + draw.below(5) };
        break;
      case 5:
        yield { do: "failNext", count: 1, at: pick("bind", "search", "modify") };
        break;
      case 6:
        yield { do: "switchDirectory", on: draw.below(4) > 0 };
        break;
      case 7:
        yield { do: "revoke", lease: draw.below(4), by, soon: draw.below(2) === 0 };
        break;
      case 8:
      case 9:
        yield { do: "renew", lease: draw.below(4), by, increment: pick(0, 30, 5_000) };
        break;
      case 10:
      case 11:
        yield { do: "checkIn", ...where, by };
        break;
      case 12:
        yield { do: "forceCheckIn", ...where, by, names: accounts() };
        break;
      case 13:
      case 14:
        yield { do: "wait", seconds: pick(1, 20, 59, 60, 600) };
        break;
      default:
        yield { do: "checkOut", ...where, by, ttl: pick(0, 10, 300, 100_000) };
    }
  }
}

describe("a long life", () => {
  it("leaves the same log and the same state on every platform", () => {
    const sim = newLendingWorld({ seed: "golden" });
    const answers: string[] = [];
    for (const action of longLife(3_000)) answers.push(JSON.stringify(perform(sim, action)));
    expect({
      commits: sim.position,
      events: sim.log.events().length,
      nowMs: sim.clock.now(),
      answers: digest(answers.join("\n")),
      facts: digest(JSON.stringify(sim.log.events())),
      log: digest(logText(sim)),
      state: sim.stateHash(),
    }).toMatchInlineSnapshot(`
      {
        "answers": "cafc7d2132e069570409de5758f23260",
        "commits": 1478,
        "events": 2335,
        "facts": "9dc63bc9c721789b71b886d45c3f6ec2",
        "log": "9141decef8757f132340a618498ef18c",
        "nowMs": 1767265229000,
        "state": "8fbf010a1754e262d88602f94e8d79f0",
      }
    `);
  });
});
