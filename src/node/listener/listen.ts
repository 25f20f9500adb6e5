import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import type { FetchHosts } from "../../http/hosts.ts";
import { DNS_LABEL } from "../../services/kit/options.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { World } from "../../simulator/world.ts";
import { Admin, isAdminPath } from "../admin/admin.ts";
import { type Certificate, generateCertificate } from "./certificate.ts";
import { type Exchanges, exchange, HttpDates, readBody, WorldReplaced } from "./exchange.ts";
import { type Follow, type FollowClockOptions, followRealTime } from "./follow-clock.ts";
import { Front } from "./front.ts";
import type { Listener } from "./listener.ts";
import { type ListenOptions, type ListenSettings, type Ports, readListenOptions } from "./options.ts";
import { nameOf, placesOf, prefixOf, type Served, type ServicePlace } from "./places.ts";

/**
 * Answers requests to a simulator's services on real sockets.
 *
 * @throws TypeError for a wrong option; the error of the system when it cannot listen
 * @example
 * const server = await listen(sim, { port: 0 });
 * await fetch(`${server.urls.secrets.main}/v1/sys/health`);
 * await server.close();
 */
export async function listen(sim: Simulator, options: ListenOptions = {}): Promise<Listener> {
  const { hosts } = LiveSimulator.insideOf(sim);
  const listening = new Listening(sim, readListenOptions(options, hosts.services));
  await listening.open();
  return listening;
}

/** A port, and whom it belongs to; nobody where it is for all. */
interface Door {
  readonly place: ServicePlace | undefined;
  readonly server: Server;
  readonly port: number;
}

class Listening implements Listener {
  readonly #settings: ListenSettings;
  readonly #onError: (error: unknown) => void;
  readonly #exchanges: Exchanges;
  readonly #doors: Door[] = [];
  #sim: Simulator;
  #hosts: FetchHosts<World>;
  #follow: Follow | undefined;
  #stopClock: (() => void) | undefined;
  #admin: Admin | undefined;
  #certificate: Certificate | undefined;
  #closing: Promise<void> | undefined;

  constructor(sim: Simulator, settings: ListenSettings) {
    this.#settings = settings;
    this.#sim = sim;
    this.#hosts = LiveSimulator.insideOf(sim).hosts;
    this.#onError = settings.onError ?? (() => undefined);
    const hosts: FetchHosts<World> = {
      services: this.#hosts.services,
      present: () => this.#hosts.present(),
      past: (place) => this.#hosts.past(place),
    };
    this.#exchanges = {
      hosts,
      hostsFor: (program) => (DNS_LABEL.test(program) ? LiveSimulator.hostsOf(this.#sim.program(program)) : undefined),
      log: settings.log,
      bodyBytes: settings.limits.bodyBytes,
      before: () => this.#hosts.present().comeUp(),
      ownUrl: (place, host) => this.#ownUrl(place, host),
      sharedUrl: (host) => this.#sharedUrl(host),
      dates: new HttpDates(),
      onError: this.#onError,
      waiting: new Set(),
    };
  }

  async open(): Promise<void> {
    const { host, tls, admin, inspect } = this.#settings;
    if (tls !== false) this.#certificate = tls === true ? await this.#generated() : tls;
    if (admin !== false || inspect) {
      this.#admin = new Admin({
        listener: this,
        options: typeof admin === "boolean" ? {} : admin,
        inspect,
        address: host,
        log: this.#settings.log,
        before: this.#exchanges.before,
        onError: this.#onError,
      });
    }
    try {
      for (const { place, port } of this.#portsAsked()) this.#doors.push(await this.#openDoor(place, port));
    } catch (error) {
      await this.close();
      throw error;
    }
    if (!this.#settings.advertise) return;
    const { secrets } = this.urls;
    for (const name of Object.keys(this.#sim.state.secrets)) this.#sim.secrets.cluster(name).advertise(secrets[name]);
  }

  get sim(): Simulator {
    return this.#sim;
  }

  get port(): number {
    return this.#mainDoor().port;
  }

  get url(): string {
    return this.#urlAt(this.#mainDoor().port);
  }

  get urls(): Listener["urls"] {
    const urls: Record<string, Record<string, string> | string> = {};
    for (const { name, http } of this.#hosts.services) if (http.places.length > 0) urls[name] = {};
    for (const place of placesOf(this.#served)) {
      const url = this.#ownUrl(place, "") ?? this.#prefixUrl(place);
      if (url === undefined) continue;
      const listed = urls[place.service.name];
      if (typeof listed === "object") listed[nameOf(place)] = url;
      else urls[place.service.name] = url;
    }
    return urls as unknown as Listener["urls"];
  }

  get #served(): Served {
    return { services: this.#hosts.services, state: this.#hosts.present().state };
  }

  get adminSecret(): string | undefined {
    return this.#admin?.secret;
  }

  get inspectUrl(): string | undefined {
    const { adminSecret } = this;
    if (!this.#settings.inspect || adminSecret === undefined) return undefined;
    return `${this.url}/hindcast/inspect#secret=${encodeURIComponent(adminSecret)}`;
  }

  get certificate(): string | undefined {
    return this.#certificate?.cert;
  }

  followClock(options: FollowClockOptions = {}): void {
    const isHeld = (): boolean => this.#settings.log?.failure !== undefined;
    const follow = followRealTime(options, { isHeld, onError: this.#onError });
    this.stopClock();
    this.#follow = follow;
    this.#stopClock = follow(this.#sim);
  }

  stopClock(): void {
    this.#stopClock?.();
    this.#stopClock = undefined;
    this.#follow = undefined;
  }

  async reset(sim: Simulator): Promise<void> {
    const { hosts } = LiveSimulator.insideOf(sim);
    const before = { sim: this.#sim, hosts: this.#hosts, waiting: [...this.#exchanges.waiting] };
    // At once, so that nobody is answered from the old one whose commit the new log does not have.
    this.#sim = sim;
    this.#hosts = hosts;
    try {
      await this.#settings.log?.restart(sim);
    } catch (error) {
      this.#sim = before.sim;
      this.#hosts = before.hosts;
      throw error;
    }
    this.#stopClock?.();
    this.#stopClock = this.#follow?.(sim);
    // Nothing will change any more in the world that they watch.
    for (const request of before.waiting) request.abort(new WorldReplaced());
    this.#admin?.endWaiting();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.stopClock();
    this.#admin?.endWaiting();
    const { closeMs } = this.#settings.limits;
    await Promise.all(
      this.#doors.map(async ({ server }) => {
        const closed = once(server, "close");
        server.close();
        server.closeIdleConnections();
        const cut = setTimeout(() => server.closeAllConnections(), closeMs);
        await closed;
        clearTimeout(cut);
      }),
    );
  }

  // --- doors -------------------------------------------------------------------------------------------------------

  #portsAsked(): { readonly place: ServicePlace | undefined; readonly port: number }[] {
    const { port, ports } = this.#settings;
    const places = [...placesOf(this.#served)];
    const asked: { readonly place: ServicePlace | undefined; readonly port: number }[] = [];
    for (const service of this.#hosts.services) {
      const own = ports[service.name];
      if (own !== undefined) asked.push(...portsOf(service.name, own, places));
    }
    if (port !== undefined || asked.length === 0) asked.unshift({ place: undefined, port: port ?? 0 });
    return asked;
  }

  async #openDoor(place: ServicePlace | undefined, port: number): Promise<Door> {
    const { limits, host } = this.#settings;
    const front = new Front((request, response, method) => this.#asked(request, response, method, place));
    const options = {
      ...Front.serverOptions,
      maxHeaderSize: limits.headBytes,
      headersTimeout: Math.min(limits.headMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(limits.headMs, 5_000),
    };
    const certificate = this.#certificate;
    const server =
      certificate === undefined
        ? createServer(options, front.handle)
        : createSecureServer({ ...options, ...certificate }, front.handle);
    front.follow(server, certificate === undefined ? "connection" : "secureConnection");
    server.listen({ port, host });
    await once(server, "listening");
    // What goes wrong with one connection that is accepted is no reason to end.
    server.on("error", this.#onError);
    return { place, server, port: (server.address() as AddressInfo).port };
  }

  #asked(request: IncomingMessage, response: ServerResponse, method: string, place: ServicePlace | undefined): void {
    readBody(request, response, this.#settings.limits.bodyBytes, (body) => {
      const inbound = { request, response, method, body };
      if (this.#admin !== undefined && isAdminPath(request.url)) this.#admin.answer(inbound);
      else exchange(this.#exchanges, inbound, place);
    });
  }

  async #generated(): Promise<Certificate> {
    const { host } = this.#settings;
    const names = new Set(["localhost", "127.0.0.1", "::1"]);
    if (isIP(host) !== 0 || /^[\w.-]+$/.test(host)) names.add(host);
    for (const { origin } of placesOf(this.#served)) {
      const { hostname } = new URL(origin);
      names.add(hostname);
      names.add(`${hostname.split(".")[0]}.localhost`);
    }
    return generateCertificate([...names], Date.now());
  }

  // --- addresses ---------------------------------------------------------------------------------------------------

  #mainDoor(): Door {
    const [first] = this.#doors;
    if (first === undefined) throw new TypeError("the listener is not open");
    return first;
  }

  get #scheme(): string {
    return this.#certificate === undefined ? "http" : "https";
  }

  #urlAt(port: number): string {
    return `${this.#scheme}://${reachable(this.#settings.host)}:${port}`;
  }

  #prefixUrl(place: ServicePlace): string | undefined {
    const shared = this.#doors.find((door) => door.place === undefined);
    return shared === undefined ? undefined : this.#urlAt(shared.port) + prefixOf(place);
  }

  #ownUrl(place: ServicePlace, host: string): string | undefined {
    const key = prefixOf(place);
    const own = this.#doors.find((door) => door.place !== undefined && prefixOf(door.place) === key);
    if (own === undefined) return undefined;
    const name = hostnameIn(host);
    return name === undefined ? this.#urlAt(own.port) : `${this.#scheme}://${name}:${own.port}`;
  }

  #sharedUrl(host: string): string | undefined {
    const shared = this.#doors.find((door) => door.place === undefined);
    if (shared === undefined) return undefined;
    return hostnameIn(host) === undefined ? this.#urlAt(shared.port) : `${this.#scheme}://${host}`;
  }
}

/** The name that a client called, without the port; undefined for what is no host. */
function hostnameIn(host: string): string | undefined {
  return /^([\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i.exec(host)?.[1];
}

/** An address that one can connect to: one of all addresses is reached at this machine's own. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** Ports by name; from one number on each has the next. */
function portsOf(
  service: string,
  ports: Ports,
  places: readonly ServicePlace[],
): { readonly place: ServicePlace; readonly port: number }[] {
  const own = places.filter((place) => place.service.name === service);
  if (typeof ports === "number") {
    return own
      .filter(({ place }) => Object.keys(place).length <= 1)
      .map((place, index) => ({ place, port: ports === 0 ? 0 : ports + index }));
  }
  return Object.entries(ports).map(([name, port]) => {
    const place = own.find((one) => nameOf(one) === name);
    if (place === undefined) {
      throw new TypeError(`listen: ${service}: nobody is named ${name}; there are ${own.map(nameOf).join(", ")}`);
    }
    return { place, port };
  });
}
