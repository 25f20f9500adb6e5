import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

test("a program logs in until its secret id ends", () => {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { auth, approle } = main.as(main.rootToken);
  auth.enable({ path: "approle", type: "approle" });
  approle.write({ role_name: "web", role_id: "web", secret_id_ttl: "1h", token_policies: "dev" });
  const { secret_id } = approle.secretIds.generate({ role_name: "web" }).data;

  const login = () => main.as().approle.login({ role_id: "web", secret_id }).auth;
  expect(login()).toMatchObject({ policies: ["default", "dev"], metadata: { role_name: "web" } });

  sim.clock.advance("1h");
  expect(login).toThrow("invalid role or secret ID");
});
