/**
 * Whether a service account may have a name: lower-case letters, digits, `-` and `.`, at most 253, a letter or a digit at both ends.
 *
 * Source: decisions-orchestrator.md, 6 "The simulated cluster".
 */
export function isServiceAccountName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name);
}

/** Whether a namespace may have a name. Our choice: that of a DNS label, as the real service has it. */
export function isNamespaceName(name: string): boolean {
  return name.length <= 63 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name);
}

/** Whether a label may have a name: one of at most 63 characters, with a DNS name and a slash before it if one likes. */
export function isLabelName(name: string): boolean {
  const slash = name.indexOf("/");
  const own = name.slice(slash + 1);
  return (
    own.length <= 63 &&
    /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(own) &&
    (slash < 0 || isServiceAccountName(name.slice(0, slash)))
  );
}

/** Whether a label may have a value: at most 63 characters, or none. */
export function isLabelValue(value: string): boolean {
  return value === "" || (value.length <= 63 && /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(value));
}
