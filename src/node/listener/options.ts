import * as v from "valibot";
import { optionsSchema, readArgument } from "../../kernel/arguments.ts";
import { whole } from "../../services/kit/options.ts";
import type { WorldService } from "../../simulator/model.ts";
import { LivingLog } from "../living-log/living-log.ts";

/** One port, or one for each by name; from one number on each has the next, and 0 takes free ones. */
export type Ports = number | { readonly [name: string]: number };

/** Options of `listen`. Ports are 0 for any that is free. */
export interface ListenOptions {
  /** One port for all: told apart by Host header or by the beginning of the path. Default 0, unless others have ports of their own. */
  readonly port?: number;
  /** A port for the run service alone. */
  readonly runs?: number;
  /** Ports for regions of the scheduler, by name. */
  readonly scheduler?: Ports;
  /** Ports for clusters of the secrets service, by name; those for a node by `"<cluster>/<node>"`. */
  readonly secrets?: Ports;
  /** The address to listen at. Default `127.0.0.1`: nobody else reaches it. */
  readonly host?: string;
  /** The host in the URLs that are told, and that answers hold: the name by which clients reach the address. Default the address. */
  readonly urlHost?: string;
  /** HTTPS: `true` for a certificate that is generated, or one of yours in PEM. Default plain HTTP. */
  readonly tls?: boolean | { readonly key: string; readonly cert: string };
  /** Serves the admin path `/hindcast/`. Default false. */
  readonly admin?: boolean | AdminOptions;
  /**
   * Tells each cluster where it is served, so that OIDC issuers that nobody set are there: `cluster.advertise`, a commit for each. Default
   * false: a port that is free by chance would be in every log.
   */
  readonly advertise?: boolean;
  /** Shows the simulator in a browser, at `listener.inspectUrl`; the admin path is then served, too. Default false. */
  readonly inspect?: boolean;
  /** Answers are sent when this log has what they tell of. */
  readonly log?: LivingLog;
  readonly limits?: {
    /** The body of a request. Default 40 MiB: the services refuse theirs by themselves below it. */
    readonly bodyBytes?: number;
    /** Request line and headers. Default 16 KiB. */
    readonly headBytes?: number;
    /** Until the headers of a request are there. Default 30 s. */
    readonly headMs?: number;
    /** Until all of a request is there. Default 300 s. */
    readonly requestMs?: number;
    /** How long a connection may be kept that asks nothing. Default 60 s. */
    readonly idleMs?: number;
    /** Until those who are being answered are cut off when it closes. Default 1 s. */
    readonly closeMs?: number;
  };
  /** Told of what went wrong by itself and was answered with 500. Default: nobody. */
  readonly onError?: (error: unknown) => void;
}

/** Options of `listen` for worlds: they have one port, and worlds that ask for it ports of their own. */
export type WorldsListenOptions = Pick<
  ListenOptions,
  "port" | "host" | "urlHost" | "tls" | "inspect" | "limits" | "onError"
> & {
  readonly admin?: AdminOptions;
};

/** Options of the admin path. */
export interface AdminOptions {
  /** What has to be sent as `Authorization: Bearer`. Default: one that is drawn, `listener.adminSecret`. */
  readonly secret?: string;
  /** Serves it although others than this machine can reach it. Default false. */
  readonly public?: boolean;
  /** Names, besides the listener's own, that the Host header may have. */
  readonly hosts?: readonly string[];
  /** Origins whose pages may call it. Default none. */
  readonly origins?: readonly string[];
}

const port = v.pipe(whole(0), v.maxValue(65_535, "it is at most 65535"));
const ports = v.union([port, v.record(v.string(), port)], "it is a port, or ports by name");
const limit = v.pipe(whole(1), v.maxValue(2_147_483_647, "it is at most 2147483647"));
const func = v.custom<(error: unknown) => void>((value) => typeof value === "function", "it is a function");
const texts = v.array(v.string("it is a text"));

const MINIMUM_SECRET = 16;

const HOSTNAME = /^([\w.-]+|\[[0-9a-f:.]+\])$/i;

const common = {
  host: v.optional(v.pipe(v.string("it is an address"), v.nonEmpty("it is not empty")), "127.0.0.1"),
  urlHost: v.optional(v.pipe(v.string("it must be a host"), v.regex(HOSTNAME, "it must be a host, without a port"))),
  tls: v.optional(
    v.union(
      [v.boolean(), v.strictObject({ key: v.string(), cert: v.string() })],
      "it is true, or { key, cert } in PEM",
    ),
    false,
  ),
  admin: v.optional(
    v.union(
      [
        v.boolean(),
        optionsSchema({
          secret: v.optional(v.pipe(v.string(), v.minLength(MINIMUM_SECRET), v.regex(/^[\x21-\x7e]+$/))),
          public: v.optional(v.boolean(), false),
          hosts: v.optional(texts, []),
          origins: v.optional(texts, []),
        }),
      ],
      `it is true, or { secret, public, hosts, origins }; a secret has ${MINIMUM_SECRET} characters or more, and no spaces`,
    ),
    false,
  ),
  inspect: v.optional(v.boolean(), false),
  limits: v.optional(
    optionsSchema({
      bodyBytes: v.optional(limit, 40 * 1024 * 1024),
      headBytes: v.optional(limit, 16 * 1024),
      headMs: v.optional(limit, 30_000),
      requestMs: v.optional(limit, 300_000),
      idleMs: v.optional(limit, 60_000),
      closeMs: v.optional(limit, 1_000),
    }),
    {},
  ),
  onError: v.optional(func),
};

const ofOne = {
  advertise: v.optional(v.boolean("advertise is true or false"), false),
  log: v.optional(v.custom<LivingLog>((value) => value instanceof LivingLog, "it is what keepLog or resumeLog gave")),
};

const entries = { port: v.optional(port), ...common, ...ofOne };

/** Options with everything that was left out. */
export interface ListenSettings extends v.InferOutput<v.ObjectSchema<typeof entries, undefined>> {
  /** Ports of services, by their names. */
  readonly ports: { readonly [service: string]: Ports | undefined };
}

/** @throws TypeError naming the option that is wrong */
export function readListenOptions(options: ListenOptions, services: readonly WorldService[]): ListenSettings {
  const { port: shared, ...others } = entries;
  const known = { port: shared, ...(portsSchema(services) as Record<never, never>), ...others };
  const read = readArgument(optionsSchema(known), "listen", options);
  const given: { readonly [name: string]: unknown } = read;
  return { ...read, ports: Object.fromEntries(services.map(({ name }) => [name, given[name] as Ports | undefined])) };
}

const ofWorlds = optionsSchema({ port: v.optional(port, 0), ...common });

/** Options of `listen` for worlds with everything that was left out. */
export type WorldsListenSettings = v.InferOutput<typeof ofWorlds>;

/** @throws TypeError naming the option that is wrong */
export function readWorldsListenOptions(options: WorldsListenOptions): WorldsListenSettings {
  return readArgument(ofWorlds, "listen", options);
}

/** Ports of a world's own: true for any that are free, one for each place. */
export type OwnPorts = true | { readonly runs?: number; readonly scheduler?: Ports; readonly secrets?: Ports };

/** @throws TypeError naming what is wrong */
export function readOwnPorts(
  call: string,
  given: unknown,
  services: readonly WorldService[],
): Pick<ListenSettings, "ports"> | undefined {
  if (given === undefined) return undefined;
  if (given === true) return { ports: Object.fromEntries(services.map(({ name }) => [name, 0])) };
  return { ports: readArgument(optionsSchema(portsSchema(services)), call, given) };
}

function portsSchema(services: readonly WorldService[]) {
  const ofServices = services.map(({ name, http }) => [name, v.optional(http.places.length === 0 ? port : ports)]);
  return Object.fromEntries(ofServices) as { readonly [service: string]: v.GenericSchema<Ports | undefined> };
}
