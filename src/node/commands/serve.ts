import { readFileSync } from "node:fs";
import { LogError } from "../../kernel/log-error.ts";
import { defineCommand, JSON_OPTION } from "../command.ts";
import { CommandError, EXIT, usageError } from "../exit.ts";
import { LivingLogError } from "../living-log/living-log-error.ts";
import { type Served, type ServeOptions, serve } from "../serve/serve.ts";
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
    clusters: {
      type: "string",
      valueHint: "names",
      description: "clusters of the secrets service, with commas between",
    },
    regions: { type: "string", valueHint: "names", description: "regions of the scheduler, with commas between" },
    seed: { type: "string", description: "decides everything random; 1 unless told" },
    "follow-clock": {
      type: "string",
      valueHint: "factor",
      description: "moves the clock as the real one moves, so many times as fast",
    },
    log: { type: "string", valueHint: "file", description: "writes the log to a file as it happens" },
    load: {
      type: "string",
      valueHint: "file",
      description: "brings a log back; with --log of the same file it goes on there",
    },
    durability: {
      type: "string",
      valueHint: "commit|none",
      description: "commit answers when the disk has what was decided, none at once; commit unless told",
    },
    journal: { type: "boolean", description: "the log holds the journal, too: requests with their answers" },
    tls: { type: "boolean", description: "HTTPS, with a certificate that is made now" },
    cert: { type: "string", valueHint: "file", description: "HTTPS with a certificate of your own, in PEM" },
    key: { type: "string", valueHint: "file", description: "its key, in PEM" },
    inspect: { type: "boolean", description: "shows the simulator in a browser, behind the admin secret" },
    "admin-public": { type: "boolean", description: "serves /hindcast/ although others can reach the address" },
    "admin-origin": { type: "string", valueHint: "origin", description: "pages of this origin may call /hindcast/" },
    "admin-host": { type: "string", valueHint: "name", description: "a name that the Host header may have there" },
    ...JSON_OPTION,
  },
  run: async (args, { print, printJson }) => {
    const options = optionsIn(args);
    const served = await started(options);
    const { listener, tornBytes } = served;
    const { url, urls, adminSecret, inspectUrl, certificate } = listener;
    // From before anybody is told that it runs: whoever reads that may end it at once.
    const asked = interrupted();
    if (args.json) printJson({ url, urls, admin: `${url}/hindcast/`, adminSecret, inspectUrl, certificate, tornBytes });
    else print(told(served, options).map(harmless));
    await asked;
    await ended(served);
    return EXIT.held;
  },
});

type Given = { readonly [name: string]: unknown };

function optionsIn(args: Given): ServeOptions {
  const text = (name: string): string | undefined => args[name] as string | undefined;
  const names = (name: string): readonly string[] | undefined => text(name)?.split(",");
  const durability = text("durability");
  if (durability !== undefined && durability !== "commit" && durability !== "none") {
    throw usageError(`--durability is ${durability}: it is commit or none`);
  }
  const factor = text("follow-clock");
  const followClock = factor === undefined ? undefined : Number(factor);
  if (followClock !== undefined && !(followClock > 0))
    throw usageError(`--follow-clock is ${factor}: it is a number above 0`);
  const seed = text("seed");
  const [origin, host] = [text("admin-origin"), text("admin-host")];
  // A secret on the command line could be read by everybody on the machine.
  const secret = process.env["HINDCAST_ADMIN_SECRET"] || undefined;
  const given = {
    port: portIn("port", args),
    secrets: portIn("secrets", args),
    scheduler: portIn("scheduler", args),
    runs: portIn("runs", args),
    host: text("host"),
    clusters: names("clusters"),
    regions: names("regions"),
    seed: seed !== undefined && /^-?\d{1,15}$/.test(seed) ? Number(seed) : seed,
    followClock,
    log: text("log"),
    load: text("load"),
    durability,
    journal: args["journal"] === true ? true : undefined,
    inspect: args["inspect"] === true ? true : undefined,
    tls: tlsIn(args["tls"] === true, text("cert"), text("key")),
    admin: {
      public: args["admin-public"] === true,
      ...(origin === undefined ? {} : { origins: origin.split(",") }),
      ...(host === undefined ? {} : { hosts: host.split(",") }),
      ...(secret === undefined ? {} : { secret }),
    },
    onError: (error: unknown) => process.stderr.write(`hindcast: ${harmless(String(error))}\n`),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ServeOptions;
}

function portIn(name: string, args: Given): number | undefined {
  const text = args[name] as string | undefined;
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw usageError(`--${name} is ${text}: a port is 0 to 65535`);
  return port;
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

/** What is wrong with a log has an exit code of its own; what the system refuses is told without a stack. */
async function started(options: ServeOptions): Promise<Served> {
  try {
    return await serve(options);
  } catch (error) {
    if (error instanceof LogError) throw new CommandError(EXIT.unreadable, `${options.load}: ${error.message}`);
    if (error instanceof LivingLogError) {
      const { fault, file } = error;
      const next = fault === "not_empty" ? [`hindcast serve --load ${file} --log ${file}   goes on with it`] : [];
      throw new CommandError(fault === "not_readable" ? EXIT.unreadable : EXIT.failed, error.message, next);
    }
    if (error instanceof TypeError) throw usageError(error.message);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandError(EXIT.failed, message);
  }
}

async function ended(served: Served): Promise<void> {
  try {
    await served.close();
  } catch (error) {
    if (error instanceof LivingLogError) throw new CommandError(EXIT.failed, error.message);
    throw error;
  }
}

function told({ listener, tornBytes }: Served, { load, log, followClock }: ServeOptions): string[] {
  const { urls, url, adminSecret, inspectUrl } = listener;
  const rows: (readonly [string, string])[] = [
    ...Object.entries(urls.secrets).map(([name, at]) => [`secrets ${name}`, at] as const),
    ...Object.entries(urls.scheduler).map(([name, at]) => [`scheduler ${name}`, at] as const),
    ...(urls.runs === undefined ? [] : [["runs", urls.runs] as const]),
    ["admin", `${url}/hindcast/`],
    ["secret", adminSecret ?? "none"],
    ...(inspectUrl === undefined ? [] : [["inspect", inspectUrl] as const]),
  ];
  for (const name of Object.keys(urls.secrets)) {
    if (!name.includes("/")) rows.push([`root token ${name}`, listener.sim.secrets.cluster(name).rootToken]);
  }
  if (load !== undefined) rows.push(["loaded", `${load}, ${counted(listener.sim.position, "commit")}`]);
  if (tornBytes > 0) rows.push(["torn", `${tornBytes} bytes of a last line were left out`]);
  if (log !== undefined) rows.push(["log", log]);
  if (followClock !== undefined) rows.push(["clock", `follows the real one, ${followClock} times as fast`]);
  const width = Math.max(...rows.map(([head]) => head.length)) + 2;
  return rows.map(([head, text]) => head.padEnd(width) + text);
}

/** Until somebody ends it. A second time ends it at once. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
