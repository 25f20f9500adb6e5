import { describe, expect, it } from "vitest";
import { doors } from "../driver.ts";
import { expectData, expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { orchestratorWorld } from "./orchestrator-world.ts";

// decisions-orchestrator.md, 1 and 2: the configuration of an orchestrator engine.

const HOST = "https://api.test";

describe.each(doors())("the configuration of an orchestrator engine through %s", (_, { open }) => {
  const opened = () => {
    const world = orchestratorWorld({ configured: false });
    return { ...world, main: world.sim.secrets.cluster("main"), ...open(world.sim) };
  };

  it("shows what was stored, and never the token", async () => {
    const { call } = opened();
    expectNotFound(await call("orchestrator.config.read"));
    expectDone(
      await call("orchestrator.config.write", {
        orchestrator_host: HOST,
        orchestrator_ca_cert: "no PEM, and nobody minds",
        service_account_jwt: "jwt",
        disable_local_ca_jwt: "true",
      }),
    );
    expect(expectData(await call("orchestrator.config.read"))).toEqual({
      orchestrator_host: HOST,
      orchestrator_ca_cert: "no PEM, and nobody minds",
      disable_local_ca_jwt: true,
    });
  });

  it("changes what is sent only, and an empty text clears", async () => {
    const { call, sim } = opened();
    await call("orchestrator.config.write", {
      orchestrator_host: HOST,
      orchestrator_ca_cert: "pem",
      service_account_jwt: "jwt",
    });
    expectDone(await call("orchestrator.config.write", { orchestrator_ca_cert: "" }));
    expect(expectData(await call("orchestrator.config.read"))).toMatchObject({
      orchestrator_host: HOST,
      orchestrator_ca_cert: "",
    });
    sim.orchestrator.requireToken("jwt");
    await call("orchestrator.roles.write", {
      name: "app",
      service_account_name: "app",
      allowed_orchestrator_namespaces: "shop",
    });
    expectData(await call("orchestrator.creds", { role: "app", orchestrator_namespace: "shop" }));
  });

  it("needs a host unless one is sent, stored, or in the pod", async () => {
    const { call, sim, main } = opened();
    await expectNothingChanged(sim, async () => {
      const answer = await call("orchestrator.config.write", { service_account_jwt: "jwt" });
      expectRefused(answer, 500, "1 error occurred:\n\t* ", "could not be determined from environment");
    });
    main.setPodEnvironment({ host: "10.0.0.1" });
    expectRefused(await call("orchestrator.config.write", {}), 500, "could not be determined from environment");
    main.setPodEnvironment({ port: "443" });
    expectRefused(await call("orchestrator.config.write", {}), 500, "could not be determined from environment");
    main.setPodEnvironment({ host: "10.0.0.1", port: 443 });
    expectDone(await call("orchestrator.config.write", {}));
    expect(expectData(await call("orchestrator.config.read"))["orchestrator_host"]).toBe("");
  });

  it("takes an empty host as sent, and fails for it when credentials are asked for", async () => {
    const { call } = opened();
    expectDone(await call("orchestrator.config.write", { orchestrator_host: "" }));
    expectRefused(await call("orchestrator.config.write", {}), 500, "could not be determined from environment");
    await call("orchestrator.roles.write", {
      name: "app",
      service_account_name: "app",
      allowed_orchestrator_namespaces: "shop",
    });
    const answer = await call("orchestrator.creds", { role: "app", orchestrator_namespace: "shop" });
    expectRefused(answer, 500, "could not be determined from environment");
    expectDone(await call("orchestrator.config.write", { orchestrator_host: HOST }));
    expectData(await call("orchestrator.creds", { role: "app", orchestrator_namespace: "shop" }));
  });

  it("is deleted whether it is there or not, and roles stay", async () => {
    const { call, sim } = opened();
    await expectNothingChanged(sim, async () => expectDone(await call("orchestrator.config.delete")));
    await call("orchestrator.config.write", { orchestrator_host: HOST });
    const role = { name: "app", service_account_name: "app", allowed_orchestrator_namespaces: "shop" };
    await call("orchestrator.roles.write", role);
    expectDone(await call("orchestrator.config.delete"));
    expectNotFound(await call("orchestrator.config.read"));
    expectData(await call("orchestrator.roles.read", { name: "app" }));
    const asked = { role: "app", orchestrator_namespace: "shop" };
    expectRefused(await call("orchestrator.creds", asked), 500, "could not load backend configuration");
    await call("orchestrator.config.write", { orchestrator_host: HOST });
    expectData(await call("orchestrator.creds", asked));
  });

  it("is written with update, never with create", async () => {
    const { call, main } = opened();
    const tokenOf = (capability: string): string => {
      main.writePolicy(capability, `path "orchestrator/*" { capabilities = ["${capability}"] }`);
      return main.createToken({ policies: [capability] }).token;
    };
    const fields = { orchestrator_host: HOST };
    expectRefused(
      await call("orchestrator.config.write", fields, { token: tokenOf("create") }),
      403,
      "permission denied",
    );
    expectDone(await call("orchestrator.config.write", fields, { token: tokenOf("update") }));
    expectRefused(
      await call("orchestrator.config.write", fields, { token: tokenOf("create") }),
      403,
      "permission denied",
    );
  });

  it.each([
    ["orchestrator_host", ["a"]],
    ["service_account_jwt", {}],
    ["disable_local_ca_jwt", "maybe"],
  ])("refuses %s of the wrong type", async (field, value) => {
    const { call, sim } = opened();
    await expectNothingChanged(sim, async () => {
      expectRefused(await call("orchestrator.config.write", { [field]: value }), 400, "Field validation failed", field);
    });
  });

  it("has a state of its own on each mount and in each namespace", async () => {
    const { call, main } = opened();
    main.mount("k8s", { type: "orchestrator" });
    main.createNamespace("team");
    main.mount("orchestrator", { type: "orchestrator", namespace: "team" });
    await call("orchestrator.config.write", { orchestrator_host: HOST });
    expectNotFound(await call("orchestrator.config.read", {}, { mount: "k8s" }));
    expectNotFound(await call("orchestrator.config.read", {}, { namespace: "team" }));
    await call("orchestrator.config.write", { orchestrator_host: "https://two.test" }, { mount: "k8s" });
    expect(expectData(await call("orchestrator.config.read", {}, { mount: "k8s" }))["orchestrator_host"]).toBe(
      "https://two.test",
    );
  });
});

describe("the token that an engine comes with", () => {
  const ROLE = { service_account_name: "app" };

  it.each([
    { rule: "none, where none is demanded", config: {}, demanded: undefined, works: true },
    { rule: "none, where one is demanded", config: {}, demanded: "jwt", works: false },
    { rule: "the stored one", config: { service_account_jwt: "jwt" }, demanded: "jwt", works: true },
    { rule: "another one than is demanded", config: { service_account_jwt: "other" }, demanded: "jwt", works: false },
    { rule: "that of the pod", config: {}, file: "jwt", demanded: "jwt", works: true },
    {
      rule: "the stored one before the pod's",
      config: { service_account_jwt: "jwt" },
      file: "x",
      demanded: "jwt",
      works: true,
    },
    {
      rule: "not the pod's, if local files are off",
      config: { disable_local_ca_jwt: true },
      file: "jwt",
      demanded: "jwt",
      works: false,
    },
  ])("$rule", async ({ config, file, demanded, works }) => {
    const { sim, root, role, creds } = orchestratorWorld({ configured: false });
    const main = sim.secrets.cluster("main");
    if (file !== undefined) main.setPodEnvironment({ host: "10.0.0.1", port: "443", tokenFile: file });
    if (demanded !== undefined) sim.orchestrator.requireToken(demanded);
    main.as(root).orchestrator.config.write({ orchestrator_host: "https://api.test", ...config });
    await role("app", ROLE);
    if (works) expect(await creds("app")).toMatchObject({ name: "app" });
    else
      await expect(creds("app")).rejects.toMatchObject({
        status: 500,
        message: expect.stringMatching(/Unauthorized$/),
      });
  });
});
