import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { wireAnswer } from "../../http/fetch.ts";
import type { FetchHosts } from "../../http/hosts.ts";
import { BrokenOff, brokenConnection } from "../../services/kit/connection.ts";
import { type HttpCome, headersSent, type WireAnswer } from "../../services/kit/http.ts";
import type { WorldService } from "../../simulator/model.ts";
import type { World } from "../../simulator/world.ts";
import { isClear } from "../../surroundings/faults/line.ts";
import type { LivingLog } from "../living-log/living-log.ts";
import { LivingLogError } from "../living-log/living-log-error.ts";
import {
  locationOutside,
  originOf,
  placeInPath,
  placeOfHost,
  placesOf,
  prefixOf,
  type Served,
  type ServicePlace,
} from "./places.ts";
import { ReceivedHeaders } from "./received-headers.ts";
import { receivedUrl } from "./received-url.ts";

/** Where a world answers. `host` is the Host header by which a client came, if any. */
export interface Addresses {
  /** The URL of a place that has a port of its own. */
  readonly ownUrl: (place: ServicePlace, host: string) => string | undefined;
  /** The URL below which all places answer, each at its prefix; undefined where there is no port for all. */
  readonly sharedUrl: (host: string) => string | undefined;
  /** The URL of the place whose origin's host begins with this label, at a name below `localhost`; undefined for another host. */
  readonly namedUrl: (label: string, host: string) => string | undefined;
}

/** What an exchange needs of the world that it belongs to. */
export interface Exchanges {
  readonly hosts: FetchHosts<World>;
  /** The same for a program that names itself by a header. Without it nobody does; undefined for a name that is none. */
  readonly hostsFor?: (program: string) => FetchHosts<World> | undefined;
  readonly log: LivingLog | undefined;
  /** Called before anything is decided: the clock may be late. */
  readonly before: () => void;
  readonly addresses: Addresses;
  /** A service's clock is the virtual one. */
  readonly dates: HttpDates;
  readonly onError: (error: unknown) => void;
  /** Requests that may wait for a change: whoever takes their world away ends them. */
  readonly waiting: Set<AbortController>;
}

/** Why a request that waited is not answered by the world that it asked. */
export class WorldEnded extends Error {
  override readonly name = "WorldEnded";
}

/** A request that has been read: whoever it is for, and the body. */
export interface Inbound {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it was sent: the parser never sees LIST. */
  readonly method: string;
  /** What it asks for, as the world sees it: without what names the world. */
  readonly target: string;
  /** Whom it calls, as the world sees it: the Host header, or the host of a whole URL. */
  readonly host: string | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What a request asks for, and whom. Whoever has us for a proxy sends the whole URL. */
export function calledBy({ url = "/", headers }: IncomingMessage): Pick<Inbound, "target" | "host"> {
  if (!isAbsolute(url)) return { target: url, host: headers.host };
  return { target: pathOf(url), host: new URL(url).host };
}

const NO_BODY = new Uint8Array(0);

/**
 * Reads the body of a request, and gives it on at once where there is none. A client that goes away in the middle is forgotten, and one
 * that sends too much is told so.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  then: (body: Uint8Array<ArrayBuffer>) => void,
): void {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  if ((length === undefined || length === "0") && coding === undefined) {
    then(NO_BODY);
    return;
  }
  if (Number(length) > limit) {
    refuseLarge(request, response, limit);
    return;
  }
  const pieces: Buffer[] = [];
  let size = 0;
  request.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size <= limit) pieces.push(piece);
    else if (!response.headersSent) refuseLarge(request, response, limit);
  });
  request.on("end", () => {
    if (size <= limit) then(joined(pieces));
  });
  // It went away: there is nobody to answer.
  request.on("error", () => undefined);
}

function joined(pieces: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const all = Buffer.concat(pieces);
  return new Uint8Array(all.buffer, all.byteOffset, all.length);
}

function refuseLarge(request: IncomingMessage, response: ServerResponse, limit: number): void {
  sendLastText(response, 413, `the body is larger than ${limit} bytes`);
  // What is on its way is read and dropped: a client that still sends would not hear why it is cut off.
  request.resume();
}

/** Answers a request to a service. `place` is given where a port belongs to one place. */
export function exchange(exchanges: Exchanges, inbound: Inbound, given: ServicePlace | undefined): void {
  const { log } = exchanges;
  if (log?.failure === undefined) {
    answer(exchanges, inbound, given);
    return;
  }
  // Nothing is decided that could not be written: what is left is written first.
  log.flushed().then(
    () => answer(exchanges, inbound, given),
    (error: unknown) => {
      const target = targetOf(servedBy(exchanges.hosts), inbound, given);
      sendFailure(exchanges, inbound, error, target?.place.service);
    },
  );
}

function answer(exchanges: Exchanges, inbound: Inbound, given: ServicePlace | undefined): void {
  const { hosts, onError } = exchanges;
  let service: WorldService | undefined;
  try {
    exchanges.before();
    const served = servedBy(hosts);
    const target = targetOf(served, inbound, given);
    const origin = target === undefined ? undefined : originOf(served, target.place);
    if (target === undefined || origin === undefined) {
      sendText(inbound.response, 404, nowhere(exchanges, served, inbound));
      return;
    }
    service = target.place.service;
    const asked = askedOf(exchanges, inbound, origin, target.path, service);
    if (asked === undefined) {
      sendText(inbound.response, 400, "the request target is no path");
      return;
    }
    const asking = hostsOf(exchanges, inbound.request);
    if (asking === undefined) {
      sendText(inbound.response, 400, `${PROGRAM_HEADER} names no program: its name is a DNS label`);
      return;
    }
    const made = wireAnswer(asking, asked);
    if (!(made instanceof Promise)) {
      sendWhenWritten(exchanges, inbound, made, service);
      return;
    }
    made.then(
      (later) => sendWhenWritten(exchanges, inbound, later, service),
      (error: unknown) => sendFailure(exchanges, inbound, error, service),
    );
  } catch (error) {
    try {
      sendFailure(exchanges, inbound, error, service);
    } catch (another) {
      onError(another);
      inbound.response.destroy();
    }
  }
}

interface Target {
  readonly place: ServicePlace;
  readonly path: string;
}

/** Whom a request is for: the port's own, else whom its URL, its Host header or the beginning of its path names. */
function targetOf(served: Served, { target, host }: Inbound, given: ServicePlace | undefined): Target | undefined {
  if (given !== undefined) return { place: given, path: target };
  const named = host === undefined ? undefined : placeOfHost(served, host);
  if (named !== undefined) return { place: named, path: target };
  const found = placeInPath(served.services, target);
  return found === undefined ? undefined : { place: found, path: found.rest };
}

function isAbsolute(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

function servedBy({ services, present }: FetchHosts<World>): Served {
  return { services, state: present().state };
}

function nowhere({ addresses }: Exchanges, served: Served, { host = "" }: Inbound): string {
  const shared = addresses.sharedUrl("") ?? "";
  const base = URL.canParse(shared) ? new URL(shared).pathname.replace(/\/$/, "") : "";
  const known = [...placesOf(served)]
    .filter(({ place }) => Object.keys(place).length <= 1)
    .map((place) => `${base}${prefixOf(place)}${place.service.http.base}/...`);
  return (
    `nobody answers here: neither the Host header (${host || "none"}) nor the beginning of the path names a service; ` +
    `paths begin with ${known.join(", ")}`
  );
}

/** Whom a request asks, for the program that it names. */
function hostsOf({ hosts, hostsFor }: Exchanges, { headers }: IncomingMessage): FetchHosts<World> | undefined {
  const { [PROGRAM_HEADER]: program } = headers;
  return typeof program === "string" && hostsFor !== undefined ? hostsFor(program) : hosts;
}

/** How a program names itself (control-surface.md, "Requests"). */
const PROGRAM_HEADER = "x-hindcast-program";

function askedOf(
  { waiting, hosts }: Exchanges,
  { request, response, method, body }: Inbound,
  origin: string,
  path: string,
  service: WorldService,
): HttpCome | undefined {
  if (!path.startsWith("/")) return undefined;
  const asked = { method, url: receivedUrl(origin, path), headers: new ReceivedHeaders(request.headers), body };
  // Whoever goes away does not wait any longer.
  if (service.http.waits === undefined && isClear(hosts.present().state)) return asked;
  const gone = new AbortController();
  waiting.add(gone);
  response.once("close", () => {
    waiting.delete(gone);
    if (!response.writableFinished) gone.abort();
  });
  return { ...asked, signal: gone.signal };
}

// --- sending ---------------------------------------------------------------------------------------------------------

function sendWhenWritten(
  exchanges: Exchanges,
  inbound: Inbound,
  made: WireAnswer,
  service: WorldService | undefined,
): void {
  const written = exchanges.log?.acknowledged();
  if (written === undefined) {
    send(exchanges, inbound, made);
    return;
  }
  written.then(
    () => send(exchanges, inbound, made),
    (error: unknown) => sendFailure(exchanges, inbound, error, service),
  );
}

function send(exchanges: Exchanges, inbound: Inbound, answer: WireAnswer): void {
  const { response, method } = inbound;
  // Names and values in turn, which is the form that takes the least time to write.
  const { status, body, served, pieces } = answer;
  const headers = headersSent(answer);
  const all: (string | number)[] = ["Date", exchanges.dates.textOf(served.atMs)];
  for (const name in headers) {
    const value = headers[name] as string;
    all.push(name, name === "Location" ? outside(exchanges, inbound, value) : value);
  }
  if (body !== null) all.push("Content-Length", typeof body === "string" ? Buffer.byteLength(body) : body.length);
  else if (method !== "HEAD" && status !== 204 && status !== 304) all.push("Content-Length", 0);
  response.sendDate = false;
  response.writeHead(status, all as string[]);
  if (pieces !== undefined) void sendPieces(exchanges, response, pieces);
  else if (body === null) response.end();
  else response.end(body);
}

/** Sends a body as it comes, and ends the connection where that breaks off. */
async function sendPieces(
  { onError }: Exchanges,
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  response.flushHeaders();
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      await new Promise<void>((sent) => void response.write(piece, () => sent()));
    }
    response.end();
  } catch (error) {
    if (!(error instanceof BrokenOff)) {
      if (!response.destroyed) onError(error);
      response.destroy();
    } else if (error.isReset && response.socket !== null) breakOff(response.socket, error);
    else response.socket?.end();
  }
}

/** Breaks a connection as one breaks whose other end is gone. What stands for a socket carries the error to whoever has the other end. */
function breakOff(socket: Duplex, cause: Error): void {
  if (socket instanceof Socket) reset(socket);
  else socket.destroy(cause);
}

/** Below TLS no reset can be asked for. */
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

function outside({ hosts, addresses }: Exchanges, { host = "" }: Inbound, location: string): string {
  const served = servedBy(hosts);
  const came = placeOfHost(served, host);
  return locationOutside(served, location, (place) => {
    const own = addresses.ownUrl(place, host);
    if (own !== undefined) return own;
    // A client that calls services by their hosts goes on so.
    if (came !== undefined) return addresses.namedUrl(labelOf(originOf(served, place) ?? ""), host);
    const shared = addresses.sharedUrl(host);
    return shared === undefined ? undefined : shared + prefixOf(place);
  });
}

/** The first label of an origin's host, by which the place has a name below `localhost`. */
function labelOf(origin: string): string {
  return URL.canParse(origin) ? (new URL(origin).hostname.split(".")[0] ?? "") : "";
}

/** Instants as the header Date has them. The last one is kept: a clock that stands still has no other. */
export class HttpDates {
  #second = Number.NaN;
  #text = "";

  textOf(ms: number): string {
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(ms).toUTCString();
    }
    return this.#text;
  }
}

/** What cannot be answered: a service that is stopped, a log that cannot be written, a world that is gone, and what nobody thought of. */
function sendFailure(
  { onError }: Exchanges,
  { request, response, method }: Inbound,
  error: unknown,
  service: WorldService | undefined,
): void {
  if (response.headersSent || response.destroyed) return;
  const broken = brokenConnection(error);
  if (broken !== undefined) {
    // A reset is as near to a refused connection as one comes that was accepted.
    breakOff(request.socket, broken);
    return;
  }
  const isLater = error instanceof LivingLogError || error instanceof WorldEnded;
  if (!isLater) onError(error);
  const status = isLater ? 503 : 500;
  const message = error instanceof Error ? error.message : String(error);
  const { type, body } = service?.http.failure(status, message) ?? { type: TEXT, body: message };
  const headers = { "Content-Type": type, "Content-Length": Buffer.byteLength(body), "Cache-Control": "no-store" };
  response.writeHead(status, headers);
  response.end(method === "HEAD" ? undefined : body);
}

const TEXT = "text/plain; charset=utf-8";

export function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    "Content-Type": TEXT,
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** Answers, and ends the connection: what was sent behind the request is not carried out. */
export function sendLastText(response: ServerResponse, status: number, text: string): void {
  response.setHeader("Connection", "close");
  sendText(response, status, text);
}

export function isLast(response: ServerResponse): boolean {
  return response.getHeader("Connection") === "close";
}
