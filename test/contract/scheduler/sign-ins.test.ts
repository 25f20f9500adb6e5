import { describe, expect, it } from "vitest";
import { doors } from "./driver.ts";
import { regionsWorld } from "./regions-world.ts";

// src/services/scheduler/sign-ins/README.md.

describe.each(doors())("through %s", (_name, open) => {
  const world = () => {
    const made = regionsWorld();
    return { ...made, door: open(made.sim, "eu"), secret: made.client(["p"]).secret };
  };

  it("there are no auth methods and no binding rules", async () => {
    const { door, root } = world();
    expect(await door.call("authMethods.list", root)).toMatchObject({ status: 200, body: [] });
    expect(await door.call("bindingRules.list", root)).toMatchObject({ status: 200, body: [] });
    expect(await door.call("authMethods.read", root, { method_name: "m" })).toMatchObject({
      status: 404,
      code: "auth_method_not_found",
    });
    expect(await door.call("bindingRules.read", root, { rule_id: "r" })).toMatchObject({
      status: 404,
      code: "binding_rule_not_found",
    });
  });

  it("whoever is no manager sees the list of methods only", async () => {
    const { door, secret } = world();
    for (const token of [secret, undefined]) {
      expect(await door.call("authMethods.list", token)).toMatchObject({ status: 200, body: [] });
      expect(await door.call("authMethods.read", token, { method_name: "m" })).toMatchObject({ status: 403 });
      expect(await door.call("bindingRules.list", token)).toMatchObject({ status: 403 });
      expect(await door.call("bindingRules.read", token, { rule_id: "r" })).toMatchObject({ status: 403 });
    }
  });

  it("nobody logs in", async () => {
    const { door, sim } = world();
    const before = sim.position;
    const login = (AuthMethodName: string, LoginToken: string) =>
      door.call("acl.login", undefined, { AuthMethodName, LoginToken });
    const answer = await login("github", "jwt");
    expect(answer).toMatchObject({ status: 400, code: "auth_method_missing" });
    expect(answer.text).toContain('auth-method "github" not found');
    const { text, ...empty } = await login("", "");
    expect(empty).toMatchObject({ status: 400, code: "login_invalid" });
    expect(text).toContain("missing auth method name");
    expect(text).toContain("missing login token");
    expect(sim.position).toBe(before);
  });
});
