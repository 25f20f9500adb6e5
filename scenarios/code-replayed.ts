import { defineScenario, Rejection, type Simulator } from "../src/index.ts";
import { expectEqual } from "./support/expectations.ts";
import { CALLBACK, codeOf, idTokenFor } from "./support/logins.ts";

/** Somebody reads a code in a proxy's log, and is quicker or slower than the application that it was meant for. */
export const codeReplayed = defineScenario({
  name: "code-replayed",
  title: "A code is shown twice",
  world: { seed: 13, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    const { oidc } = east.as(east.rootToken);
    const { id } = east.createEntity({ name: "ann" });
    const { token: user } = east.createToken({ policies: [], entityId: id });
    for (const name of ["app", "thief"]) {
      oidc.clients.write({ name, redirect_uris: CALLBACK, assignments: "allow_all" });
    }
    const [app, thief] = ["app", "thief"].map((name) => {
      const { client_id, client_secret = "" } = oidc.clients.read({ name }).data;
      return { client_id, client_secret, user };
    });
    if (app === undefined || thief === undefined) throw new Error("both were registered");
    return { app, thief };
  },

  steps: [
    {
      title: "Ann comes back with a code",
      does: (sim, { app }) => {
        codeOf(sim.secrets.cluster("east"), app);
        sim.mark("with a code");
      },
      expectation: "it is good for one exchange",
      expect: async (sim, { app }) => {
        const code = onlyCode(sim);
        await idTokenFor(sim.secrets.cluster("east"), app, code);
        expectEqual(await refusedWith(() => idTokenFor(sim.secrets.cluster("east"), app, code)), "invalid_grant");
      },
    },
    {
      title: "A thief who has no secret tries first",
      does: async (sim, { app }) => {
        const guessed = { ...app, client_secret: "guessed" };
        const code = onlyCode(sim);
        expectEqual(await refusedWith(() => idTokenFor(sim.secrets.cluster("east"), guessed, code)), "invalid_client");
      },
      expectation: "the code is still good: a wrong secret does not spend it",
      expect: async (sim, { app }) => {
        await idTokenFor(sim.secrets.cluster("east"), app, onlyCode(sim));
      },
    },
    {
      title: "A thief with an application of its own tries",
      does: async (sim, { thief }) => {
        const code = onlyCode(sim);
        expectEqual(await refusedWith(() => idTokenFor(sim.secrets.cluster("east"), thief, code)), "invalid_grant");
      },
      expectation: "nobody gets a token for it any more, and ann has to log in again",
      expect: async (sim, { app }) => {
        const east = sim.secrets.cluster("east");
        const code = onlyCode(sim.fork("with a code"));
        expectEqual(await refusedWith(() => idTokenFor(east, app, code)), "invalid_grant");
        await idTokenFor(east, app, codeOf(east, app));
      },
    },
    {
      title: "What if the application had been quicker?",
      expectation: "in the past the code is unspent, and the token that it gets is the same every time",
      expect: async (sim, { app }) => {
        const tokens = await Promise.all(
          [1, 2].map(() => {
            const then = sim.fork("with a code");
            return idTokenFor(then.secrets.cluster("east"), app, onlyCode(then));
          }),
        );
        expectEqual(tokens[0], tokens[1]);
      },
    },
  ],
});

function onlyCode({ state }: Pick<Simulator, "state">): string {
  const codes = [...(state.secrets["east"]?.local.oidcCodes.keys() ?? [])];
  const [code] = codes;
  if (code === undefined || codes.length > 1) throw new Error(`one code waits, but there are ${codes.length}`);
  return code;
}

async function refusedWith(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Rejection) return error.code;
    throw error;
  }
  return "nothing";
}
