import type { CallSites, SourcePlace } from "../kernel/journal.ts";

/** What holds a stack. Taking it is quick, reading it is not. */
export interface CallSite {
  readonly stack?: string;
}

/** So many frames are kept: ours, those of a package, and that of the program. */
const FRAMES = 10;

/** So many are kept of a request: a client brings its own. */
const FRAMES_OF_REQUEST = 30;

/** So many are kept where a program calls the function of a timer itself: up to three are ours, and it may arm a million. */
export const FRAMES_OF_TIMER = 5;

const Frames = Error as { stackTraceLimit?: number | undefined };

/** The stack of a call, to be read when its place is asked for. An `Error` takes half of the time that `captureStackTrace` takes. */
export function callSite(frames = FRAMES): CallSite {
  const { stackTraceLimit } = Frames;
  // oxlint-disable-next-line hindcast/no-module-state -- as it was before anybody else looks
  Frames.stackTraceLimit = frames;
  const site = new Error();
  // oxlint-disable-next-line hindcast/no-module-state -- as it was before anybody else looks
  Frames.stackTraceLimit = stackTraceLimit;
  return site;
}

/** The first frame of a call outside this library and outside packages; undefined where the platform tells none. */
export function placeOf({ stack = "" }: CallSite): SourcePlace | undefined {
  for (const line of stack.split("\n")) {
    const found = FRAME.exec(line)?.groups;
    if (found === undefined) continue;
    const { name, at = "", row, column } = found;
    const file = pathOf(at);
    if (file.startsWith(OWN) || file.includes("/node_modules/") || at.startsWith("node:")) continue;
    const place = { file, line: Number(row), column: Number(column) };
    return name === undefined ? place : { ...place, function: name };
  }
  return undefined;
}

/** How a journal finds out who sends requests. */
export const callSites: CallSites = Object.freeze({
  take: () => callSite(FRAMES_OF_REQUEST),
  read: placeOf,
});

/** "at keeper.ts:12:5", for messages; nothing where no place is known. */
export function atPlace(site: CallSite): string {
  const place = placeOf(site);
  return place === undefined ? "" : ` at ${place.file}:${place.line}:${place.column}`;
}

/** A frame as V8 writes it, and as others do. */
const FRAME =
  /^\s*(?:at (?:(?:async )?(?<name>[^ (]+(?: \[as [^\]]+\])?) \()?|(?:[^@]*)@)(?<at>[^()]*?):(?<row>\d+):(?<column>\d+)\)?$/;

function pathOf(at: string): string {
  return at.startsWith("file://") ? decodeURIComponent(new URL(at).pathname) : at;
}

/** Where the files of this library are: this one is two folders deep in them, and so is the one that a build makes of it. */
const OWN = pathOf(import.meta.url).replace(/[^/]*\/[^/]*$/, "");
