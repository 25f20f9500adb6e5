import fc from "fast-check";
import { expect } from "vitest";
import type { Simulator } from "../../../src/index.ts";
import { createSimulator, property } from "../../support/checked.ts";
import { runs } from "../../support/runs.ts";
import { type Answer, type Arguments, type Door, httpDoor, type OperationName, typedDoor } from "./driver.ts";

/** Something that is asked of a region; `token` is the place of one in the list of those that were made. */
interface Asked {
  readonly operation: OperationName;
  readonly region: string;
  readonly token: number;
  readonly argument: (made: readonly Answer[]) => Arguments;
}

const region = fc.constantFrom("eu", "us");
const policyName = fc.constantFrom("a", "a-b", "no good", "constructor", "anonymous");
const rules = fc.constantFrom("", " ", 'node { policy = "read" }', "nonsense", undefined);

const body = (made: readonly Answer[], which: number): { readonly AccessorID: string } =>
  made[which % made.length]?.body;

const asked: fc.Arbitrary<Asked> = fc
  .tuple(
    region,
    fc.nat(6),
    fc.oneof(
      fc.constant({ operation: "acl.bootstrap" as const, argument: () => ({}) }),
      fc.tuple(policyName, rules).map(([Name, Rules]) => ({
        operation: "policies.write" as const,
        argument: () => ({ policy_name: Name, name: Name, Rules, Description: "said" }),
      })),
      policyName.map((policy_name) => ({ operation: "policies.read" as const, argument: () => ({ policy_name }) })),
      policyName.map((policy_name) => ({ operation: "policies.delete" as const, argument: () => ({ policy_name }) })),
      fc.constantFrom("", "a", "x").map((prefix) => ({
        operation: "policies.list" as const,
        argument: () => ({ prefix }),
      })),
      fc
        .tuple(fc.constantFrom("client", "management", "robot"), fc.boolean(), fc.boolean())
        .map(([Type, Global, named]) => ({
          operation: "tokens.create" as const,
          argument: () => ({ Type, Global, ...(Type === "client" || named ? { Policies: ["a"] } : {}) }),
        })),
      fc.nat(9).map((which) => ({
        operation: "tokens.read" as const,
        argument: (made: readonly Answer[]) => ({ accessor_id: body(made, which).AccessorID }),
      })),
      fc.nat(9).map((which) => ({
        operation: "tokens.delete" as const,
        argument: (made: readonly Answer[]) => ({ accessor_id: body(made, which).AccessorID }),
      })),
      fc.nat(9).map((which) => ({
        operation: "tokens.update" as const,
        argument: (made: readonly Answer[]) => {
          const { AccessorID } = body(made, which);
          return { accessor_id: AccessorID, AccessorID, Type: "management", Name: "new" };
        },
      })),
      fc.constant({ operation: "tokens.self" as const, argument: () => ({}) }),
      fc.constant({ operation: "tokens.list" as const, argument: () => ({ per_page: 2 }) }),
    ),
  )
  .map(([id, token, rest]) => ({ region: id, token, ...rest }));

/** Lives through what is asked, and tells the answers. */
async function lived(open: (sim: Simulator, region: string) => Door, story: readonly Asked[]) {
  const sim = createSimulator({ seed: 9, scheduler: { regions: ["eu", "us"] } });
  const door = open(sim, "eu");
  const made = [await door.call("acl.bootstrap", undefined)];
  const answers: Omit<Answer, "text">[] = [];
  for (const { operation, region: id, token, argument } of story) {
    const secret = token === 0 ? undefined : made[(token - 1) % made.length]?.body.SecretID;
    const answer = await door.call(operation, secret, argument(made), {}, id);
    if (operation === "tokens.create" && answer.status === 200) made.push(answer);
    const { text: _, ...rest } = answer;
    answers.push(rest);
    sim.clock.advance(60);
  }
  return { sim, answers };
}

property([fc.array(asked, { maxLength: 30, size: "max" })], runs(60))(
  "both doors answer alike, and leave the same world",
  async (story) => {
    const [typed, http] = await Promise.all([typedDoor, httpDoor].map((open) => lived(open, story)));
    expect(http?.answers).toEqual(typed?.answers);
    expect(http?.sim.stateHash()).toBe(typed?.sim.stateHash());
    expect(http?.sim.log.events()).toEqual(typed?.sim.log.events());
    const inputs = [typed, http].map((side) =>
      side?.sim.log.commits().map(({ command: { name, input } }) => [name, input]),
    );
    expect(inputs[1]).toEqual(inputs[0]);
  },
);
