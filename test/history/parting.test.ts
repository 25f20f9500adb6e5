import { describe, expect, test } from "vitest";
import { createSimulator, parting, replay, type Simulator } from "../../src/index.ts";
import { withCommits } from "./support/log-text.ts";

/** A shop that gets a token, keeps an order under it, and then does what the caller says. */
function run(seed: number, then: (sim: Simulator) => void = () => undefined): Simulator {
  const sim = createSimulator({ seed, secrets: { clusters: ["east"] } });
  const east = sim.secrets.cluster("east");
  const { token } = east.createToken({ policies: ["default"], ttl: "1h" });
  east.as(east.rootToken).kv.write({ path: "kv/orders", data: { token, amount: 1 } });
  sim.clock.advance("10m");
  then(sim);
  return sim;
}

function write(path: string, amount: number): (sim: Simulator) => void {
  return (sim) => {
    const east = sim.secrets.cluster("east");
    east.as(east.rootToken).kv.write({ path, data: { amount } });
  };
}

describe.each([
  ["one seed", 7, 7],
  ["two seeds", 7, 8],
])("runs of %s", (_, one, other) => {
  test("are alike where the same happened", () => {
    expect(parting(run(one, write("kv/a", 1)), run(other, write("kv/a", 1)))).toBeUndefined();
  });

  test.each<[string, (sim: Simulator) => void, string]>([
    ["another value", write("kv/a", 2), "command"],
    ["another path", write("kv/b", 1), "command"],
    ["another operation", (sim) => sim.secrets.cluster("east").seal(), "command"],
    [
      "another instant",
      (sim) => {
        sim.clock.advance("1ms");
        write("kv/a", 1)(sim);
      },
      "instant",
    ],
    ["nothing", () => undefined, "end"],
  ])("part where one did %s", (_, then, by) => {
    const [left, right] = [run(one, write("kv/a", 1)), run(other, then)];
    const found = parting(left, right);
    expect(found).toMatchObject({ position: 2, by });
    expect(found?.commits).toEqual([left.log.commits()[2], right.log.commits()[2]]);
  });
});

test("a fork and its parent part where the fork went on", () => {
  const sim = run(7, write("kv/a", 1));
  const fork = sim.fork(3);
  write("kv/b", 1)(fork);
  expect(parting(sim, fork)).toMatchObject({ position: 3, by: "end" });
  expect(parting(sim, sim.fork())).toBeUndefined();
});

test("a name that was drawn stands for one other only", () => {
  const twice = (seed: number, isSame: boolean): Simulator => {
    const sim = run(seed);
    const east = sim.secrets.cluster("east");
    const [first, second] = [0, 1].map(() => east.createToken({ policies: ["default"], ttl: "1h" }).token);
    east.as(east.rootToken).kv.write({ path: "kv/held", data: { token: (isSame ? first : second) ?? "" } });
    return sim;
  };
  expect(parting(twice(7, true), twice(8, true))).toBeUndefined();
  expect(parting(twice(7, true), twice(8, false))).toMatchObject({ position: 4, by: "command" });
});

test("runs part where the same command came to something else", () => {
  const sim = run(7);
  const later = replay(
    withCommits(sim.log.toNdjson(), (commits) =>
      commits.map((commit) => (commit.position === 2 ? { ...commit, events: commit.events.slice(1) } : commit)),
    ),
  );
  expect(parting(sim, later)).toMatchObject({ position: 1, by: "outcome" });
});
