import { filterValue } from "../../../../surroundings/directory/login.ts";

/** A filter with the names in it filled in; blanks inside the braces do not count. */
export function filled(
  filter: string,
  names: { readonly userAttr: string; readonly username: string; readonly userDn: string },
): string {
  return filter
    .replace(/\{\{\s*\.UserAttr\s*\}\}/g, () => names.userAttr)
    .replace(/\{\{\s*\.Username\s*\}\}/g, () => filterValue(names.username))
    .replace(/\{\{\s*\.UserDN\s*\}\}/g, () => filterValue(names.userDn));
}
