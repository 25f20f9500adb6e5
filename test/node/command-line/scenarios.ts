// Scenarios as users write them, in files of their own.

/** A story of two steps, whose second does not hold. */
export const FAILING = `
import { defineScenario } from "hindcast";

export default defineScenario({
  name: "failing",
  title: "A story that does not hold",
  world: { seed: 3, secrets: { clusters: ["east", "west"] } },
  cast: (sim) => ({ ann: sim.secrets.cluster("east").createToken({ policies: ["default"], ttl: "15m" }).token }),
  steps: [
    { title: "East is sealed", does: (sim) => sim.secrets.cluster("east").seal(), expectation: "it is", expect: () => {} },
    {
      title: "Time passes",
      does: (sim) => { sim.secrets.cluster("east").unseal(); sim.clock.advance("20m"); },
      expectation: "the token is still there",
      expect: (sim, { ann }) => { sim.secrets.cluster("east").as(ann).kv.list({ path: "" }); },
    },
  ],
});
`;

/** TypeScript that needs more than types taken away, an import without an extension, and the library's own classes. */
export const TYPESCRIPT = `
import { defineScenario, Rejection } from "hindcast";
import { titleOf } from "./support/words";

enum Role { Reader = "reader" }
interface Named { readonly name: string }
const named: Named = { name: Role.Reader };

export const typed = defineScenario({
  name: "typed",
  title: titleOf(named.name),
  world: {},
  cast: () => ({}),
  steps: [{
    title: "Nobody may list",
    expectation: "the refusal is one of this library",
    expect: (sim) => {
      try {
        sim.secrets.cluster("main").as("nobody").kv.list({ path: "" });
      } catch (error) {
        if (error instanceof Rejection) return;
        throw new Error("another copy of the library");
      }
      throw new Error("it was not refused");
    },
  }],
});
`;

export const WORDS = `export const titleOf = (name: string): string => \`A story about a \${name}\`;\n`;
