import { createSimulator, type RunsClient, type Simulator } from "../../../src/index.ts";
import { microsecondsEach, microsecondsEachInTurn, perSecond } from "../harness/measure.ts";
import { type Effort, type Family, type Row, row, shared } from "../harness/row.ts";
import { rounded } from "../harness/statistics.ts";

const OUTCOMES = 100_000;
const PAGE = 100;

/** A run service with an owner who asks. */
class RunsWorld {
  readonly sim: Simulator = createSimulator({ seed: 7 });
  readonly token: string;
  readonly workspace: string;

  constructor() {
    this.sim.runs.createOrganization({ name: "acme" });
    this.workspace = this.sim.runs.createWorkspace({ organization: "acme", name: "prod" }).id;
    const grants = { workspaces: { [this.workspace]: ["policy-overrides" as const] } };
    this.token = this.sim.runs.createToken({ kind: "user", organization: "acme", user: "ann", grants }).token;
  }

  client(sim: Simulator = this.sim): RunsClient {
    return sim.runs.as(this.token);
  }

  /** Checks that wait for their override, each of a run of its own. */
  softFailed(count: number): string[] {
    return Array.from({ length: count }, () => {
      const policies = [{ name: "tags", level: "soft-mandatory" as const, result: false }];
      const { policyCheckIds } = this.sim.runs.createRun({ workspace: this.workspace, policyChecks: [{ policies }] });
      return policyCheckIds[0] as string;
    });
  }

  init(method: string): RequestInit {
    const headers = { Authorization: `Bearer ${this.token}`, "Content-Type": "application/vnd.api+json" };
    return { method, headers };
  }
}

interface Checks {
  readonly world: RunsWorld;
  readonly ids: readonly string[];
}

function checksOf(full: number): (effort: Effort) => Checks {
  return shared((effort) => {
    const world = new RunsWorld();
    return { world, ids: world.softFailed(effort.size(full)) };
  });
}

const few = checksOf(1_000);
const many = checksOf(50_000);

/** Reads and overrides, through each door: among 1,000 runs and among 50,000. */
function checkRows(suffix: string, checks: (effort: Effort) => Checks, comparedWith?: string): Row[] {
  const compared = (id: string) => (comparedWith === undefined ? {} : { comparedWith: `${id}${comparedWith}` });
  const process = `policy-checks${suffix}`;
  return [
    row({
      id: `policy-check-reads-per-second${suffix}`,
      unit: "calls/s",
      process,
      ...compared("policy-check-reads-per-second"),
      prepare: (effort) => {
        const { world, ids } = checks(effort);
        const { policyChecks } = world.client();
        const count = effort.count(20_000);
        return () =>
          perSecond(count, () => {
            for (let read = 0; read < count; read++) policyChecks.read({ id: ids[read % ids.length] as string });
          });
      },
      note: "the typed call, rights checked, of checks that wait for their override",
    }),
    row({
      id: `policy-check-overrides-per-second${suffix}`,
      unit: "commands/s",
      process,
      ...compared("policy-check-overrides-per-second"),
      prepare: (effort) => {
        const { world, ids } = checks(effort);
        const count = effort.count(10_000);
        return () =>
          perSecond(count, () => {
            for (let done = 0; done < count; done += ids.length) {
              const { policyChecks } = world.client(world.sim.fork());
              for (const id of ids.slice(0, count - done)) policyChecks.override({ id });
            }
          });
      },
      note: "the typed call: two events, two machine steps, the document of the answer",
    }),
    row({
      id: `policy-check-fetch-us${suffix}`,
      unit: "us",
      process,
      ...compared("policy-check-fetch-us"),
      prepare: (effort) => {
        const { world, ids } = checks(effort);
        const urls = ids.map((id) => `${world.sim.runs.url}/api/v2/policy-checks/${id}`);
        const init = world.init("GET");
        const count = effort.count(10_000);
        return () => {
          let index = 0;
          return microsecondsEachInTurn(count, () => world.sim.fetch(urls[index++ % urls.length] as string, init));
        };
      },
      note: "a GET of a check through sim.fetch",
    }),
    row({
      id: `policy-check-override-fetch-us${suffix}`,
      unit: "us",
      process,
      ...compared("policy-check-override-fetch-us"),
      prepare: (effort) => {
        const { world, ids } = checks(effort);
        const count = effort.count(5_000);
        const init = world.init("POST");
        const path = (id: string) => `${world.sim.runs.url}/api/v2/policy-checks/${id}/actions/override`;
        return () => {
          let sim = world.sim.fork();
          let index = 0;
          return microsecondsEachInTurn(count, () => {
            if (index === ids.length) {
              sim = world.sim.fork();
              index = 0;
            }
            return sim.fetch(path(ids[index++] as string), init);
          });
        };
      },
      note: "a POST of an override through sim.fetch",
    }),
  ];
}

// --- lists ----------------------------------------------------------------------------------------------------------

interface Outcomes {
  readonly client: RunsClient;
  readonly evaluation: string;
  readonly count: number;
}

const outcomes = shared((effort: Effort): Outcomes => {
  const world = new RunsWorld();
  const count = effort.size(OUTCOMES);
  const policySets = Array.from({ length: count }, (_, index) => ({
    name: `set ${index}`,
    outcomes: [{ policy_name: "p", query: "q", status: index % 2 === 0 ? ("failed" as const) : ("passed" as const) }],
  }));
  const { policyEvaluationIds } = world.sim.runs.createRun({
    workspace: world.workspace,
    policyEvaluation: { policySets },
  });
  return { client: world.client(), evaluation: policyEvaluationIds[0] as string, count };
});

interface Listing {
  readonly id: string;
  /** Where in the list the page lies, from 0 to 1. */
  readonly at: number;
  readonly filter?: readonly { readonly status: string }[];
  readonly comparedWith?: string;
  readonly note: string;
}

function listing({ id, at, filter = [], comparedWith, note }: Listing): Row {
  return row({
    id,
    unit: "us",
    process: "outcomes",
    ...(comparedWith === undefined ? {} : { comparedWith }),
    prepare: (effort) => {
      const { client, evaluation, count } = outcomes(effort);
      const chosen = filter.length === 0 ? count : count / 2;
      const number = 1 + Math.floor(at * (Math.ceil(chosen / PAGE) - 1));
      const pages = effort.count(2_000);
      const list = (): number =>
        client.policySetOutcomes.list(
          { policy_evaluation_id: evaluation },
          { page: { number, size: PAGE }, ...(filter.length === 0 ? {} : { filter }) },
        ).data.length;
      if (list() !== Math.min(PAGE, chosen)) throw new Error(`page ${number} of ${id} is not full`);
      return () => {
        const us = microsecondsEach(pages, () => {
          for (let page = 0; page < pages; page++) list();
        });
        return { value: us, detail: `page ${number} of ${rounded(chosen / PAGE, 3)}` };
      };
    },
    note,
  });
}

const FAILED = [{ status: "failed" }] as const;

/** Reads and overrides of policy checks, and pages of a long list of outcomes. */
export const policyRuns: Family = {
  name: "policy-runs",
  rows: [
    ...checkRows("@1000", few),
    ...checkRows("", many, "@1000"),
    listing({ id: "outcomes-page-us@first", at: 0, note: "the first page of 100 of 100,000 outcomes" }),
    listing({ id: "outcomes-page-us@last", at: 1, comparedWith: "outcomes-page-us@first", note: "the last one" }),
    listing({
      id: "outcomes-page-us@filtered-first",
      at: 0,
      filter: FAILED,
      comparedWith: "outcomes-page-us@first",
      note: "of the half that failed; the list was looked through once, before",
    }),
    listing({
      id: "outcomes-page-us@filtered-last",
      at: 1,
      filter: FAILED,
      comparedWith: "outcomes-page-us@filtered-first",
      note: "the last page of the half that failed",
    }),
    row({
      id: "outcomes-first-filter-ms",
      unit: "ms",
      process: "outcomes",
      prepare: (effort) => {
        const { client, evaluation } = outcomes(effort);
        // Each combination of statuses and levels is one more filter that the list has not been asked with.
        const unasked = combinations();
        return () => {
          const filter = unasked.pop() ?? [];
          return (
            microsecondsEach(1, () => {
              client.policySetOutcomes.list({ policy_evaluation_id: evaluation }, { filter });
            }) / 1_000
          );
        };
      },
      note: "the first page of a filter that the list was never asked with",
    }),
  ],
};

interface Group {
  readonly status: string;
  readonly enforcementLevel?: string;
}

/** Filters that differ in what they choose. */
function combinations(): Group[][] {
  const groups: readonly Group[] = [
    { status: "passed", enforcementLevel: "advisory" },
    { status: "passed", enforcementLevel: "mandatory" },
    { status: "failed", enforcementLevel: "mandatory" },
    { status: "errored" },
  ];
  return Array.from({ length: 15 }, (_, bits) => groups.filter((_group, bit) => ((bits + 1) & (1 << bit)) !== 0));
}
