import { LogSum } from "../../../src/kernel/log-format.ts";

/** The lines of a log, without their ends. */
export const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** A line's content: the line without the sum that closes it. */
export const contentOf = (line: string): string => line.replace(/,"(?:sum|digest)":"[0-9a-f]+"\}$/, "}");

/** The text of a log whose lines say this, closed as the library closes its own: whoever forges a log does the same. */
export function closed(contents: readonly string[]): string {
  const sum = new LogSum();
  // JSON of our own does not escape the character that stands for broken bytes.
  const escaped = contents.map((line) => line.replaceAll("\ufffd", "\\ufffd"));
  const lines = escaped.slice(0, -1).map((line) => `${line.slice(0, -1)},"sum":"${sum.line(line)}"}`);
  const end = escaped.at(-1) ?? "{}";
  return textOf([...lines, `${end.slice(0, -1)},"digest":"${sum.digest(end)}"}`]);
}

export interface LoggedCommit {
  position: number;
  atMs: number;
  command: { name: string; input: unknown; caller: Record<string, unknown> | null; via: string; stream?: string };
  events: { type: string; v: number; data: Record<string, unknown> }[];
  failed?: string;
}

/** A log with other commits, numbered anew and closed as the library would have closed them. */
export function withCommits(text: string, change: (commits: LoggedCommit[]) => LoggedCommit[]): string {
  const [header = "", ...rest] = linesOf(text).map(contentOf);
  const end = JSON.parse(rest.pop() ?? "") as { commits: number };
  const commits = change(rest.map((line) => JSON.parse(line) as LoggedCommit)).map((commit, index) => ({
    ...commit,
    position: index + 1,
  }));
  return closed([
    header,
    ...commits.map((commit) => JSON.stringify(commit)),
    JSON.stringify({ ...end, commits: commits.length }),
  ]);
}

/** A log with another header. */
export function withHeader(text: string, more: object): string {
  const [header = "", ...rest] = linesOf(text).map(contentOf);
  return closed([JSON.stringify({ ...(JSON.parse(header) as object), ...more }), ...rest]);
}

/** A log with another last line. */
export function withEnd(text: string, more: object): string {
  const contents = linesOf(text).map(contentOf);
  const end = JSON.parse(contents.pop() ?? "") as object;
  return closed([...contents, JSON.stringify({ ...end, ...more })]);
}
