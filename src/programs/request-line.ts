import type { RequestEntry } from "../kernel/journal.ts";
import { rfc3339 } from "../languages/instant.ts";

/** A request in a line: when, who, what, and what came of it. */
export function requestLine(entry: RequestEntry): string {
  const { n, atMs, program, request, position, where } = entry;
  const by = program === "author" ? "" : `${program} `;
  const at = where === undefined ? "" : `, ${fileName(where.file)}:${where.line}`;
  return `r${n} ${rfc3339(atMs)} ${by}${request.method} ${request.url}: ${outcomeOf(entry)} (#${position}${at})`;
}

/** What came of a request, in some words: `200`, `403 permission_denied`, `no answer ECONNRESET`. */
export function outcomeOf({ response, refusal, fault }: RequestEntry): string {
  const status = response === undefined ? "no answer" : `${response.status}`;
  return [status, refusal?.code, fault].filter((word) => word !== undefined).join(" ");
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
