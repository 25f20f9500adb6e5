import { defineScenario, type Simulator } from "../src/index.ts";
import { expectEqual } from "./support/expectations.ts";
import { CALLBACK, codeOf, idTokenFor, kidOf, publishedKids, verifies } from "./support/logins.ts";

/** Logins at any time of a day in which a key rotates every hour. */
const LOGINS_AN_HOUR = 4;
const HOURS = 24;

/** People log in all day while the key that signs for them rotates, and applications read the published keys now and then. */
export const keyRotationUnderLoad = defineScenario({
  name: "key-rotation-under-load",
  title: "A key rotates under load",
  world: { seed: 12, secrets: { clusters: ["east"] } },

  cast: (sim) => {
    const east = sim.secrets.cluster("east");
    const { oidc } = east.as(east.rootToken);
    const { id } = east.createEntity({ name: "ann" });
    const { token: user } = east.createToken({ policies: [], entityId: id });
    oidc.keys.write({
      name: "hourly",
      algorithm: "ES256",
      rotation_period: "1h",
      verification_ttl: "2h",
      allowed_client_ids: "*",
    });
    oidc.clients.write({
      name: "app",
      key: "hourly",
      redirect_uris: CALLBACK,
      assignments: "allow_all",
      id_token_ttl: "2h",
    });
    const { client_id, client_secret = "" } = oidc.clients.read({ name: "app" }).data;
    return { client_id, client_secret, user };
  },

  steps: [
    {
      title: "A first login, just before the first rotation",
      does: async (sim, login) => {
        const east = sim.secrets.cluster("east");
        sim.clock.advance("59m59s");
        await idTokenFor(east, login, codeOf(east, login));
        sim.mark("before the rotation");
      },
      expectation: "the first of the two published keys signs",
      expect: async (sim, login) => {
        const east = sim.secrets.cluster("east");
        const token = await idTokenFor(east, login, codeOf(east, login));
        expectEqual(publishedKids(sim, "east").indexOf(kidOf(token)), 0);
      },
    },
    {
      title: "The key rotates",
      does: (sim) => {
        sim.clock.advance("1s");
        sim.mark("at the rotation");
      },
      expectation: "at that very instant the key signs that was the next one, and three are published",
      expect: async (sim, login) => {
        const [, next] = publishedKids(sim.at("before the rotation"), "east");
        const east = sim.secrets.cluster("east");
        expectEqual(kidOf(await idTokenFor(east, login, codeOf(east, login))), next);
        expectEqual(publishedKids(sim, "east").length, 3);
      },
    },
    {
      title: "People log in all day",
      does: async (sim, login) => {
        const east = sim.secrets.cluster("east");
        for (let turn = 0; turn < HOURS * LOGINS_AN_HOUR; turn++) {
          await idTokenFor(east, login, codeOf(east, login));
          sim.clock.advance(3_600_000 / LOGINS_AN_HOUR);
        }
      },
      expectation: "each token verifies with the keys of its time, until it expires and not much longer",
      expect: async (sim, login) => {
        const issued = sim.log.events().filter(({ type }) => type === "OidcTokensIssued");
        expectEqual(issued.length, HOURS * LOGINS_AN_HOUR + 1);
        for (const { position } of issued.filter((_, index) => index % 12 === 0)) {
          // The past gives the code once more, and its keys sign the very same token.
          const then = sim.fork(position - 1);
          const east = then.secrets.cluster("east");
          const token = await idTokenFor(east, login, openCode(then));
          expectEqual(await verifies(sim.at(position), "east", token), true);
          const issuedAtMs = then.clock.now();
          for (const afterMs of [0, 3_600_000, 7_199_999]) {
            const momentMs = Math.min(issuedAtMs + afterMs, sim.clock.now());
            expectEqual(await verifies(sim.at(new Date(momentMs)), "east", token), true);
          }
          const later = sim.fork();
          later.clock.advance("4h");
          expectEqual(await verifies(later, "east", token), false);
        }
      },
    },
  ],
});

/** The code that waits to be shown. */
function openCode({ state }: Pick<Simulator, "state">): string {
  const codes = [...(state.secrets["east"]?.local.oidcCodes.keys() ?? [])];
  if (codes.length === 0) throw new Error("no code waits");
  return codes.at(-1) ?? "";
}
