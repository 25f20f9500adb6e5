/** Attributes that an engine can search by, spelled exactly so (decisions-directory.md, 2). */
const SEARCH_ATTRIBUTES: ReadonlySet<string> = new Set([
  "cn",
  "displayName",
  "distinguishedName",
  "dc",
  "dn",
  "name",
  "objectCategory",
  "objectClass",
  "objectGUID",
  "objectSid",
  "ou",
  "passwordLastSet",
  "racfid",
  "racfPassword",
  "racfPassPhrase",
  "racfAttributes",
  "sAMAccountName",
  "unicodePwd",
  "uid",
  "userPassword",
  "userPrincipalName",
]);

export function isSearchAttribute(name: string): boolean {
  return SEARCH_ATTRIBUTES.has(name);
}
