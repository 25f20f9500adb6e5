import { describe, expect, it } from "vitest";
import { doors } from "./driver.ts";
import { progress, regionsWorld, UNKNOWN_UUID } from "./regions-world.ts";

// Every row of decisions-scheduler-acl.md, section 9, by its number.

describe.each(doors())("easily missed, through %s:", (_, open) => {
  const world = (options = {}) => {
    const made = regionsWorld(options);
    return { ...made, door: open(made.sim, "eu") };
  };

  it("2. a missing or insufficient token is 403, never 401", async () => {
    const { door, client } = world();
    expect(await door.call("tokens.list", UNKNOWN_UUID)).toMatchObject({ status: 403, code: "token_unknown" });
    expect(await door.call("tokens.list", "not even a UUID")).toMatchObject({ status: 403 });
    expect(await door.call("tokens.list", undefined)).toMatchObject({ status: 403, code: "permission_denied" });
    expect(await door.call("tokens.list", client(["p"]).secret)).toMatchObject({ status: 403 });
  });

  it("3. a repeated bootstrap is 400 and reveals the reset index", async () => {
    const { door } = world();
    const refused = await door.call("acl.bootstrap", undefined);
    expect(refused).toMatchObject({ status: 400, code: "bootstrap_done" });
    expect(refused.text).toContain("ACL bootstrap already done (reset index: 2)");
  });

  it("4. after a reset bootstrap the same reset value no longer works, and the old token still does", async () => {
    const { door, eu, root } = world();
    eu.setBootstrapResetIndex(2);
    const second = await door.call("acl.bootstrap", undefined);
    expect(second).toMatchObject({ status: 200, body: { Name: "Bootstrap Token", CreateIndex: 3 } });
    const third = await door.call("acl.bootstrap", undefined);
    expect(third).toMatchObject({ status: 400, code: "bootstrap_reset_invalid" });
    expect(third.text).toContain("Invalid bootstrap reset index (specified 2, reset index: 3)");
    expect(await door.call("tokens.list", root)).toMatchObject({ status: 200 });
    expect(await door.call("tokens.list", second.body.SecretID)).toMatchObject({ status: 200 });
  });

  it("5. deleting a missing policy is 200, deleting a missing token 400", async () => {
    const { door, root } = world();
    expect(await door.call("policies.delete", root, { policy_name: "gone" })).toMatchObject({ status: 200 });
    expect(await door.call("policies.delete", root, { policy_name: "no name at all!" })).toMatchObject({ status: 200 });
    const refused = await door.call("tokens.delete", root, { accessor_id: UNKNOWN_UUID });
    expect(refused).toMatchObject({ status: 400, code: "token_nonexistent" });
    expect(refused.text).toContain(`Cannot delete nonexistent tokens: ${UNKNOWN_UUID}`);
  });

  it("6. a no-op policy delete raises the index but wakes nobody", async () => {
    const { door, root, get } = world();
    const { index = 0 } = await get("/v1/acl/policies", root);
    const reader = door.call("policies.list", root, {}, { index });
    await door.call("policies.delete", root, { policy_name: "gone" });
    expect(await progress(reader)).toBe("waits");
    expect((await get("/v1/acl/policies", root)).index).toBe(3);
    await door.call("policies.write", root, { Name: "real", Rules: "" });
    expect((await reader).body).toMatchObject([{ Name: "real" }]);
  });

  it("7. rewriting a policy unchanged raises ModifyIndex in the authoritative region and is not replicated", async () => {
    const { door, sim, root, policy } = world();
    policy("same");
    sim.settle();
    const read = async (region: string) =>
      (await door.call("policies.read", root, { policy_name: "same" }, {}, region)).body;
    const before = [await read("eu"), await read("us")];
    policy("same");
    sim.settle();
    sim.clock.advance("1h");
    const after = [await read("eu"), await read("us")];
    expect(after[0].ModifyIndex).toBe(before[0].ModifyIndex + 1);
    expect(after[1]).toEqual(before[1]);
  });

  it("8. reading a policy not on the token is 403 even if it does not exist; one on it that does not exist is 404", async () => {
    const { door, policy, client } = world();
    policy("others");
    const { secret } = client(["lent"]);
    for (const policy_name of ["others", "nobodys"]) {
      expect(await door.call("policies.read", secret, { policy_name })).toMatchObject({ status: 403 });
    }
    expect(await door.call("policies.read", secret, { policy_name: "lent" })).toMatchObject({
      status: 404,
      code: "policy_not_found",
    });
  });

  it("9. a client reading a foreign or missing accessor is 403 both times; a manager gets 404 for a missing one", async () => {
    const { door, root, rootAccessor, client } = world();
    const { secret } = client(["lent"]);
    for (const accessor_id of [rootAccessor, UNKNOWN_UUID]) {
      expect(await door.call("tokens.read", secret, { accessor_id })).toMatchObject({
        status: 403,
        code: "permission_denied",
      });
    }
    expect(await door.call("tokens.read", root, { accessor_id: UNKNOWN_UUID })).toMatchObject({ status: 404 });
  });

  it("10. listing policies without a token is 200 [], and shows anonymous once that exists", async () => {
    const { door, policy } = world();
    policy("secret");
    expect(await door.call("policies.list", undefined)).toMatchObject({ status: 200, body: [] });
    policy("anonymous");
    expect((await door.call("policies.list", undefined)).body.map(({ Name }: { Name: string }) => Name)).toEqual([
      "anonymous",
    ]);
  });

  it("11. reading the policy anonymous needs no token", async () => {
    const { door, policy, client } = world();
    expect(await door.call("policies.read", undefined, { policy_name: "anonymous" })).toMatchObject({ status: 404 });
    policy("anonymous", 'agent { policy = "read" }');
    for (const token of [undefined, client(["other"]).secret]) {
      expect(await door.call("policies.read", token, { policy_name: "anonymous" })).toMatchObject({
        status: 200,
        body: { Rules: 'agent { policy = "read" }' },
      });
    }
  });

  it("13. an index equal to the current one blocks; only a greater one returns", async () => {
    const { door, root, policy, get } = world();
    policy("one");
    const { index = 0 } = await get("/v1/acl/policies", root);
    expect(await progress(door.call("policies.list", root, {}, { index: index - 1 }))).toBe("settled");
    const reader = door.call("policies.list", root, {}, { index });
    const beyond = door.call("policies.list", root, {}, { index: index + 1 });
    expect([await progress(reader), await progress(beyond)]).toEqual(["waits", "waits"]);
    policy("two");
    expect([await progress(reader), await progress(beyond)]).toEqual(["settled", "waits"]);
    policy("three");
    expect((await beyond).body).toHaveLength(3);
  });

  it("15. a policy write does not wake token lists", async () => {
    const { door, root, policy, manager, get } = world();
    const { index = 0 } = await get("/v1/acl/tokens", root);
    const reader = door.call("tokens.list", root, {}, { index });
    policy("p");
    expect(await progress(reader)).toBe("waits");
    expect((await get("/v1/acl/tokens", root)).index).toBe(index);
    manager();
    expect((await reader).body).toHaveLength(2);
  });

  it("16. a token prefix with an odd digit count is 500; hyphens do not count; upper case works", async () => {
    const { door, root, rootAccessor } = world();
    const listed = async (prefix: string) => door.call("tokens.list", root, { prefix });
    const odd = await listed(rootAccessor.slice(0, 3));
    expect(odd.status).toBe(500);
    expect(odd.text).toContain("must be even length");
    const nonsense = await listed("zz");
    expect(nonsense.status).toBe(500);
    expect(nonsense.text).toContain("Invalid UUID");
    const wanted = [expect.objectContaining({ AccessorID: rootAccessor })];
    expect((await listed(rootAccessor.slice(0, 2).toUpperCase())).body).toEqual(wanted);
    expect((await listed(rootAccessor.slice(0, 11))).body).toEqual(wanted);
    expect((await listed(rootAccessor.replaceAll("-", "").slice(0, 10))).body).toEqual(wanted);
    expect((await listed("-")).body).toHaveLength(1);
    expect((await listed(rootAccessor[0] === "0" ? "ff" : "00")).body).toEqual([]);
  });

  it("17. an update is a replacement: leaving out Name clears it; leaving out Description clears it", async () => {
    const { door, root } = world();
    const { body: made } = await door.call("tokens.create", root, { Name: "named", Type: "client", Policies: ["a"] });
    const { AccessorID } = made;
    const argument = { accessor_id: AccessorID, AccessorID, Type: "management" };
    expect((await door.call("tokens.update", root, argument)).body).toMatchObject({ Name: "", Policies: null });
    await door.call("policies.write", root, { Name: "p", Description: "said", Rules: "" });
    await door.call("policies.write", root, { Name: "p", Rules: "" });
    expect((await door.call("policies.read", root, { policy_name: "p" })).body.Description).toBe("");
  });

  it("18. SecretID and CreateTime survive updates whatever the body says", async () => {
    const { door, sim, root } = world();
    const { body: made } = await door.call("tokens.create", root, {
      Type: "client",
      Policies: ["a"],
      SecretID: UNKNOWN_UUID,
      CreateTime: "soon",
    });
    expect(made.SecretID).not.toBe(UNKNOWN_UUID);
    sim.clock.advance("1h");
    const { AccessorID } = made;
    const { body: updated } = await door.call("tokens.update", root, {
      accessor_id: AccessorID,
      AccessorID,
      Type: "client",
      Policies: ["b", "b"],
      SecretID: UNKNOWN_UUID,
      CreateTime: "2030-01-01T00:00:00Z",
      CreateIndex: 99,
      ModifyIndex: 99,
    });
    expect(updated).toEqual({ ...made, Policies: ["b", "b"], ModifyIndex: made.ModifyIndex + 1 });
  });

  it("19. a mismatch of body and path is 400 even with a bad token", async () => {
    const { door } = world();
    const policy = await door.call("policies.write", "bogus", { policy_name: "a", Name: "b", Rules: "" });
    expect(policy).toMatchObject({ status: 400, code: "policy_name_mismatch" });
    expect(policy.text).toContain("ACL policy name does not match request path");
    const token = await door.call("tokens.update", "bogus", { accessor_id: "a", Type: "management" });
    expect(token).toMatchObject({ status: 400, code: "accessor_mismatch" });
    expect(token.text).toContain("ACL token accessor does not match request path");
  });

  it("20. an invalid type of an unknown accessor is 400: validation comes before existence", async () => {
    const { door, root } = world();
    const argument = { accessor_id: UNKNOWN_UUID, AccessorID: UNKNOWN_UUID };
    expect(await door.call("tokens.update", root, { ...argument, Type: "robot" })).toMatchObject({ status: 400 });
    const missing = await door.call("tokens.update", root, { ...argument, Type: "management" });
    expect(missing).toMatchObject({ status: 404, code: "token_missing" });
    expect(missing.text).toContain(`cannot find token ${UNKNOWN_UUID}`);
  });

  it("21. tokens may name policies that do not exist; creating the policy later activates them", async () => {
    const { door, eu, policy, client } = world();
    const { secret } = client(["later"]);
    expect(eu.as(secret).capabilities("namespace", "default")).toEqual([]);
    policy("later", 'namespace "default" { capabilities = ["submit-job"] }');
    expect(eu.as(secret).capabilities("namespace", "default")).toEqual(["submit-job"]);
    expect((await door.call("policies.list", secret)).body).toHaveLength(1);
  });

  it("22. a deleted and rewritten policy gets a new CreateIndex; an updated one keeps it", async () => {
    const { door, root, policy } = world();
    const read = async () => (await door.call("policies.read", root, { policy_name: "p" })).body;
    policy("p");
    const first = await read();
    policy("p", 'agent { policy = "read" }');
    expect(await read()).toMatchObject({ CreateIndex: first.CreateIndex, ModifyIndex: first.ModifyIndex + 1 });
    await door.call("policies.delete", root, { policy_name: "p" });
    policy("p");
    expect((await read()).CreateIndex).toBe(first.CreateIndex + 3);
  });

  it("23. a local manager elsewhere cannot write policies; a manager whom it does not know yet can, through it", async () => {
    const { door, manager } = world();
    const local = manager({ region: "us" }).secret;
    const write = { Name: "p", Rules: "" };
    expect(await door.call("policies.write", local, write, {}, "us")).toMatchObject({ status: 403 });
    expect(await door.call("tokens.create", local, { Type: "management", Global: true }, {}, "us")).toMatchObject({
      status: 403,
    });
    expect(await door.call("tokens.list", local, {}, {}, "us")).toMatchObject({ status: 200 });
    const fresh = manager({ Global: true }).secret;
    expect(await door.call("tokens.list", fresh, {}, {}, "us")).toMatchObject({ status: 403, code: "token_unknown" });
    expect(await door.call("tokens.create", fresh, { Type: "management" }, {}, "us")).toMatchObject({ status: 403 });
    expect(await door.call("policies.write", fresh, write, {}, "us")).toMatchObject({ status: 200 });
    expect(await door.call("tokens.create", fresh, { Type: "management", Global: true }, {}, "us")).toMatchObject({
      status: 200,
    });
  });

  it("24. a token delete elsewhere needs the token visible there first; a policy delete does not", async () => {
    const { door, sim, root, client, policy } = world();
    const { accessor: accessor_id } = client(["a"], { Global: true });
    policy("p");
    expect(await door.call("tokens.delete", root, { accessor_id }, {}, "us")).toMatchObject({
      status: 400,
      code: "token_nonexistent",
    });
    expect(await door.call("policies.delete", root, { policy_name: "p" }, {}, "us")).toMatchObject({ status: 200 });
    expect(await door.call("policies.read", root, { policy_name: "p" })).toMatchObject({ status: 404 });
    sim.settle();
    expect(await door.call("tokens.delete", root, { accessor_id }, {}, "us")).toMatchObject({ status: 200 });
    expect(await door.call("tokens.read", root, { accessor_id })).toMatchObject({ status: 404 });
  });

  it("25. with the authoritative region unreachable, local token writes still work; global ones are 500", async () => {
    const { door, sim, eu, us, root } = world();
    sim.network.cut(eu, us);
    expect(await door.call("tokens.create", root, { Type: "management" }, {}, "us")).toMatchObject({ status: 200 });
    for (const refused of [
      await door.call("tokens.create", root, { Type: "management", Global: true }, {}, "us"),
      await door.call("policies.write", root, { Name: "p", Rules: "" }, {}, "us"),
      await door.call("policies.delete", root, { policy_name: "p" }, {}, "us"),
      await door.call("acl.bootstrap", undefined, {}, {}, "us"),
    ]) {
      expect(refused).toMatchObject({ status: 500, code: "no_path_to_region" });
      expect(refused.text).toContain("No path to region");
    }
  });

  it("26. a global token deleted in the authoritative region keeps working elsewhere until replication", async () => {
    const { door, sim, root, client } = world();
    const { accessor: accessor_id, secret } = client(["a"], { Global: true });
    sim.settle();
    await door.call("tokens.delete", root, { accessor_id });
    expect(await door.call("tokens.self", secret)).toMatchObject({ status: 403 });
    expect(await door.call("tokens.self", secret, {}, {}, "us")).toMatchObject({ status: 200 });
    sim.clock.advance(99);
    expect(await door.call("tokens.self", secret, {}, {}, "us")).toMatchObject({ status: 200 });
    sim.clock.advance(1);
    expect(await door.call("tokens.self", secret, {}, {}, "us")).toMatchObject({ status: 403 });
  });

  it("27. replication also deletes: whatever the authoritative region lacks, never a local token", async () => {
    const { door, sim, eu, us, root, policy, client } = world();
    policy("old");
    const global = client(["a"], { Global: true });
    const local = client(["a"], { region: "us" });
    sim.network.cut(eu, us);
    policy("newer");
    sim.scheduler.setAuthoritative(us);
    sim.network.heal();
    sim.settle();
    expect((await door.call("policies.list", root)).body).toEqual([]);
    expect(await door.call("tokens.self", global.secret)).toMatchObject({ status: 403 });
    expect(await door.call("tokens.self", local.secret, {}, {}, "us")).toMatchObject({ status: 200 });
  });

  it("28. rules: the empty text is valid, a space is not, and none at all is not", async () => {
    const { door, root } = world();
    const write = (Rules: unknown) => door.call("policies.write", root, { Name: "p", Rules });
    expect(await write("")).toMatchObject({ status: 200 });
    const blank = await write(" ");
    expect(blank).toMatchObject({ status: 400, code: "policy_invalid" });
    expect(blank.text).toContain("failed to parse rules");
    for (const missing of [await write(undefined), await write(null)]) {
      expect(missing).toMatchObject({ status: 400 });
      expect(missing.text).toContain("missing rules");
    }
  });

  it("29. wait without index does not block; a wait without a unit is 400", async () => {
    const { door, root } = world();
    expect(await progress(door.call("policies.list", root, {}, { wait: "10s" }))).toBe("settled");
    const refused = await door.call("policies.list", root, {}, { wait: "10", index: 1 });
    expect(refused).toMatchObject({ status: 400, code: "wait_invalid" });
    expect(refused.text).toContain("Invalid wait time");
  });
});

describe("easily missed, over HTTP alone:", () => {
  it("1. errors are plain text, successes JSON; deletes and policy writes have an empty 200", async () => {
    const { send, root, manager } = regionsWorld();
    const body = JSON.stringify({ Name: "p", Rules: "" });
    const { accessor } = manager();
    for (const received of [
      await send("eu", "POST", "/v1/acl/policy/p", { token: root, body }),
      await send("eu", "DELETE", "/v1/acl/policy/p", { token: root }),
      await send("eu", "DELETE", `/v1/acl/token/${accessor}`, { token: root }),
    ]) {
      expect(received).toMatchObject({ status: 200, text: "" });
      expect(received.index).toBeGreaterThan(2);
    }
    expect((await send("eu", "GET", "/v1/acl/tokens")).text).toBe("Permission denied");
  });

  it("12. the header of a single read is the object's ModifyIndex, that of a list the table's", async () => {
    const { get, root, rootAccessor, policy, manager } = regionsWorld();
    policy("one");
    policy("two");
    manager();
    expect((await get("/v1/acl/policy/one", root)).index).toBe(3);
    expect((await get("/v1/acl/policies", root)).index).toBe(4);
    expect((await get("/v1/acl/policies?prefix=one", root)).index).toBe(4);
    expect((await get("/v1/acl/policies")).index).toBe(4);
    expect((await get(`/v1/acl/token/${rootAccessor}`, root)).index).toBe(2);
    expect((await get("/v1/acl/token/self", root)).index).toBe(2);
    expect((await get("/v1/acl/tokens", root)).index).toBe(5);
    expect((await get("/v1/acl/tokens?prefix=00000000", root)).index).toBe(5);
  });

  it("14. listing policies never returns index 0, a 404 policy read on a fresh region does", async () => {
    const { get, root } = regionsWorld();
    expect((await get("/v1/acl/policies", root)).index).toBe(1);
    expect(await get("/v1/acl/policy/none", root)).toMatchObject({
      status: 404,
      index: 0,
      text: "ACL policy not found",
    });
  });

  it("30. 404 answers carry the index headers, so a client can block for creation", async () => {
    const { get, root, policy } = regionsWorld();
    policy("other");
    const { status, index } = await get("/v1/acl/policy/wanted", root);
    expect({ status, index }).toEqual({ status: 404, index: 3 });
    const reader = get(`/v1/acl/policy/wanted?index=${index}`, root);
    expect(await progress(reader)).toBe("waits");
    policy("wanted");
    expect(await reader).toMatchObject({ status: 200, index: 4, json: { Name: "wanted" } });
  });
});
