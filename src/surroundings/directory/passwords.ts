import type { LdifValue } from "../../languages/ldif/record.ts";
import { valuesOf } from "./search.ts";
import type { DirectoryAttribute, DirectoryEntry } from "./state.ts";

/** How a directory keeps passwords. */
export type DirectorySchema = "open-dir" | "ad" | "racf";

/** The attributes that a new password replaces (decisions-directory.md, 2). */
export function passwordAttributes(schema: DirectorySchema, password: string): readonly DirectoryAttribute[] {
  switch (schema) {
    case "open-dir":
      return [{ name: "userPassword", values: [password] }];
    case "ad":
      return [{ name: "unicodePwd", values: [{ base64: base64OfUtf16(`"${password}"`) }] }];
    case "racf":
      return [
        { name: "racfPassword", values: [password] },
        { name: "racfAttributes", values: ["noexpired"] },
      ];
    default:
      return schema satisfies never;
  }
}

/** Whether a bind with this password succeeds: whichever attribute holds it, in its own form. */
export function passwordOpens(entry: DirectoryEntry, password: string): boolean {
  const holds = (attribute: string, sought: LdifValue): boolean =>
    valuesOf(entry, attribute).some((value) => textOf(value) === textOf(sought));
  return (
    holds("userPassword", password) ||
    holds("racfPassword", password) ||
    holds("unicodePwd", { base64: base64OfUtf16(`"${password}"`) })
  );
}

/** A value as the directory holds it: what is to be a `unicodePwd` is bytes always. */
export function storedValue(attribute: string, value: LdifValue): LdifValue {
  if (typeof value !== "string" || attribute.toLowerCase() !== "unicodepwd") return value;
  return { base64: btoa(String.fromCharCode(...new TextEncoder().encode(value))) };
}

function textOf(value: LdifValue): string {
  return typeof value === "string" ? value : `base64:${value.base64}`;
}

/** The text as UTF-16, little end first, without a byte order mark. */
function base64OfUtf16(text: string): string {
  let bytes = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes += String.fromCharCode(unit & 255, unit >>> 8);
  }
  return btoa(bytes);
}
