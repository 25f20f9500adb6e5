import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import { type Certificate, generateCertificate } from "./certificate.ts";
import { calledBy, type Inbound, readBody } from "./exchange.ts";
import { Front } from "./front.ts";
import type { ListenSettings } from "./options.ts";
import type { ServicePlace } from "./places.ts";

/** A port that is asked for, and whom it belongs to. 0 is any that is free. */
export interface PortAsked {
  /** The only place that answers there; undefined where all do. */
  readonly place?: ServicePlace | undefined;
  /** The world that it belongs to, where there are several. */
  readonly world?: string | undefined;
  readonly port: number;
}

/** An open port. */
export interface Door extends PortAsked {
  readonly server: Server;
}

type Settings = Pick<ListenSettings, "host" | "urlHost" | "tls" | "limits" | "onError">;

/** The ports at which a listener answers. */
export class Doors {
  readonly certificate: Certificate | undefined;
  readonly #settings: Settings;
  readonly #answering: (inbound: Inbound, door: PortAsked) => void;
  #doors: readonly Door[] = [];

  private constructor(
    settings: Settings,
    certificate: Certificate | undefined,
    answering: (inbound: Inbound, door: PortAsked) => void,
  ) {
    this.#settings = settings;
    this.certificate = certificate;
    this.#answering = answering;
  }

  /**
   * @param hostnames names that a certificate that is made has, besides those of this machine
   * @throws the error of the system when it cannot listen; nothing is open then
   */
  static async open(
    settings: Settings,
    ports: readonly PortAsked[],
    hostnames: readonly string[],
    answering: (inbound: Inbound, door: PortAsked) => void,
  ): Promise<Doors> {
    const { tls } = settings;
    const certificate =
      tls === true ? await generated(settings.urlHost ?? settings.host, hostnames) : tls === false ? undefined : tls;
    const doors = new Doors(settings, certificate, answering);
    await doors.add(ports);
    return doors;
  }

  /** Opens further ports. @throws the error of the system when it cannot listen; none of them is open then */
  async add(ports: readonly PortAsked[]): Promise<readonly Door[]> {
    const opened: Door[] = [];
    try {
      for (const asked of ports) opened.push(await this.#open(asked));
    } catch (error) {
      await this.#closed(opened);
      throw error;
    }
    this.#doors = [...this.#doors, ...opened];
    return opened;
  }

  /** Frees the ports, and lets those end that are being answered. They still tell what they were. */
  close(): Promise<void> {
    return this.#closed(this.#doors);
  }

  /** Frees some of the ports. */
  remove(doors: readonly Door[]): Promise<void> {
    this.#doors = this.#doors.filter((door) => !doors.includes(door));
    return this.#closed(doors);
  }

  async #closed(closing: readonly Door[]): Promise<void> {
    const { closeMs } = this.#settings.limits;
    await Promise.all(
      closing.map(async ({ server }) => {
        const closed = once(server, "close");
        server.close();
        server.closeIdleConnections();
        const cut = setTimeout(() => server.closeAllConnections(), closeMs);
        await closed;
        clearTimeout(cut);
      }),
    );
  }

  get all(): readonly Door[] {
    return this.#doors;
  }

  /** The port for all, or the first of those that belong to somebody. */
  get main(): Door {
    const [first] = this.#doors;
    if (first === undefined) throw new TypeError("the listener is not open");
    return first;
  }

  get scheme(): string {
    return this.certificate === undefined ? "http" : "https";
  }

  urlAt(port: number): string {
    const { host, urlHost = reachable(host) } = this.#settings;
    return `${this.scheme}://${urlHost}:${port}`;
  }

  async #open(asked: PortAsked): Promise<Door> {
    const { limits, host, onError = () => undefined } = this.#settings;
    const front = new Front((request, response, method) => this.#read(request, response, method, asked));
    const options = {
      ...Front.serverOptions,
      maxHeaderSize: limits.headBytes,
      headersTimeout: Math.min(limits.headMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(limits.headMs, 5_000),
    };
    const { certificate } = this;
    const server =
      certificate === undefined
        ? createServer(options, front.handle)
        : createSecureServer({ ...options, ...certificate }, front.handle);
    front.follow(server, certificate === undefined ? "connection" : "secureConnection");
    server.listen({ port: asked.port, host });
    await once(server, "listening");
    // What goes wrong with one connection that is accepted is no reason to end.
    server.on("error", onError);
    return { ...asked, server, port: (server.address() as AddressInfo).port };
  }

  #read(request: IncomingMessage, response: ServerResponse, method: string, door: PortAsked): void {
    readBody(request, response, this.#settings.limits.bodyBytes, (body) => {
      this.#answering({ request, response, method, body, ...calledBy(request) }, door);
    });
  }
}

function generated(host: string, hostnames: readonly string[]): Promise<Certificate> {
  const names = new Set(["localhost", "127.0.0.1", "::1"]);
  if (isIP(host) !== 0 || /^[\w.-]+$/.test(host)) names.add(host);
  for (const hostname of hostnames) {
    names.add(hostname);
    names.add(`${hostname.split(".")[0]}.localhost`);
  }
  return generateCertificate([...names], Date.now());
}

/** An address that one can connect to: one of all addresses is reached at this machine's own. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}
