import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { LogError } from "../../kernel/log-error.ts";
import type { SimulatorOptions } from "../../simulator/world.ts";
import { defineCommand, seedIn } from "../command.ts";
import { CommandError, EXIT, usageError } from "../exit.ts";
import { LivingLogError } from "../living-log/living-log-error.ts";
import { keysOf } from "../serve/keys.ts";
import { parentGone } from "../serve/parent.ts";
import { type Ready, writeReady } from "../serve/ready.ts";
import { type ServeOptions, type ServeWorldsOptions, serve, serveWorlds } from "../serve/serve.ts";
import { harmless } from "../terminal/columns.ts";
import { counted } from "../terminal/counted.ts";

const PORT = { type: "string", valueHint: "port" } as const;

/** Serves a simulator on real sockets until it is told to end. */
export const serveCommand = defineCommand({
  name: "serve",
  about:
    "Answers requests on real sockets, for clients in any language, until it is interrupted. Without ports of their own all services have one.",
  args: {
    secrets: { ...PORT, description: "a port for the secrets service; further clusters have the next ones" },
    scheduler: { ...PORT, description: "a port for the scheduler; further regions have the next ones" },
    runs: { ...PORT, description: "a port for the run service" },
    port: { ...PORT, description: "a port for all, told apart by Host header or the beginning of the path; 0 for any" },
    host: { type: "string", valueHint: "address", description: "where to listen; 127.0.0.1 unless told" },
    "url-host": {
      type: "string",
      valueHint: "name",
      description: "the host in the URLs that are told and that answers hold, such as the name of a container",
    },
    vocabulary: {
      type: "string",
      valueHint: "hashicorp|file",
      description:
        "the words that the services speak: those of the real ones, or of a JSON file; neutral ones unless told",
    },
    clusters: {
      type: "string",
      valueHint: "names",
      description: "clusters of the secrets service, with commas between",
    },
    regions: { type: "string", valueHint: "names", description: "regions of the scheduler, with commas between" },
    seed: { type: "string", description: "decides everything random; 1 unless told" },
    start: {
      type: "string",
      valueHint: "now|instant",
      description: "the instant at which the clock begins; 2026-01-01T00:00:00Z unless told",
    },
    license: { type: "string", valueHint: "enterprise|community", description: "of the secrets service" },
    nodes: { type: "string", valueHint: "count", description: "nodes of each cluster of the secrets service" },
    "version-of": {
      type: "string",
      valueHint: "version",
      description: "the version that the secrets service says it has",
    },
    "key-shares": { type: "string", valueHint: "count", description: "key shares of each cluster; 5 unless told" },
    "key-threshold": {
      type: "string",
      valueHint: "count",
      description: "key shares that unseal a cluster; 3 unless told, and never more than there are",
    },
    "follow-clock": {
      type: "string",
      valueHint: "factor",
      description: "moves the clock as the real one moves, so many times as fast",
    },
    log: { type: "string", valueHint: "file", description: "writes the log to a file as it happens" },
    load: {
      type: "string",
      valueHint: "file",
      description:
        "brings a log back; with --log of the same file it goes on there; with --worlds each world begins with it",
    },
    durability: {
      type: "string",
      valueHint: "commit|none",
      description: "commit answers when the disk has what was decided, none at once; commit unless told",
    },
    journal: { type: "boolean", description: "the log holds the journal, too: requests with their answers" },
    worlds: { type: "boolean", description: "serves many worlds, which clients make with POST /hindcast/worlds" },
    "max-worlds": { type: "string", valueHint: "count", description: "worlds at once; 1,000 unless told" },
    "max-bytes": {
      type: "string",
      valueHint: "size",
      description:
        "no world is made while the process holds more, such as 512MiB; three quarters of its heap unless told",
    },
    idle: {
      type: "string",
      valueHint: "duration",
      description: "a world that nobody asks for so long goes; 1h unless told",
    },
    "log-dir": {
      type: "string",
      valueHint: "folder",
      description: "writes the log of each world there; worlds of before are there again",
    },
    tls: { type: "boolean", description: "HTTPS, with a certificate that is made now" },
    cert: { type: "string", valueHint: "file", description: "HTTPS with a certificate of your own, in PEM" },
    key: { type: "string", valueHint: "file", description: "its key, in PEM" },
    inspect: { type: "boolean", description: "shows the simulator in a browser, behind the admin secret" },
    "admin-public": { type: "boolean", description: "serves /hindcast/ although others can reach the address" },
    "admin-origin": { type: "string", valueHint: "origin", description: "pages of this origin may call /hindcast/" },
    "admin-host": { type: "string", valueHint: "name", description: "a name that the Host header may have there" },
    "ready-file": {
      type: "string",
      valueHint: "file",
      description: "writes what --json prints to a file, as soon as it answers",
    },
    "exit-with-parent": { type: "boolean", description: "ends when the process that started it is gone" },
    json: { type: "boolean", description: "print one line of JSON when it answers, instead of text for people" },
  },
  run: async (args, { print, write }) => {
    const served = await started(args);
    // From before anybody is told that it runs: whoever reads that may end it at once.
    const asked = interrupted();
    const parent = args["exit-with-parent"] === true ? parentGone() : undefined;
    const readyFile = args["ready-file"];
    try {
      if (readyFile !== undefined) await written(readyFile, served.ready);
      if (args.json) write(`${JSON.stringify(served.ready)}\n`);
      else print(served.told.map(harmless));
      await Promise.race([asked, ...(parent === undefined ? [] : [parent.gone])]);
    } finally {
      parent?.ended();
      if (readyFile !== undefined) await rm(readyFile, { force: true });
      await ended(served);
    }
    return EXIT.held;
  },
});

type Given = { readonly [name: string]: unknown };

/** What answers, and what is told of it. */
interface Running {
  readonly ready: Ready;
  /** For people, line by line. */
  readonly told: readonly string[];
  close(): Promise<void>;
}

async function started(args: Given): Promise<Running> {
  if (args["worlds"] === true) return named(args, () => startedWorlds(worldsOptionsIn(args)));
  const [other] = ["max-worlds", "max-bytes", "idle", "log-dir"].filter((name) => args[name] !== undefined);
  if (other !== undefined) throw usageError(`--${other} belongs to --worlds`);
  return named(args, () => startedOne(optionsIn(args)));
}

async function startedOne(options: ServeOptions): Promise<Running> {
  const { listener, log, tornBytes, close } = await serve(options);
  const { url, urls, adminSecret: secret = "", inspectUrl, certificate, sim } = listener;
  const admin = { url: `${url}/hindcast`, secret };
  const keys = keysOf(sim);
  const { load, followClock } = options;
  const told = rowsOf([
    ...Object.entries(urls.secrets).map(([name, at]) => [`secrets ${name}`, at] as const),
    ...Object.entries(urls.scheduler).map(([name, at]) => [`scheduler ${name}`, at] as const),
    ...(urls.runs === undefined ? [] : [["runs", urls.runs] as const]),
    ...adminRows(admin, inspectUrl),
    ...Object.entries(keys.rootTokens).map(([name, token]) => [`root token ${name}`, token] as const),
    ...Object.entries(keys.keyShares).map(([name, shares]) => [`key shares ${name}`, shares.join(" ")] as const),
    ...(load === undefined ? [] : [["loaded", `${load}, ${counted(sim.position, "commit")}`] as const]),
    ...(tornBytes > 0 ? [["torn", `${tornBytes} bytes of a last line were left out`] as const] : []),
    ...(log === undefined ? [] : [["log", log.file] as const]),
    ...(followClock === undefined ? [] : [["clock", `follows the real one, ${followClock} times as fast`] as const]),
  ]);
  const { pid } = process;
  return {
    ready: { url, urls, admin, adminSecret: secret, ...keys, inspectUrl, certificate, tornBytes, pid },
    told,
    close,
  };
}

async function startedWorlds(options: ServeWorldsOptions): Promise<Running> {
  const { listener, close } = await serveWorlds(options);
  const { url, adminSecret: secret, certificate, worlds } = listener;
  const admin = { url: `${url}/hindcast`, secret };
  const { directory } = options.worlds;
  const told = rowsOf([
    ["worlds", `POST ${admin.url}/worlds`],
    ...adminRows(admin, undefined),
    ...(directory === undefined
      ? []
      : [["logs", `${directory}, ${counted(worlds.size, "world")} there again`] as const]),
  ]);
  return {
    ready: { url, admin, adminSecret: secret, certificate, worlds: worlds.size, pid: process.pid },
    told,
    close,
  };
}

function adminRows({ url, secret }: Ready["admin"], inspectUrl: string | undefined): (readonly [string, string])[] {
  return [
    ["admin", `${url}/`],
    ["secret", secret],
    ...(inspectUrl === undefined ? [] : [["inspect", inspectUrl] as const]),
  ];
}

function rowsOf(rows: readonly (readonly [head: string, text: string])[]): string[] {
  const width = Math.max(...rows.map(([head]) => head.length)) + 2;
  return rows.map(([head, text]) => head.padEnd(width) + text);
}

// --- options ----------------------------------------------------------------------------------------------------------

function textIn(args: Given, name: string): string | undefined {
  return args[name] as string | undefined;
}

function optionsIn(args: Given): ServeOptions {
  const factor = textIn(args, "follow-clock");
  const followClock = factor === undefined ? undefined : Number(factor);
  if (followClock !== undefined && !(followClock > 0)) {
    throw usageError(`--follow-clock is ${factor}: it is a number above 0`);
  }
  return given({
    ...commonIn(args),
    secrets: portIn("secrets", args),
    scheduler: portIn("scheduler", args),
    runs: portIn("runs", args),
    followClock,
    log: textIn(args, "log"),
  });
}

function worldsOptionsIn(args: Given): ServeWorldsOptions {
  const [other] = ["secrets", "scheduler", "runs", "follow-clock", "log"].filter((name) => args[name] !== undefined);
  if (other !== undefined) throw usageError(`--${other} is of one world, and does not go with --worlds`);
  const worlds = given({
    maxWorlds: countIn("max-worlds", args),
    maxBytes: bytesIn("max-bytes", args),
    idle: textIn(args, "idle"),
    directory: textIn(args, "log-dir"),
  });
  return { ...commonIn(args), worlds };
}

function commonIn(args: Given): Omit<ServeWorldsOptions, "worlds"> {
  const durability = textIn(args, "durability");
  if (durability !== undefined && durability !== "commit" && durability !== "none") {
    throw usageError(`--durability is ${durability}: it is commit or none`);
  }
  const [origin, name] = [textIn(args, "admin-origin"), textIn(args, "admin-host")];
  const urlHost = textIn(args, "url-host");
  const hosts = [...(name === undefined ? [] : [name]), ...(urlHost === undefined ? [] : [urlHost])];
  // A secret on the command line could be read by everybody on the machine.
  const secret = process.env["HINDCAST_ADMIN_SECRET"] || undefined;
  const world = worldIn(args);
  return given({
    port: portIn("port", args),
    host: textIn(args, "host"),
    urlHost,
    tls: tlsIn(args["tls"] === true, textIn(args, "cert"), textIn(args, "key")),
    admin: {
      public: args["admin-public"] === true,
      ...(origin === undefined ? {} : { origins: origin.split(",") }),
      ...(hosts.length === 0 ? {} : { hosts }),
      ...(secret === undefined ? {} : { secret }),
    },
    inspect: args["inspect"] === true ? true : undefined,
    world: Object.keys(world).length === 0 ? undefined : world,
    load: textIn(args, "load"),
    durability,
    journal: args["journal"] === true ? true : undefined,
    // Who ends it waits no longer than a second, and the logs are written, too.
    limits: { closeMs: 500 },
    onError: (error: unknown) => process.stderr.write(`hindcast: ${harmless(String(error))}\n`),
  });
}

/** The options of a simulator that are asked for; what is wrong with one it says itself. */
function worldIn(args: Given): SimulatorOptions {
  const names = (name: string): readonly string[] | undefined => textIn(args, name)?.split(",");
  const [start, words] = [textIn(args, "start"), textIn(args, "vocabulary")];
  const keyShares = countIn("key-shares", args);
  const keyThreshold = countIn("key-threshold", args) ?? (keyShares === undefined ? undefined : Math.min(3, keyShares));
  const secrets = given({
    clusters: names("clusters"),
    license: textIn(args, "license"),
    nodes: countIn("nodes", args),
    version: textIn(args, "version-of"),
    keyShares,
    keyThreshold,
  });
  const scheduler = given({ regions: names("regions") });
  return given({
    seed: seedIn(textIn(args, "seed")),
    startAt: start === "now" ? new Date() : start,
    vocabulary: words === undefined ? undefined : vocabularyIn(words),
    secrets: Object.keys(secrets).length === 0 ? undefined : secrets,
    scheduler: Object.keys(scheduler).length === 0 ? undefined : scheduler,
  }) as SimulatorOptions;
}

/** A name is one that the library knows; a path leads to a file that has the words. */
function vocabularyIn(word: string): unknown {
  if (!/[./\\]/.test(word)) return word;
  try {
    return JSON.parse(readFileSync(word, "utf8"));
  } catch (error) {
    throw usageError(`--vocabulary: ${word} cannot be read: ${(error as Error).message}`);
  }
}

function portIn(name: string, args: Given): number | undefined {
  const text = textIn(args, name);
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw usageError(`--${name} is ${text}: a port is 0 to 65535`);
  return port;
}

function countIn(name: string, args: Given): number | undefined {
  const text = textIn(args, name);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usageError(`--${name} must be a whole number from 1 on; got ${text}`);
  return Number(text);
}

const UNITS: { readonly [unit: string]: number } = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

function bytesIn(name: string, args: Given): number | undefined {
  const text = textIn(args, name);
  if (text === undefined) return undefined;
  const [, digits, unit = ""] = /^([1-9]\d{0,11})(KiB|MiB|GiB)?$/.exec(text) ?? [];
  if (digits === undefined) throw usageError(`--${name} must be a number of bytes, KiB, MiB or GiB; got ${text}`);
  return Number(digits) * (UNITS[unit] ?? 1);
}

function tlsIn(generated: boolean, cert: string | undefined, key: string | undefined): ServeOptions["tls"] {
  if (cert === undefined && key === undefined) return generated ? true : undefined;
  if (cert === undefined || key === undefined) throw usageError("--cert and --key belong together");
  try {
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } catch (error) {
    throw usageError(`the certificate cannot be read: ${(error as Error).message}`);
  }
}

type Present<T> = { [N in keyof T]?: Exclude<T[N], undefined> };

function given<T extends object>(options: T): Present<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Present<T>;
}

// --- beginning and ending ---------------------------------------------------------------------------------------------

/** What is wrong with a log has an exit code of its own; what the system refuses is told without a stack. */
async function named<T>(args: Given, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogError) {
      throw new CommandError(EXIT.unreadable, `${textIn(args, "load") ?? textIn(args, "log-dir")}: ${error.message}`);
    }
    if (error instanceof LivingLogError) {
      const { fault, file } = error;
      const next = fault === "not_empty" ? [`hindcast serve --load ${file} --log ${file}   goes on with it`] : [];
      throw new CommandError(fault === "not_readable" ? EXIT.unreadable : EXIT.failed, error.message, next);
    }
    if (error instanceof TypeError) throw usageError(error.message);
    const { code, message, port } = error as NodeJS.ErrnoException & { readonly port?: number };
    if (code === undefined) throw error;
    if (code === "EADDRINUSE")
      throw new CommandError(EXIT.failed, `port ${port} is taken by another process (${code})`);
    throw new CommandError(EXIT.failed, message);
  }
}

async function written(file: string, ready: Ready): Promise<void> {
  try {
    await writeReady(file, ready);
  } catch (error) {
    throw new CommandError(EXIT.failed, `--ready-file: ${(error as Error).message}`);
  }
}

async function ended(served: Running): Promise<void> {
  try {
    await served.close();
  } catch (error) {
    if (error instanceof LivingLogError) throw new CommandError(EXIT.failed, error.message);
    throw error;
  }
}

/** Until somebody ends it. A second time ends it at once. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
