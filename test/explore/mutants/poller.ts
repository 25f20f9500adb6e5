import { createSimulator } from "hindcast";
import { backsOff, followsRetryAfter } from "hindcast/conduct";
import type { Run } from "hindcast/explore";
import { placeOf } from "../../programs/modes.ts";
import type { Answered } from "../../programs/patient.ts";
import { Poller } from "../../programs/poller.ts";
import { type Subject, subject } from "./subject.ts";

let [token, workspace] = ["", ""];

/** How a poller is asked to wait: a run each ten minutes, each fifth so slow that it gives up. */
class Waiting {
  readonly poller: Poller;
  readonly checks: string[] = [];

  constructor(poller: Poller) {
    this.poller = poller;
  }
}

const waitingOf = ({ programs }: Run): Waiting => programs["poller"] as Waiting;

/** What it told of a check is what the check came to, or that it gave up. */
function tellsTheTruth(run: Run): boolean {
  return waitingOf(run).poller.told.every(([check, status]) => {
    const { status: real } = run.sim.runs.as(token).policyChecks.read({ id: check }).data.attributes;
    return status === "given up" || status === real;
  });
}

/** Of each check that began long ago it has told something. */
function comesToAnEnd(run: Run): boolean {
  const { poller, checks } = waitingOf(run);
  return checks.slice(0, -1).every((check) => poller.told.some(([told]) => told === check));
}

/** Nobody waits for longer than it was meant to. */
function givesUpInTime(run: Run): boolean {
  const { told } = waitingOf(run).poller;
  const begun = new Map(
    run.sim.log.commits().flatMap(({ atMs, events }) =>
      events.flatMap(({ data }) => {
        const { policyCheckIds = [] } = data as { readonly policyCheckIds?: readonly string[] };
        return policyCheckIds.map((id) => [id, atMs] as const);
      }),
    ),
  );
  return told.every(([check, , atMs]) => atMs - (begun.get(check) ?? atMs) <= 150_000);
}

class TakesAnyAnswer extends Poller {
  protected override statusIn({ text }: Answered): string {
    try {
      const { data } = JSON.parse(text) as { readonly data?: { readonly attributes: { readonly status: string } } };
      return data?.attributes.status ?? "errored";
    } catch {
      return "errored";
    }
  }
}

class NeverGivesUp extends Poller {
  protected override get limitMs(): number {
    return 3_600_000;
  }
}

class WaitsForEver extends Poller {
  protected override get patienceMs(): number {
    return 2 ** 31 - 1;
  }
}

class LooksTooOften extends Poller {
  protected override get restMs(): number {
    return 500;
  }
}

export const poller: Subject = subject(
  "poller",
  (Program: typeof Poller) => ({
    world: () => {
      const sim = createSimulator();
      sim.runs.createOrganization({ name: "acme" });
      ({ id: workspace } = sim.runs.createWorkspace({ organization: "acme", name: "web" }));
      ({ token } = sim.runs.createToken({ kind: "user", organization: "acme", user: "ann", grants: { owner: true } }));
      return sim;
    },
    programs: {
      poller: (program, _random, sim) => {
        const waiting = new Waiting(new Program(placeOf(program), sim.runs.url, token));
        const begin = (): void => {
          const isSlow = waiting.checks.length % 5 === 1;
          const { policyCheckIds } = sim.runs.createRun({
            workspace,
            timing: { planMs: "20s", checkMs: isSlow ? "10m" : "30s" },
            policyChecks: [{ policies: [{ name: "tags", level: "hard-mandatory", result: true }] }],
            autoApply: true,
          });
          const [check = ""] = policyCheckIds;
          waiting.checks.push(check);
          void waiting.poller.wait(check);
          program.timers.setTimeout(begin, 600_000);
        };
        begin();
        return waiting;
      },
    },
    faults: { lines: true, requests: true, longest: "5m" },
    conduct: [backsOff(), followsRetryAfter()],
    finally: [tellsTheTruth, comesToAnEnd, givesUpInTime],
    steps: 10,
    calm: "5m",
    settle: "15m",
  }),
  Poller,
  {
    "any-answer": ["the body of an error is taken for a status", TakesAnyAnswer],
    "no-limit": ["a check that is slow is waited for as long as it takes", NeverGivesUp],
    "no-patience": ["a request that hangs is waited for without end", WaitsForEver],
    "looks-too-often": ["a service that is away is asked twice a second", LooksTooOften],
  },
);
