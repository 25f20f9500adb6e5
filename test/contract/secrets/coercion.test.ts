import { describe, expect, it } from "vitest";
import { doors, type Fields } from "../driver.ts";
import { expectData, expectDone, expectEnvelope, expectNothingChanged, expectRefused } from "../expectations.ts";
import { libraryWorld } from "./library-world.ts";

// decisions-secrets-core.md, A.4 "Coercion" and A.5; decisions-directory.md, 1.

describe.each(doors())("fields through %s", (_, { open }) => {
  it.each<[kind: string, field: string, sent: unknown, shown: unknown]>([
    ["text", "userdn", "ou=a", "ou=a"],
    ["text", "userdn", 5, "5"],
    ["text", "userdn", 1.5, "1.5"],
    ["text", "userdn", true, "true"],
    ["text", "userdn", "", ""],
    ["text", "userdn", null, "ou=service,dc=example,dc=com"],
    ["integer", "length", 20, 20],
    ["integer", "length", "20", 20],
    ["integer", "length", -1, 64],
    ["integer", "length", null, 64],
    ["boolean", "starttls", true, true],
    ["boolean", "starttls", "true", true],
    ["boolean", "starttls", "1", true],
    ["boolean", "starttls", "t", true],
    ["boolean", "starttls", 1, true],
    ["boolean", "insecure_tls", false, false],
    ["boolean", "insecure_tls", "false", false],
    ["boolean", "insecure_tls", "0", false],
    ["boolean", "insecure_tls", "f", false],
    ["boolean", "insecure_tls", 0, false],
    ["boolean", "insecure_tls", null, true],
    ["duration", "request_timeout", 30, 30],
    ["duration", "request_timeout", "30", 30],
    ["duration", "request_timeout", "1h30m", 5400],
    ["duration", "request_timeout", "1.5h", 5400],
    ["duration", "request_timeout", "30d", 2_592_000],
    ["duration", "request_timeout", "1999ms", 1],
    ["duration", "request_timeout", "500us", 0],
    ["duration", "request_timeout", "500µs", 0],
    ["duration", "request_timeout", "2000000000ns", 2],
    ["duration", "request_timeout", "", 0],
    ["duration", "request_timeout", null, 90],
  ])("%s: %s sent as %j is %j", async (_kind, field, sent, shown) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("ldapConfig.write", { insecure_tls: true }));
    expectDone(await door.call("ldapConfig.write", { [field]: sent }));
    expect(expectData(await door.call("ldapConfig.read"))[field]).toEqual(shown);
  });

  it.each<[kind: string, field: string, sent: unknown]>([
    ["text", "userdn", []],
    ["text", "userdn", {}],
    ["text", "userdn", ["ou=a"]],
    ["integer", "length", 20.5],
    ["integer", "length", "20.5"],
    ["integer", "length", "twenty"],
    ["integer", "length", ""],
    ["integer", "length", true],
    ["integer", "length", [20]],
    ["boolean", "starttls", "yes"],
    ["boolean", "starttls", "tRue"],
    ["boolean", "starttls", ""],
    ["boolean", "starttls", 2],
    ["boolean", "starttls", [true]],
    ["boolean", "starttls", {}],
    ["duration", "request_timeout", 1.5],
    ["duration", "request_timeout", -1],
    ["duration", "request_timeout", "-1s"],
    ["duration", "request_timeout", "1w"],
    ["duration", "request_timeout", "1d12h"],
    ["duration", "request_timeout", "1.5d"],
    ["duration", "request_timeout", "1.5"],
    ["duration", "request_timeout", "soon"],
    ["duration", "request_timeout", " 5s"],
    ["duration", "request_timeout", true],
    ["duration", "request_timeout", [5]],
    ["duration", "request_timeout", { seconds: 5 }],
    ["duration", "request_timeout", 1e300],
  ])("%s: %s cannot be %j", async (_kind, field, sent) => {
    const { sim } = libraryWorld();
    await expectNothingChanged(sim, async () => {
      const answer = await open(sim).call("ldapConfig.write", { [field]: sent });
      expectRefused(answer, 400, "Field validation failed", field);
    });
  });

  it.each<[sent: unknown, names: readonly string[]]>([
    ["svc-1", ["svc-1"]],
    ["svc-1,svc-2", ["svc-1", "svc-2"]],
    [" svc-1 , svc-2 ", ["svc-1", "svc-2"]],
    [
      ["svc-1", "svc-2"],
      ["svc-1", "svc-2"],
    ],
  ])("list: names sent as %j are %j", async (sent, names) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    expectDone(await door.call("library.write", { set_name: "ops", service_account_names: sent }));
    expect(expectData(await door.call("library.read", { set_name: "ops" }))["service_account_names"]).toEqual(names);
  });

  it.each([[{ a: "svc-1" }], [[["svc-1"]]], [[{}]], [[null]], [{ 0: "svc-1", length: 1 }]])(
    "list: names cannot be %j",
    async (sent) => {
      const { sim } = libraryWorld();
      const written = { set_name: "ops", service_account_names: sent };
      expectRefused(
        await open(sim).call("library.write", written),
        400,
        "Field validation failed",
        "service_account_names",
      );
    },
  );

  it.each<[field: string, sent: unknown, shown: unknown]>([
    ["disable_check_in_enforcement", "t", true],
    ["disable_check_in_enforcement", "F", false],
    ["ttl", "1.5h", 5400],
    ["ttl", "", 0],
    ["max_ttl", "30d", 2_592_000],
    ["max_ttl", 0, 0],
    ["max_ttl", null, 86_400],
  ])("sets: %s sent as %j is %j", async (field, sent, shown) => {
    const { sim } = libraryWorld();
    const door = open(sim);
    const written: Fields = { set_name: "ops", service_account_names: ["svc-1"], [field]: sent };
    expectDone(await door.call("library.write", written));
    expect(expectData(await door.call("library.read", { set_name: "ops" }))[field]).toBe(shown);
  });

  it.each<[increment: unknown, seconds: number]>([
    [60, 60],
    ["60", 60],
    ["1m30s", 90],
    ["90.9s", 90],
    ["", 3600],
    [0, 3600],
    ["0", 3600],
    [null, 3600],
    ["1d", 86_400],
  ])("leases: an increment of %j renews for %i seconds", async (increment, seconds) => {
    const { sim, set, lend } = libraryWorld();
    set("ops", ["svc-1"], { ttl: 3600, max_ttl: "30d" });
    const { lease } = lend("ops");
    const answer = await open(sim).call("leases.renew", { lease_id: lease, increment });
    expect(expectEnvelope(answer).lease_duration).toBe(seconds);
  });
});
