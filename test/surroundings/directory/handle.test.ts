import { expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";

test("a search without a filter finds all below its base", () => {
  const { directory } = createSimulator();
  for (const dn of ["ou=a,dc=x", "cn=b,ou=a,dc=x", "cn=c,dc=x"]) directory.addEntry(dn, { objectClass: "top" });
  expect(directory.search("ou=a,dc=x").map(({ dn }) => dn)).toEqual(["cn=b,ou=a,dc=x", "ou=a,dc=x"]);
  expect(directory.search("")).toHaveLength(3);
});
