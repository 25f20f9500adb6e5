import { describe, expect, it } from "vitest";
import { doors, type Fields } from "../../driver.ts";
import { expectRefused } from "../../expectations.ts";
import { authOf } from "../auth-world.ts";
import { joined, replicatedWorld, rootOf } from "./replicated-world.ts";

// src/services/secrets/auth/README.md, 5: each test names the rules that it holds.

const ANN = { username: "ann", password: "p" };

async function world() {
  const { sim, cluster } = replicatedWorld(["primary", "secondary"]);
  const [primary, secondary] = [cluster("primary"), cluster("secondary")];
  const lead = primary.as(primary.rootToken);
  lead.auth.enable({ path: "userpass", type: "userpass" });
  lead.userpass.write(ANN);
  await joined("performance", primary, secondary);
  sim.settle();
  return { sim, primary, secondary };
}

describe.each(doors())("logins on a performance secondary through %s", (_, { open }) => {
  const loginOf =
    (sim: Parameters<typeof open>[0]) =>
    (fields: Fields, mount = "auth/userpass") =>
      open(sim, "secondary").call("userpass.login", fields, { token: null, mount });

  it("5.1, 5.2: give tokens of the secondary, and people of the set", async () => {
    const { sim, primary, secondary } = await world();
    const { client_token: token, entity_id: id } = authOf(await loginOf(sim)(ANN));
    expect(secondary.as(token).tokens.lookupSelf().data.entity_id).toBe(id);
    expectRefused(await open(sim, "primary").call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
    expect(primary.as(primary.rootToken).identity.entities.read({ id }).data.aliases).toMatchObject([{ name: "ann" }]);
    expect(authOf(await open(sim, "primary").call("userpass.login", ANN, { token: null })).entity_id).toBe(id);
  });

  it("5.2: need the primary only where something is to be written", async () => {
    const { sim, primary, secondary } = await world();
    primary.as(primary.rootToken).userpass.write({ username: "bob", password: "p" });
    sim.settle();
    const first = authOf(await loginOf(sim)(ANN));
    sim.network.cut(primary, secondary);
    expect(authOf(await loginOf(sim)(ANN)).entity_id).toBe(first.entity_id);
    const hash = sim.stateHash();
    expectRefused(await loginOf(sim)({ ...ANN, username: "bob" }), 500, "failed to forward");
    expect(sim.stateHash()).toBe(hash);
    sim.network.heal(primary, secondary);
    expect(authOf(await loginOf(sim)({ ...ANN, username: "bob" })).entity_id).not.toBe(first.entity_id);
  });

  it("5.3: of local methods lead to people of the set as well", async () => {
    const { sim, primary, secondary } = await world();
    const own = secondary.as(rootOf(secondary));
    own.auth.enable({ path: "own", type: "userpass", local: true });
    own.at("auth/own").userpass.write(ANN);
    const { entity_id: id } = authOf(await loginOf(sim)(ANN, "auth/own"));
    expect(primary.as(primary.rootToken).identity.entities.read({ id }).data.aliases).toMatchObject([{ name: "ann" }]);
    expect(Object.keys(primary.as(primary.rootToken).auth.list().data)).toEqual(["token/", "userpass/"]);
    own.auth.disable({ path: "own" });
    expect(Object.keys(own.auth.list().data)).toEqual(["token/", "userpass/"]);
  });

  it("approle 3.7: count the uses of a secret id on the primary", async () => {
    const { sim, primary, secondary } = await world();
    const lead = primary.as(primary.rootToken);
    lead.auth.enable({ path: "approle", type: "approle" });
    lead.approle.write({ role_name: "web", role_id: "web", secret_id_num_uses: 2 });
    const { secret_id } = lead.approle.secretIds.generate({ role_name: "web" }).data;
    sim.settle();
    const login = (cluster: string) =>
      open(sim, cluster).call("approle.login", { role_id: "web", secret_id }, { token: null });
    sim.network.cut(primary, secondary);
    const hash = sim.stateHash();
    expectRefused(await login("secondary"), 500, "failed to forward");
    expect(sim.stateHash()).toBe(hash);
    sim.network.heal(primary, secondary);
    sim.network.setLag(primary, secondary, "1h");
    authOf(await login("secondary"));
    authOf(await login("primary"));
    // The secondary has not heard of it yet, and the primary counts.
    expectRefused(await login("secondary"), 400, "invalid role or secret ID");
    sim.settle();
    expect(() => secondary.as(rootOf(secondary)).approle.secretIds.list({ role_name: "web" })).toThrow("not_found");
  });

  it("5.4: end with the method on each cluster", async () => {
    const { sim, primary } = await world();
    const { client_token: token } = authOf(await loginOf(sim)(ANN));
    primary.as(primary.rootToken).auth.disable({ path: "userpass" });
    sim.settle();
    expectRefused(await open(sim, "secondary").call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
  });

  it("5.4: end where a filter takes the method away", async () => {
    const { sim, primary } = await world();
    const { client_token: token } = authOf(await loginOf(sim)(ANN));
    const { pathsFilter } = primary.as(primary.rootToken).replication.performance;
    pathsFilter.write({ id: "b", mode: "deny", paths: ["auth/userpass/"] });
    sim.settle();
    expectRefused(await open(sim, "secondary").call("tokens.lookupSelf", {}, { token }), 403, "permission denied");
    expectRefused(await loginOf(sim)(ANN), 403, "permission denied");
  });
});
