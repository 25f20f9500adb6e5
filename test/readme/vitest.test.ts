import { hindcastTest, test } from "hindcast/vitest";
import { describe, expect } from "vitest";

// Each test has a simulator of its own, made when it asks for one; also tests that run at the same time.
test.concurrent("an account is lent once", ({ sim }) => {
  const { rootToken, as } = sim.secrets.cluster("main");
  const { ldapConfig, library } = as(rootToken);
  sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
  ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  library.write({ set_name: "ops", service_account_names: ["svc-1"] });
  library.checkOut({ set_name: "ops" });

  expect(() => library.checkOut({ set_name: "ops" })).toBeRejectedWith("no_account_available", { status: 400 });
  expect(sim).toHaveRecorded("ServiceAccountCheckedOut", 1);
  expect(sim).toHaveRecorded({ type: "LibrarySetCreated", data: { at: { mount: "ldap/" } } });
  const account = 'secrets.main.replicated.mounts["ldap/"].library.accounts["svc-1"]';
  expect(sim).toHaveState(account, { status: "checked_out" });
  expect(sim.at(3)).not.toHaveState(account, { status: "checked_out" });
});

// With options: for the tests of a file, or of a suite.
const testTwo = hindcastTest({ seed: 7, secrets: { clusters: ["east", "west"] } });

testTwo("a response is a refusal, too", async ({ sim }) => {
  const { url } = sim.secrets.cluster("west");
  expect(await sim.fetch(`${url}/v1/kv/orders`)).toBeRejectedWith("permission_denied");
});

describe("without the enterprise licence", () => {
  test.override({ simOptions: { secrets: { license: "community" } } });

  test("there are no namespaces", ({ sim }) => {
    const { rootToken, as } = sim.secrets.cluster("main");
    expect(() => as(rootToken).namespaces.write({ name: "team" })).toBeRejectedWith("unsupported_path");
  });
});
