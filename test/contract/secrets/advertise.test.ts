import { describe, expect, it } from "vitest";
import { createSimulator, replay } from "../../../src/index.ts";

// real-clients.md, H3: the issuer is where the listener listens.

const issuersOf = (sim: ReturnType<typeof createSimulator>) => {
  const { oidc } = sim.secrets.cluster("main").as();
  return [oidc.configuration({ name: "default" }).issuer, oidc.identityTokens.configuration().issuer];
};

describe("where clients outside reach a cluster", () => {
  it("is what issuers begin with that nobody set, until nobody says so any more", () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    const own = issuersOf(sim);
    main.advertise("http://127.0.0.1:8200/secrets/main/");
    expect(issuersOf(sim)).toEqual([
      "http://127.0.0.1:8200/secrets/main/v1/identity/oidc/provider/default",
      "http://127.0.0.1:8200/secrets/main/v1/identity/oidc",
    ]);
    expect(replay(sim.log.toNdjson()).stateHash()).toBe(sim.stateHash());
    main.as(main.rootToken).oidc.providers.write({ name: "default", issuer: "https://set.example" });
    expect(issuersOf(sim)[0]).toBe("https://set.example/v1/identity/oidc/provider/default");
    main.as(main.rootToken).oidc.providers.write({ name: "default", issuer: "" });
    main.advertise();
    expect(issuersOf(sim)).toEqual(own);
  });

  it("changes nothing where it is the same", () => {
    const sim = createSimulator();
    const main = sim.secrets.cluster("main");
    main.advertise("http://a.example");
    const { length } = sim.log.commits();
    main.advertise("http://a.example/");
    expect(sim.log.commits()).toHaveLength(length);
  });

  it.each([
    "a.example",
    "ftp://a.example",
    "http://",
    "http://u:p@a.example",
    "http://a.example?q",
    "http://a.example#f",
    "",
    8200,
    null,
  ])("is not %j", (url) => {
    const sim = createSimulator();
    const { length } = sim.log.commits();
    expect(() => sim.secrets.cluster("main").advertise(url as string)).toThrow(TypeError);
    expect(sim.log.commits()).toHaveLength(length);
  });
});
