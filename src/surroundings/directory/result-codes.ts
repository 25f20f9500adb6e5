/** LDAP result codes (RFC 4511, 4.1.9) and their usual names, as messages show them. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, "Operations Error"],
  [2, "Protocol Error"],
  [3, "Time Limit Exceeded"],
  [4, "Size Limit Exceeded"],
  [7, "Auth Method Not Supported"],
  [8, "Strong Auth Required"],
  [11, "Admin Limit Exceeded"],
  [13, "Confidentiality Required"],
  [16, "No Such Attribute"],
  [17, "Undefined Attribute Type"],
  [18, "Inappropriate Matching"],
  [19, "Constraint Violation"],
  [20, "Attribute Or Value Exists"],
  [21, "Invalid Attribute Syntax"],
  [32, "No Such Object"],
  [34, "Invalid DN Syntax"],
  [48, "Inappropriate Authentication"],
  [49, "Invalid Credentials"],
  [50, "Insufficient Access Rights"],
  [51, "Busy"],
  [52, "Unavailable"],
  [53, "Unwilling To Perform"],
  [54, "Loop Detect"],
  [64, "Naming Violation"],
  [65, "Object Class Violation"],
  [66, "Not Allowed On Non Leaf"],
  [67, "Not Allowed On RDN"],
  [68, "Entry Already Exists"],
  [69, "Object Class Mods Prohibited"],
  [80, "Other"],
]);

/** `LDAP Result Code 32 "No Such Object"`: the text that clients match on. */
export function resultText(code: number): string {
  return `LDAP Result Code ${code} "${NAMES.get(code) ?? "Unknown"}"`;
}
