// The machine that programs run on, as far as their time goes. It is taken when this file is loaded, before anybody fakes it, and the only
// place of the core that looks at it: what a simulator decides never depends on it.

/** What of Node there is; other platforms have part of it, or nothing. */
interface NodeProcess {
  readonly versions?: { readonly node?: string };
  emitWarning?(message: string, options: { readonly type?: string; readonly code?: string }): void;
  getBuiltinModule?(name: string): unknown;
  getActiveResourcesInfo?(): string[];
}

interface Machine {
  readonly process?: NodeProcess;
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly setTimeout: (callback: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly performance: { now(): number };
}

const { process, setImmediate, setTimeout, clearTimeout, performance } = globalThis as unknown as Machine;
const performanceNow = performance.now.bind(performance);

/** Whether timers are objects here, as in Node, and not numbers. */
export const hasTimerObjects = process?.versions?.node !== undefined;

/** Milliseconds of real time, since whenever. */
export const realNowMs = (): number => performanceNow();

/** Whom a clock may follow: real time. */
export const realTime = Object.freeze({ now: realNowMs, setTimeout, clearTimeout });

/** Warns whoever reads the output of the process. */
export function warn(code: string, message: string): void {
  if (typeof process?.emitWarning === "function") process.emitWarning(message, { type: "HindcastWarning", code });
  else console.warn(`${code}: ${message}`);
}

/** Warns as Node's timers do of a delay that they cannot have. */
export function warnOfOverflow(delay: number): void {
  process?.emitWarning?.(`${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`, {
    type: "TimeoutOverflowWarning",
  });
}

/** A module of Node; undefined elsewhere. */
export function nodeModule<T>(name: string): T | undefined {
  return process?.getBuiltinModule?.(name) as T | undefined;
}

/** Gives the event loop a turn: everything that waits for a promise, an immediate or a message goes on. */
export function turn(): Promise<void> {
  return setImmediate === undefined ? messageTurn() : new Promise((resolve) => void setImmediate(resolve));
}

function messageTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Waits for some real milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** What of this process's reads of files, look-ups and immediates is under way, in words; empty where nobody can say. */
export function workUnderWay(): readonly string[] {
  const words = new Set<string>();
  for (const resource of process?.getActiveResourcesInfo?.() ?? []) {
    const word = WORK[resource];
    if (word !== undefined) words.add(word);
  }
  return [...words];
}

const FILE = "a file";
const NAME = "the look-up of a name";

/** Names as `process.getActiveResourcesInfo` has them. Those that are for as long as a process is, are none: sockets, watchers of files. */
const WORK: { readonly [resource: string]: string | undefined } = {
  FSReqCallback: FILE,
  FSReqPromise: FILE,
  CloseReq: FILE,
  GetAddrInfoReqWrap: NAME,
  GetNameInfoReqWrap: NAME,
  QueryReqWrap: NAME,
  Immediate: "setImmediate",
};
