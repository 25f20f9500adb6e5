import { readFileSync } from "node:fs";

// What real servers were asked and what they answered. README.md beside the recordings has the format.

export type RecordedLine = RecordedRequest | Wait | Control;

export interface RecordedRequest extends AskedAs {
  readonly kind: "request";
  readonly id: string;
  readonly family: string;
  readonly real: Answer;
  /** How hindcast's answer compared when it was recorded. */
  readonly grade: "equal" | "wording" | "decided" | "revisit" | "version" | "wrong";
  /** What decides, where something differs. */
  readonly ref?: string;
  readonly differs?: { readonly [place: string]: "decided" | "revisit" | "version" | "wrong" };
  /** Values that are as good as the real ones. */
  readonly instead?: { readonly [place: string]: unknown };
}

/** A request as it was sent. */
export interface AskedAs {
  readonly method: string;
  readonly path: string;
  readonly namespace?: string;
  readonly headers?: { readonly [name: string]: string };
  /** The variable that holds the token. */
  readonly token?: string;
  readonly basic?: readonly [user: string, password: string];
  readonly body?: unknown;
  readonly bodyParts?: readonly (readonly [text: string, count: number])[];
  readonly save?: { readonly [variable: string]: string };
  /** `fetch` cannot send it as it stands. */
  readonly socket?: true;
}

export interface Answer {
  /** 0: the connection was dropped. */
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body?: unknown;
  /** Integers in the body that no double holds, as they were written. */
  readonly numbers?: readonly string[];
}

interface Wait {
  readonly kind: "wait";
  readonly id: string;
  readonly waitMs: number;
}

interface Control {
  readonly kind: "control";
  readonly id: string;
  readonly control: {
    readonly start?: true;
    readonly calls?: readonly ControlCall[];
    readonly explained?: readonly Explained[];
  };
}

export type ControlCall = { readonly call: string; readonly args: readonly unknown[] } | { readonly request: AskedAs };

/** A difference that a decision or a version explains wherever it occurs. */
export interface Explained {
  readonly at: string;
  readonly path?: string;
  readonly method?: string;
  readonly only?: "real" | "ours";
  readonly real?: unknown;
  readonly ours?: unknown;
  readonly grade: "decided" | "version";
  readonly ref: string;
}

/** The headers that were compared. */
export const COMPARED_HEADERS = [
  "content-type",
  "cache-control",
  "www-authenticate",
  "allow",
  "location",
  "pragma",
  "retry-after",
] as const;

/** The lines of the recording, and what explains differences in any of them. */
export function recorded(): { readonly lines: readonly RecordedLine[]; readonly explained: readonly Explained[] } {
  const text = readFileSync(new URL("secrets.ndjson", HOME), "utf8");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordedLine);
  const explained = lines.flatMap((line) => (line.kind === "control" ? (line.control.explained ?? []) : []));
  return { lines, explained };
}

/** Also for the script, which runs compiled in a folder of its own at the top. */
export const HOME = new URL(
  import.meta.url.includes("/dist-bench/") ? "../../../test/fidelity/" : "./",
  import.meta.url,
);
