import { createSimulator } from "hindcast";
import {
  backsOff,
  followsRetryAfter,
  renewsBefore,
  repeatsOnlyTheRepeatable,
  returnsWhatItBorrowed,
  usesNothingEnded,
} from "hindcast/conduct";
import type { Run } from "hindcast/explore";
import { Keeper } from "../../programs/keeper.ts";
import { placeOf } from "../../programs/modes.ts";
import { type Subject, subject } from "./subject.ts";

const LOGIN = { path: "auth/userpass/login/keeper", body: { password: "kept" } };

/** Long after all is healed, it has a token that lives. */
function hasAToken({ sim, programs }: Run): boolean {
  const { token } = programs["keeper"] as Keeper;
  return sim.secrets.cluster("main").as(token).tokens.lookupSelf().data.ttl > 0;
}

class RenewsFromCreation extends Keeper {
  #madeMs: number | undefined;

  protected override nextRenewalMs(askedMs: number, leaseMs: number): number {
    if (this.#madeMs === undefined) {
      this.#madeMs = askedMs;
      return super.nextRenewalMs(askedMs, leaseMs);
    }
    return askedMs + leaseMs;
  }
}

class BacksOffWithoutCap extends Keeper {
  protected override backoffMs(failures: number): number {
    return 10_000 * 2 ** failures;
  }
}

class AsksAtOnce extends Keeper {
  protected override backoffMs(): number {
    return 500;
  }
}

class UsesWhatEnded extends Keeper {
  protected override hasEnded(nowMs: number): boolean {
    return this.token === "" && super.hasEnded(nowMs);
  }
}

class DoesNotWaitAsTold extends Keeper {
  protected override backoffMs(failures: number): number {
    return failures === 0 ? 2_000 : super.backoffMs(failures);
  }
}

class WaitsForEver extends Keeper {
  protected override get patienceMs(): number {
    return 2 ** 31 - 1;
  }
}

class GivesUp extends Keeper {
  protected override afterFailure(again: () => unknown): void {
    if (this.token === "") super.afterFailure(again);
  }
}

export const keeper: Subject = subject(
  "keeper",
  (Program: typeof Keeper) => ({
    world: () => {
      const sim = createSimulator();
      const main = sim.secrets.cluster("main");
      const root = main.as(main.rootToken);
      root.auth.enable({ path: "userpass", type: "userpass" });
      main.writePolicy("keeper", 'path "auth/token/create" { capabilities = ["create", "update", "sudo"] }');
      root.userpass.write({ username: "keeper", password: "kept", token_policies: ["keeper"], token_ttl: "1h" });
      return sim;
    },
    programs: {
      keeper: (program, _random, sim) => {
        const keeper = new Program(placeOf(program), sim.secrets.cluster("main").url, "", LOGIN);
        keeper.start();
        return keeper;
      },
    },
    faults: { lines: true, stops: true, seals: true, requests: true },
    conduct: [
      usesNothingEnded(),
      renewsBefore("2/3"),
      backsOff(),
      followsRetryAfter(),
      repeatsOnlyTheRepeatable({ may: ["secrets.tokens.create"] }),
      returnsWhatItBorrowed(),
    ],
    finally: [hasAToken],
    steps: 12,
    settle: "20m",
  }),
  Keeper,
  {
    "renewal-from-creation": ["the second renewal comes when the token ends", RenewsFromCreation],
    "back-off-without-cap": ["after a long outage it waits until its token has ended, and longer", BacksOffWithoutCap],
    "no-back-off": ["a service that is overloaded is asked twice a second", AsksAtOnce],
    "token-after-its-end": ["it goes on with a token that ended in an outage", UsesWhatEnded],
    "retry-after-ignored": ["it asks again before it was told to", DoesNotWaitAsTold],
    "no-patience": ["a request that hangs is its last", WaitsForEver],
    "one-failure-ends-it": ["one renewal that fails is the last", GivesUp],
  },
);
