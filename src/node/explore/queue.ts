import { createHash } from "node:crypto";
import type { QueueEvents as Events, Job, Queue } from "bullmq";
import { fileName } from "../../explore/kept-files.ts";
import type { RangeResult, RangeTask } from "../../explore/range.ts";
import type { Players } from "../../explore/search.ts";
import { messageOf } from "../../scenario/message.ts";
import { VERSION } from "../../simulator/version.ts";
import { CommandError, EXIT, usageError } from "../exit.ts";
import type { Threads } from "./threads.ts";

// Ranges lie in a queue of Redis, or of what speaks like it. What came of one stays there until whoever put it there has taken it: who is
// killed, on either side, loses nothing, since a range bears the name of what it is, and the queue knows each name once.

const PREFIX = "hindcast";

/** Who holds a range says so twice in this time; a range of somebody who no longer does is given out again. */
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 3_000;
/** A range that so many were killed by is given up. */
const MOST_STALLED = 5;
/** How often a worker looks whether its exploration is over. */
const LOOK_EVERY_MS = 1_000;
/** So long a store may take to answer at first. */
const PATIENCE_MS = 10_000;

/** An exploration in a queue. */
interface Begun {
  readonly name: string;
  readonly version: string;
  /** The sum of its file. */
  readonly sum: string;
}

/** Where an exploration is: at which store, under which name. */
export interface QueuePlace {
  readonly url: string;
  readonly name: string;
  readonly sum: string;
}

const bullmq = (): Promise<typeof import("bullmq")> => packages(() => import("bullmq"));

/** Packages that whoever has no queue need not have. */
async function packages<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw usageError(
      `--queue needs the packages bullmq and ioredis: ${messageOf(error)}`,
      "npm install bullmq ioredis",
    );
  }
}

/** How to reach a store. */
function connectionTo(url: string): { readonly url: string; readonly maxRetriesPerRequest: null } {
  return { url, maxRetriesPerRequest: null };
}

const queueOf = ({ name, sum }: QueuePlace): string => `${fileName(name)}-${sum}`;

/** Which explorations there are stands in a queue of its own, which nobody works at: one entry each, by their names. */
const EXPLORATIONS = "explorations";

/** Tries a store once: later on, one that is gone for a while is waited for. @throws CommandError for one that does not answer */
async function reached(url: string): Promise<void> {
  if (!/^rediss?:\/\/./.test(url))
    throw usageError(`--queue is ${url}: it is redis://host:6379, or rediss://host:6379`);
  const { Redis } = await packages(() => import("ioredis"));
  const client = new Redis(url, { lazyConnect: true, connectTimeout: PATIENCE_MS, retryStrategy: () => null });
  let told = "";
  client.on("error", ({ message }: Error) => {
    told ||= message;
  });
  try {
    await client.connect();
  } catch (error) {
    throw new CommandError(EXIT.usage, `the queue at ${url} cannot be reached: ${told || messageOf(error)}`);
  } finally {
    client.disconnect();
  }
}

async function opened(name: string, url: string): Promise<Queue> {
  const { Queue } = await bullmq();
  const queue = new Queue(name, { connection: connectionTo(url), prefix: PREFIX });
  queue.on("error", () => undefined);
  // Each range that is waited for listens to both.
  queue.setMaxListeners(0);
  await queue.waitUntilReady();
  return queue;
}

/** Whoever takes ranges from the queue plays them. */
export class QueuedPlayers {
  readonly #queue: Queue;
  readonly #events: Events;
  readonly #explorations: Queue;
  readonly #name: string;

  private constructor(queue: Queue, events: Events, explorations: Queue, name: string) {
    this.#queue = queue;
    this.#events = events;
    this.#explorations = explorations;
    this.#name = name;
  }

  /** Lets workers know of an exploration. One that was broken off is gone on with. */
  static async begin(place: QueuePlace): Promise<QueuedPlayers> {
    const { QueueEvents } = await bullmq();
    const { name, sum, url } = place;
    await reached(url);
    const explorations = await opened(EXPLORATIONS, url);
    const queue = await opened(queueOf(place), url);
    const events = new QueueEvents(queueOf(place), { connection: connectionTo(url), prefix: PREFIX });
    events.on("error", () => undefined);
    events.setMaxListeners(0);
    await events.waitUntilReady();
    await explorations.remove(fileName(name));
    await explorations.add("exploration", { name, version: VERSION, sum } satisfies Begun, { jobId: fileName(name) });
    return new QueuedPlayers(queue, events, explorations, name);
  }

  readonly players: Players = (tasks) => this.#play(tasks);

  async *#play(tasks: readonly RangeTask[]): AsyncIterable<RangeResult> {
    const jobs = await this.#queue.addBulk(
      tasks.map((task) => ({ name: "range", data: task, opts: { jobId: nameOfTask(task) } })),
    );
    const results = jobs.map((job: Job<RangeTask, RangeResult>) => job.waitUntilFinished(this.#events));
    for (const result of results) result.catch(() => undefined);
    for (const [index, result] of results.entries()) {
      try {
        yield await result;
      } catch (error) {
        const from = tasks[index]?.from ?? 0;
        throw new Error(`schedules from ${from} on were not played: ${(error as Error).message}`, { cause: error });
      }
    }
  }

  /** All was taken: nothing stays in the store. */
  async end(): Promise<void> {
    await this.#explorations.remove(fileName(this.#name));
    if ((await this.#explorations.count()) === 0) await this.#explorations.obliterate({ force: true });
    await this.#queue.obliterate({ force: true });
    await this.close();
  }

  /** Leaves what there is to whoever goes on with it. */
  async close(): Promise<void> {
    for (const open of [this.#events, this.#queue, this.#explorations]) await open.close();
  }
}

/** Equal ranges have equal names, and one place in the queue. */
function nameOfTask(task: RangeTask): string {
  return createHash("sha256").update(JSON.stringify(task)).digest("hex").slice(0, 32);
}

/** How a worker goes on telling what it does. */
export interface WorkerTelling {
  readonly onBegin: () => void;
  readonly onRange: (schedules: number) => void;
}

/**
 * Plays what an exploration has put into a queue, until it is over.
 *
 * @param waitMs how long it waits for one to begin
 * @returns whether there was one
 * @throws CommandError where the exploration is of another version, or of another file
 */
export async function workAt(
  place: QueuePlace,
  threads: Threads,
  { count, waitMs, signal }: { readonly count: number; readonly waitMs: number; readonly signal: AbortSignal },
  { onBegin, onRange }: WorkerTelling,
): Promise<boolean> {
  const { Worker } = await bullmq();
  await reached(place.url);
  const explorations = await opened(EXPLORATIONS, place.url);
  try {
    const isBegun = async (): Promise<boolean> => {
      const entry = (await explorations.getJob(fileName(place.name))) as Job<Begun> | undefined;
      if (entry !== undefined) refuseOther(entry.data, place);
      return entry !== undefined;
    };
    for (let waitedMs = 0; !(await isBegun()); waitedMs += LOOK_EVERY_MS) {
      if (waitedMs >= waitMs || signal.aborted) return false;
      await later(LOOK_EVERY_MS);
    }
    onBegin();
    const play = async ({ data }: Job<RangeTask, RangeResult>): Promise<RangeResult> => {
      const result = await threads.play(data);
      onRange(data.count);
      return result;
    };
    const worker = new Worker<RangeTask, RangeResult>(queueOf(place), play, {
      connection: connectionTo(place.url),
      prefix: PREFIX,
      concurrency: count,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_EVERY_MS,
      maxStalledCount: MOST_STALLED,
    });
    worker.on("error", () => undefined);
    try {
      while (!signal.aborted && (await isBegun())) await later(LOOK_EVERY_MS);
    } finally {
      await worker.close();
    }
    return true;
  } finally {
    await explorations.close();
  }
}

function refuseOther({ version, sum }: Begun, place: QueuePlace): void {
  if (version !== VERSION) {
    throw usageError(`the queue explores with hindcast ${version}, and this worker is hindcast ${VERSION}`);
  }
  if (sum !== place.sum) {
    throw usageError(
      `the queue explores another file than this one: the sum of that one is ${sum}, and of this one ${place.sum}`,
      "give the worker the same file, with all that it imports",
    );
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
