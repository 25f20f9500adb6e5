import { Agent, createServer } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import { brokenConnection, refusal, unreachable } from "../../services/kit/connection.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import type { Program } from "../../simulator/programs.ts";
import type { Simulator } from "../../simulator/types.ts";
import { lineOf } from "../../surroundings/faults/line.ts";
import { calledBy, exchange, HttpDates, readBody } from "./exchange.ts";
import { Front } from "./front.ts";
import { placeOfHost, placesOf } from "./places.ts";

const MAX_HEAD_BYTES = 64 * 1024 * 1024;

/**
 * An agent for clients that are built on `http.request` or `https.request`: they reach the simulated services by their own URLs, without a
 * port and without TLS. Whatever else they call is not found.
 *
 * @param sim whose requests they are: a simulator's author, or one of its programs
 * @example
 * http.request(`${sim.secrets.cluster("main").url}/v1/sys/health`, { agent: httpAgent(sim) })
 * axios.create({ httpAgent: agent, httpsAgent: agent, proxy: false })
 */
export function httpAgent(sim: Simulator | Program): Agent {
  const hosts = LiveSimulator.hostsOf(sim);
  const exchanges = {
    hosts,
    log: undefined,
    before: () => undefined,
    addresses: { ownUrl: () => undefined, sharedUrl: () => undefined, namedUrl: () => undefined },
    dates: new HttpDates(),
    onError: () => undefined,
    waiting: new Set<AbortController>(),
  };
  const front = new Front((request, response, method) => {
    readBody(request, response, Number.MAX_SAFE_INTEGER, (body) => {
      exchange(exchanges, { request, response, method, body, ...calledBy(request) }, undefined);
    });
  });
  // Who is in the same process may send what it likes, as through sim.fetch.
  const server = createServer({ ...Front.serverOptions, maxHeaderSize: MAX_HEAD_BYTES }, front.handle);
  front.follow(server, "connection");
  // By itself Node destroys a stream that is no socket before what it wrote has been read, and the client waits for ever.
  server.on("clientError", (_error: Error, stream: Duplex) => {
    stream.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  });

  class SimulatorAgent extends Agent {
    // Both of Node's clients take an agent that names no protocol.
    readonly protocol = undefined;

    // It is returned, not called back with: msw and nock, which look at each request that is not theirs, go on with what is returned.
    override createConnection(options: { readonly host?: string | null | undefined }): Duplex {
      const [ours, theirs] = duplexPair();
      // A pair does not tell one side that the other is gone: whoever waits for an answer would be waited for.
      theirs.once("close", () => ours.destroy());
      // From Node 24 on it tells, a moment later and without the error: a reset would look like an answer that was aborted.
      ours._destroy = (error, done) => {
        if (error !== null) theirs.destroy(error);
        done(error);
      };
      const refusal = refusalOf(options.host ?? "");
      // Before anything is written: what comes in is followed from its first byte.
      if (refusal === undefined) server.emit("connection", ours);
      else setImmediate(() => theirs.destroy(refusal));
      return asSocket(theirs);
    }
  }

  const refusalOf = (host: string): Error | undefined => {
    const served = { services: hosts.services, state: hosts.present().state };
    const found = placeOfHost(served, host);
    if (found === undefined) {
      const known = [...placesOf(served)].map(({ origin }) => origin).join(", ");
      const message = `getaddrinfo ENOTFOUND ${host}: it is not simulated here, this simulator answers for ${known}`;
      return Object.assign(new Error(message), { code: "ENOTFOUND", hostname: host });
    }
    const seen = { service: found.service.name, place: found.place };
    const { program } = hosts.present();
    if (lineOf(program, seen).isCut(served.state)) return brokenConnection(unreachable(`http://${host}`, program));
    const stopped = found.service.http.stopped?.(served.state, found.place);
    return stopped === undefined ? undefined : refusal(host, stopped);
  };
  // A connection costs nothing here, and none that is kept has to be closed.
  return new SimulatorAgent({ keepAlive: false });
}

/** What Node's clients ask of a socket besides being a stream. */
function asSocket(stream: Duplex): Duplex {
  let timer: NodeJS.Timeout | undefined;
  const socket = Object.assign(stream, {
    setTimeout: (ms: number, expired?: () => void) => {
      clearTimeout(timer);
      if (expired !== undefined) stream.once("timeout", expired);
      if (ms > 0) timer = setTimeout(() => stream.emit("timeout"), ms);
      return stream;
    },
    address: () => ({}),
    setNoDelay: () => stream,
    setKeepAlive: () => stream,
    ref: () => stream,
    unref: () => stream,
  });
  stream.once("close", () => clearTimeout(timer));
  return socket;
}
