import { expect, test, vi } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { Table } from "../../../src/kernel/table.ts";

// A storm of programs that log in: `npm run bench -- --only 'logins-per-second*'` measures it, here its work is counted.

/** Everything that a table is asked while something is done, and each entry that is walked. */
function workOf(act: () => void): number {
  let work = 0;
  const asked = (["get", "set", "update", "delete", "firstFrom", "at", "rank"] as const).map((name) =>
    vi.spyOn(Table.prototype, name),
  );
  const { entries } = Table.prototype;
  const walked = vi.spyOn(Table.prototype, "entries").mockImplementation(function* (this: Table<unknown>, range) {
    for (const entry of entries.call(this, range)) {
      work += 1;
      yield entry;
    }
  });
  try {
    act();
    return work + asked.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const spy of [...asked, walked]) spy.mockRestore();
  }
}

/** The work of the last of several first logins, beside so many entities. */
function workOfLogin(entities: number): number {
  const sim = createSimulator({ seed: 1 });
  const main = sim.secrets.cluster("main");
  const { auth, userpass } = main.as(main.rootToken);
  auth.enable({ path: "userpass", type: "userpass" });
  for (let index = 0; index < entities; index++) main.createEntity({ name: `entity-${index}` });
  for (const username of ["ann", "bob"]) userpass.write({ username, password: "p" });
  main.as().userpass.login({ username: "ann", password: "p" });
  return workOf(() => main.as().userpass.login({ username: "bob", password: "p" }));
}

test("a login costs the same beside ten entities and beside two thousand", () => {
  const work = workOfLogin(10);
  expect(work).toBeGreaterThan(10);
  expect(workOfLogin(2_000)).toBe(work);
});
