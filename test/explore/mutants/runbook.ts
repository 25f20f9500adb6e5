import { createSimulator } from "hindcast";
import type { Run } from "hindcast/explore";
import { placeOf } from "../../programs/modes.ts";
import { Runbook } from "../../programs/runbook.ts";
import { type Subject, subject } from "./subject.ts";

const requestsOf = ({ journal }: Run) =>
  journal.flatMap((entry) => (entry.kind === "request" && entry.program === "runbook" ? [entry] : []));
const runbookOf = ({ programs }: Run): Runbook => programs["runbook"] as Runbook;

/** It sends everybody elsewhere after three looks in a row that say so, and not before. */
function switchesForAReason(run: Run): void {
  const looks = requestsOf(run);
  for (const [index, [to, atMs]] of runbookOf(run).told.entries()) {
    const isUp = index % 2 === 1;
    const before = looks.filter((look) => look.atMs <= atMs).slice(-3);
    const agree = before.filter((look) => (look.response?.status === 200) === isUp);
    // A look whose answer came, but too late, says no.
    const late = before.filter((look) => look.fault !== undefined);
    if (before.length < 3 || agree.length + (isUp ? 0 : late.length) < 3)
      throw new Error(`it went to ${to} without a reason`);
  }
}

/** When all is healed, everybody is where they were. */
function comesBack(run: Run): boolean {
  return runbookOf(run).active === run.sim.secrets.cluster("east").url;
}

/** It has not stopped looking. */
function goesOn(run: Run): boolean {
  return requestsOf(run).some((entry) => entry.atMs >= run.sim.clock.now() - 60_000);
}

class BelievesOne extends Runbook {
  protected override get enough(): number {
    return 1;
  }
}

class NeverComesBack extends Runbook {
  protected override isNews(isUp: boolean): boolean {
    return !isUp && super.isNews(isUp);
  }
}

class WaitsForEver extends Runbook {
  protected override get patienceMs(): number {
    return 2 ** 31 - 1;
  }
}

class CountsAll extends Runbook {
  protected override afterNoNews(inRow: number): number {
    return inRow;
  }
}

export const runbook: Subject = subject(
  "runbook",
  (Program: typeof Runbook) => ({
    world: () => createSimulator({ secrets: { clusters: ["east", "west"] } }),
    programs: {
      runbook: (program, _random, sim) => {
        const runbook = new Program(placeOf(program), [
          sim.secrets.cluster("east").url,
          sim.secrets.cluster("west").url,
        ]);
        void runbook.watch();
        return runbook;
      },
    },
    faults: { lines: true, stops: true, seals: true, requests: true, longest: "5m" },
    finally: [switchesForAReason, comesBack, goesOn],
    steps: 10,
    calm: "5m",
    settle: "5m",
  }),
  Runbook,
  {
    "one-look": ["one look that fails sends everybody elsewhere", BelievesOne],
    "no-way-back": ["the first cluster is never gone back to", NeverComesBack],
    "no-patience": ["a look that hangs is the last", WaitsForEver],
    "not-in-a-row": ["three looks that fail in a day send everybody elsewhere", CountsAll],
  },
);
