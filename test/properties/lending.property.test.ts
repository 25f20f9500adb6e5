import { describe, expect, it } from "vitest";
import type { Simulator, SimulatorOptions } from "../../src/index.ts";
import { property } from "../support/checked.ts";
import { runs } from "../support/runs.ts";
import { type Action, newLendingWorld, perform, stories } from "../support/world-actions.ts";
import { indexFaults, lendingFaults } from "../support/world-checks.ts";

/** Lives a story and looks for faults after each of its steps. */
function expectSound(story: readonly Action[], faultsOf: (sim: Simulator) => string[], options: SimulatorOptions = {}) {
  const sim = newLendingWorld(options);
  story.forEach((action, step) => {
    perform(sim, action);
    const faults = faultsOf(sim);
    if (faults.length > 0) expect.fail(`after step ${step}, ${JSON.stringify(action)}:\n${faults.join("\n")}`);
  });
  expect(faultsOf(sim)).toEqual([]);
}

const withQuirk: SimulatorOptions = { secrets: { quirks: ["check-in-keeps-lease"] } };
const ofIndexes = ({ state }: Simulator): string[] => indexFaults(state);

const ofOneEngine = (story: readonly Action[]): readonly Action[] =>
  story.filter((action) => !("engine" in action) || action.engine === "ldap");

describe("the accounts of library sets", () => {
  property([stories()], runs(80))("are never lent to two borrowers: each that is lent has its one lease", (story) => {
    expectSound(story, lendingFaults);
  });

  property([stories()], runs(50))("are lent in the order of their list, the first that is available", (story) => {
    const sim = newLendingWorld();
    for (const action of story) {
      const first = firstAvailable(sim, action);
      const came = perform(sim, action);
      if (action.do !== "checkOut" || came.as !== "done") continue;
      expect(came.answer).toMatchObject({ data: { service_account_name: first } });
    }
    expect(sim.position).toBeGreaterThan(0);
  });

  // Of one engine: two that manage one account overwrite each other's passwords.
  property([stories().map(ofOneEngine)], runs(50))(
    "are given out with the password that the directory has",
    (story) => {
      const sim = newLendingWorld();
      for (const action of story) {
        const came = perform(sim, action);
        if (action.do !== "checkOut" || came.as !== "done") continue;
        const { data } = came.answer as { readonly data: { service_account_name: string; password: string } };
        const [entry] = sim.directory.search("ou=service,dc=example,dc=com", `(cn=${data.service_account_name})`);
        // An entry that was removed has no password, nor has one that was added anew since.
        expect([[data.password], undefined]).toContainEqual(entry?.attributes["userPassword"]);
      }
      expect(sim.position).toBeGreaterThan(0);
    },
  );
});

function firstAvailable(sim: Simulator, action: Action): string | undefined {
  if (action.do !== "checkOut") return undefined;
  const { replicated } = sim.state.secrets["main"] ?? expect.fail("no cluster");
  const mounts = action.engine === "team" ? replicated.namespaces.get("team/")?.mounts : replicated.mounts;
  const mount = mounts?.get(action.engine === "corp" ? "corp/" : "ldap/");
  const library = mount?.type === "ldap" ? mount.library : undefined;
  const names = library?.sets.get(action.set.toLowerCase())?.names ?? [];
  return names.find((name) => library?.accounts.get(name)?.status === "available");
}

describe("the indexes", () => {
  property([stories()], runs(40))("say what their accounts, leases, tokens and entries say", (story) => {
    expectSound(story, ofIndexes);
  });

  property([stories()], runs(40))("do so also when check-ins leave leases running", (story) => {
    expectSound(story, ofIndexes, withQuirk);
  });

  it("keep an account on its shelf when the list of its set is turned round", () => {
    expectSound(
      [
        { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-a", "svc-b"] },
        { do: "writeSet", engine: "ldap", set: "ops", names: ["svc-b", "svc-a"] },
      ],
      ofIndexes,
    );
  });
});
