import { describe, expect, it } from "vitest";
import { doors, type Fields } from "../driver.ts";
import { expectDone, expectNotFound, expectNothingChanged, expectRefused } from "../expectations.ts";
import { authOf, authWorld } from "./auth-world.ts";

// src/services/secrets/auth/userpass/README.md, and auth/README.md, 2: each test names the rules that it holds.

const DEFAULTS = {
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_policies: [],
  token_ttl: 0,
  token_type: "default",
};

describe.each(doors())("userpass through %s", (_, subject) => {
  it("1, 2, 3: keeps users by names in lower case, and never shows a password", async () => {
    const { sim, done, call } = await authWorld(subject, "userpass");
    expectNotFound(await call("userpass.list"));
    expectRefused(await call("userpass.write", { username: "Ann" }), 400, "missing password");
    expectDone(await call("userpass.write", { username: "Ann", password: "p" }));
    expect(await done("userpass.list")).toEqual({ keys: ["ann"] });
    expect(await done("userpass.read", { username: "ANN" })).toEqual(DEFAULTS);
    expectNotFound(await call("userpass.read", { username: "bob" }));
    expectDone(await call("userpass.delete", { username: "ANN" }));
    await expectNothingChanged(sim, async () => expectDone(await call("userpass.delete", { username: "ann" })));
  });

  it("auth 2.1: what is absent stays", async () => {
    const { done } = await authWorld(subject, "userpass");
    const given = {
      token_ttl: "1h",
      token_max_ttl: "2h",
      token_explicit_max_ttl: "3h",
      token_period: "4h",
      token_policies: "b, a",
      token_bound_cidrs: ["10.0.0.1"],
      token_no_default_policy: true,
      token_num_uses: 3,
      token_type: "service",
    };
    await done("userpass.write", { username: "ann", password: "p", ...given });
    await done("userpass.write", { username: "ann", token_num_uses: 4 });
    expect(await done("userpass.read", { username: "ann" })).toEqual({
      ...given,
      token_ttl: 3600,
      token_max_ttl: 7200,
      token_explicit_max_ttl: 10_800,
      token_period: 14_400,
      token_policies: ["b", "a"],
      token_num_uses: 4,
    });
  });

  it.each<[rule: string, fields: Fields, piece: string]>([
    ["2.2: a TTL above its maximum", { token_ttl: 2, token_max_ttl: 1 }, "cannot be greater than 'token_max_ttl'"],
    ["2.2: a type that there is not", { token_type: "default-service" }, "invalid 'token_type' value"],
    ["2.2: a batch token with a period", { token_type: "batch", token_period: 1 }, "periodic tokens"],
    ["2.2: a batch token with uses", { token_type: "batch", token_num_uses: 1 }, "limited use count"],
    ["2.3: what is no address", { token_bound_cidrs: "10.0.0.0/8,10.0.0.0/33" }, '"10.0.0.0/33"'],
    ["2.3: what is no address of version 6", { token_bound_cidrs: "1::2::3" }, '"1::2::3"'],
    ["uses below none", { token_num_uses: -1 }, "token_num_uses"],
  ])("auth %s is refused with 400", async (_rule, fields, piece) => {
    const { sim, call } = await authWorld(subject, "userpass");
    const user = { username: "ann", password: "p", ...fields };
    await expectNothingChanged(sim, async () => expectRefused(await call("userpass.write", user), 400, piece));
  });

  it("auth 2.4: older names count where the newer ones are not given", async () => {
    const { done } = await authWorld(subject, "userpass");
    await done("userpass.write", { username: "ann", password: "p", policies: "a", ttl: 60, token_ttl: 30 });
    const shown = { ...DEFAULTS, token_policies: ["a"], policies: ["a"], token_ttl: 30, ttl: 30 };
    expect(await done("userpass.read", { username: "ann" })).toEqual(shown);
    await done("userpass.write", { username: "ann", token_policies: "b" });
    expect(await done("userpass.read", { username: "ann" })).toEqual({
      ...DEFAULTS,
      token_policies: ["b"],
      token_ttl: 30,
      ttl: 30,
    });
  });

  it("4: changes password and policies alone", async () => {
    const { done, call, login } = await authWorld(subject, "userpass");
    await done("userpass.write", { username: "ann", password: "p", token_policies: "a", token_ttl: 60 });
    expectDone(await call("userpass.setPassword", { username: "ann", password: "q" }));
    expectDone(await call("userpass.setPolicies", { username: "ann", token_policies: "b" }));
    expectRefused(await login("userpass.login", { username: "ann", password: "p" }), 400, "invalid username");
    const auth = authOf(await login("userpass.login", { username: "ann", password: "q" }));
    expect(auth).toMatchObject({ policies: ["b", "default"], lease_duration: 60 });
    expectRefused(await call("userpass.setPassword", { username: "ann" }), 400, "missing password");
    expectRefused(
      await call("userpass.setPassword", { username: "bob", password: "p" }),
      500,
      "username does not exist",
    );
    expectRefused(await call("userpass.setPolicies", { username: "bob" }), 500, "username does not exist");
  });

  it("5, 9: lets in whoever knows the password, and says nothing else", async () => {
    const { sim, done, login } = await authWorld(subject, "userpass");
    await done("userpass.write", { username: "ann", password: "p", token_bound_cidrs: "10.0.0.1" });
    await expectNothingChanged(sim, async () => {
      expectRefused(await login("userpass.login", { username: "ann" }), 500, "missing password");
      const wrong = "invalid username or password";
      expectRefused(await login("userpass.login", { username: "ann", password: "P" }), 400, wrong);
      expectRefused(await login("userpass.login", { username: "bob", password: "p" }), 400, wrong);
      expectRefused(await login("userpass.login", { username: "ann", password: "p" }), 403, "permission denied");
    });
    authOf(await login("userpass.login", { username: "ann", password: "p" }, { address: "10.0.0.1" }));
  });

  it("6: calls people by their names in lower case", async () => {
    const { done, login, lookup } = await authWorld(subject, "userpass");
    await done("userpass.write", { username: "Ann", password: "p" });
    const auth = authOf(await login("userpass.login", { username: "ANN", password: "p" }));
    expect(auth.metadata).toEqual({ username: "ann" });
    expect(lookup(auth.client_token)).toMatchObject({ display_name: "userpass-ann", path: "auth/userpass/login/ANN" });
    expect(await done("identity.entities.read", { id: auth.entity_id })).toMatchObject({ aliases: [{ name: "ann" }] });
  });

  it("7: a deleted user's token lives on, and is not renewed", async () => {
    const { done, login, call, lookup } = await authWorld(subject, "userpass");
    await done("userpass.write", { username: "ann", password: "p", token_ttl: "1h" });
    const { client_token: token } = authOf(await login("userpass.login", { username: "ann", password: "p" }));
    await done("userpass.delete", { username: "ann" });
    const before = lookup(token);
    expectDone(await call("tokens.renewSelf", {}, { token }));
    expectDone(await call("tokens.renew", { token }));
    expect(lookup(token)).toEqual(before);
  });

  it("8: a token is not renewed once its user's policies are others", async () => {
    const { done, login, call } = await authWorld(subject, "userpass");
    await done("userpass.write", { username: "ann", password: "p", token_policies: "b,a" });
    const { client_token: token } = authOf(await login("userpass.login", { username: "ann", password: "p" }));
    await done("userpass.setPolicies", { username: "ann", token_policies: ["A", "default", "b"] });
    authOf(await call("tokens.renewSelf", {}, { token }));
    await done("userpass.setPolicies", { username: "ann", token_policies: "a" });
    expectRefused(await call("tokens.renewSelf", {}, { token }), 500, "policies have changed, not renewing");
  });
});
