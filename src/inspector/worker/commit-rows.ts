import type { Commit } from "../../kernel/commit.ts";
import { shortName, wordsOf } from "../../scenario/words.ts";
import type { Kind, Row } from "../protocol.ts";
import { textShown } from "./shown-values.ts";

/** A commit as lists show it. */
export function rowOf(commit: Commit): Row {
  const { position, atMs, command, events } = commit;
  const detail = textShown(events.map(({ type }) => wordsOf(type)).join(", "));
  return { id: position, label: `#${position}`, atMs, name: shortName(command.name), detail, kind: kindOf(commit) };
}

export function kindOf({ command: { name, via }, failed }: Commit): Kind {
  if (failed !== undefined) return "failed";
  if (via === "timer") return "timer";
  if (via === "fault" || /^control\.(faults|network)\./.test(name)) return "fault";
  return via === "control" ? "control" : "request";
}
