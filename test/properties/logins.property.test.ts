import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Rejection, rehearse, replay, type Simulator } from "../../src/index.ts";
import type { ApproleMount } from "../../src/services/secrets/mounts/state.ts";
import { createSimulator, property } from "../support/checked.ts";
import { nodesPerCommit } from "../support/nodes.ts";
import { runs } from "../support/runs.ts";
import { indexFaults } from "../support/world-checks.ts";

// What always holds of auth methods and their logins (src/services/secrets/auth/README.md).

const name = fc.constantFrom("ann", "bob");
const secretId = fc.constantFrom("s1", "s2", "s3");

const action = fc.oneof(
  fc.record({ do: fc.constant("writeUser" as const), name, password: fc.constantFrom("p", "q"), ttl: fc.nat(120) }),
  fc.record({ do: fc.constant("deleteUser" as const), name }),
  fc.record({ do: fc.constant("logInAsUser" as const), name, password: fc.constantFrom("p", "q") }),
  fc.record({ do: fc.constant("writeRole" as const), name, uses: fc.nat(2), ttl: fc.nat(60) }),
  fc.record({ do: fc.constant("deleteRole" as const), name }),
  fc.record({ do: fc.constant("issue" as const), name, secretId, ttl: fc.option(fc.nat(60), { nil: undefined }) }),
  fc.record({ do: fc.constant("destroy" as const), name, secretId }),
  fc.record({ do: fc.constant("logInAsRole" as const), name, secretId }),
  fc.record({ do: fc.constant("logInByDirectory" as const), name, password: fc.constantFrom("p", "q") }),
  fc.record({ do: fc.constant("switchDirectory" as const), on: fc.boolean() }),
  fc.record({ do: fc.constant("renew" as const), token: fc.nat() }),
  fc.record({ do: fc.constant("disableEntity" as const), entity: fc.nat() }),
  fc.record({ do: fc.constant("switchMethod" as const), method: fc.constantFrom("userpass", "approle", "ldap") }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.nat(90) }),
);

type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

function world(): Simulator {
  const sim = createSimulator({ seed: 11 });
  const root = rootOf(sim);
  for (const type of ["userpass", "approle", "ldap"]) root.auth.enable({ path: type, type });
  sim.directory.addEntry("cn=ann,dc=example", { cn: "ann", userPassword: "p" });
  root.ldap.config.write({ userdn: "dc=example", token_ttl: "1m" });
  return sim;
}

function rootOf(sim: Simulator) {
  const main = sim.secrets.cluster("main");
  return main.as(main.rootToken);
}

const stateOf = (sim: Simulator) => sim.state.secrets["main"] ?? expect.fail("no cluster");

/** Does something; what is refused changes nothing but what a failure keeps. */
function act(sim: Simulator, done: Action): unknown {
  const root = rootOf(sim);
  const nobody = sim.secrets.cluster("main").as();
  switch (done.do) {
    case "writeUser":
      return root.userpass.write({ username: done.name, password: done.password, token_ttl: done.ttl });
    case "deleteUser":
      return root.userpass.delete({ username: done.name });
    case "logInAsUser":
      return nobody.userpass.login({ username: done.name, password: done.password });
    case "writeRole":
      return root.approle.write({
        role_name: done.name,
        role_id: done.name,
        secret_id_num_uses: done.uses,
        secret_id_ttl: done.ttl,
      });
    case "deleteRole":
      return root.approle.delete({ role_name: done.name });
    case "issue":
      return root.approle.secretIds.custom({ role_name: done.name, secret_id: done.secretId, ttl: done.ttl });
    case "destroy":
      return root.approle.secretIds.destroy({ role_name: done.name, secret_id: done.secretId });
    case "logInAsRole":
      return nobody.approle.login({ role_id: done.name, secret_id: done.secretId });
    case "logInByDirectory":
      return nobody.ldap.login({ username: done.name, password: done.password });
    case "switchDirectory":
      return sim.directory.setAvailable(done.on);
    case "renew": {
      const token = stateOf(sim).local.tokens.at(done.token % stateOf(sim).local.tokens.size)?.[0];
      return root.tokens.renew({ token });
    }
    case "disableEntity": {
      const { entities } = stateOf(sim).replicated.identity;
      const id = entities.at(done.entity % Math.max(entities.size, 1))?.[0];
      return id === undefined ? undefined : root.identity.entities.write({ id, disabled: true });
    }
    case "switchMethod":
      if (`${done.method}/` in root.auth.list().data) return root.auth.disable({ path: done.method });
      return root.auth.enable({ path: done.method, type: done.method });
    case "wait":
      return sim.clock.advance(done.seconds * 1000);
    default:
      return done satisfies never;
  }
}

/** What of a method's indexes does not fit what they are of. */
function approleFaults({ approles, approlesById, secretIds, secretIdsByAccessor, ...method }: ApproleMount): string[] {
  const issued = [...secretIds];
  const expiring = issued.filter(([, { expiresAtMs }]) => expiresAtMs !== undefined).length;
  return [
    ...(approlesById.size === approles.size ? [] : ["roles by their ids"]),
    ...[...approles].filter(([role, { roleId }]) => approlesById.get(roleId) !== role).map(([role]) => role),
    ...issued.filter(([key, { accessor }]) => secretIdsByAccessor.get(accessor) !== key).map(([key]) => key),
    ...(secretIdsByAccessor.size === issued.length ? [] : ["secret ids by accessor"]),
    ...issued.filter(([, { role }]) => !approles.has(role)).map(([key]) => `${key} of no role`),
    ...(method.secretIdExpiries.size === expiring ? [] : ["expiries"]),
    ...((method.deadline === undefined) === (expiring === 0) ? [] : ["the deadline"]),
  ];
}

describe("whatever people do with auth methods", () => {
  property([fc.array(action, { maxLength: 40 })], runs(60))(
    "indexes fit, tokens end with their method, and the log is decided and folded again to the same",
    async (actions) => {
      const sim = world();
      for (const done of actions) {
        const [position, hash] = [sim.position, sim.stateHash()];
        try {
          act(sim, done);
        } catch (error) {
          if (!(error instanceof Rejection)) throw error;
          if (sim.position === position) expect(sim.stateHash()).toBe(hash);
        }
        const { replicated, local } = stateOf(sim);
        const approle = replicated.mounts.get("auth/approle/");
        if (approle?.type === "auth/approle") expect(approleFaults(approle)).toEqual([]);
        for (const [, { login, entityId }] of local.tokens) {
          if (login === undefined) continue;
          expect(replicated.mounts.has(login.mount)).toBe(true);
          expect(replicated.identity.entities.has(entityId)).toBe(true);
        }
      }
      expect(indexFaults(sim.state)).toEqual([]);
      const text = sim.log.toNdjson();
      expect(replay(text).stateHash()).toBe(sim.stateHash());
      expect(await rehearse(text)).toEqual({ ok: true });
    },
  );

  property([fc.array(fc.nat(3), { maxLength: 12 }), fc.integer({ min: 1, max: 3 })], runs(30))(
    "a limited secret id lets in as often as it may, whatever the waiting",
    (waits, uses) => {
      const sim = world();
      const { approle } = rootOf(sim);
      approle.write({ role_name: "web", role_id: "web", secret_id_num_uses: uses, secret_id_ttl: "10m" });
      approle.secretIds.custom({ role_name: "web", secret_id: "s" });
      const startMs = sim.clock.now();
      let entered = 0;
      for (const minutes of waits) {
        sim.clock.advance(minutes * 60_000);
        const may = entered < uses && sim.clock.now() < startMs + 600_000;
        const login = () => sim.secrets.cluster("main").as().approle.login({ role_id: "web", secret_id: "s" });
        if (may) entered += login().auth.orphan ? 1 : 0;
        else expect(login).toThrow(Rejection);
      }
    },
  );
});

describe("the work of a login", () => {
  /** Nodes of tables that a login makes where so many have logged in before. */
  function nodesPerLogin(programs: number): number {
    const sim = createSimulator({ seed: 1 });
    const root = rootOf(sim);
    root.auth.enable({ path: "userpass", type: "userpass" });
    const login = (username: string) => sim.secrets.cluster("main").as().userpass.login({ username, password: "p" });
    for (let index = 0; index < programs; index++) {
      root.userpass.write({ username: `u${index}`, password: "p" });
      login(`u${index}`);
    }
    const { state, position } = sim;
    for (let index = 0; index < 50; index++) login(`u${(index * 7) % programs}`);
    return nodesPerCommit(state, sim.log.commits().slice(position));
  }

  it("grows with the depth of trees and not with the number of people", () => {
    const [few, many] = [nodesPerLogin(50), nodesPerLogin(3_200)];
    // Sixty-four times as many: two levels more in each of the four tables or so that a login writes to.
    expect(few).toBeGreaterThan(3);
    expect(many - few).toBeLessThan(2 * 4);
  });
});
