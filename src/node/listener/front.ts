import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { isLast, sendLastText, sendText } from "./exchange.ts";
import { type FollowedConnection, frameRequests } from "./request-framing.ts";

/** Answers a request whose method is as it was sent. */
export type Answering = (request: IncomingMessage, response: ServerResponse, method: string) => void;

/** A connection, what answers the request that came on it last, and how many requests wait for those before them. */
interface Connection extends FollowedConnection {
  last: ServerResponse | undefined;
  queued: number;
}

/** Clients that send on without waiting send some ten requests; one that sends more is read when its first are answered. */
const MOST_QUEUED = 64;

/**
 * Lets a server of Node's take LIST, and any other method: what comes in on its connections is followed, and the method that the parser was shown is put
 * right again. And it keeps the order of requests that are sent without waiting for answers: the parser hands over the next one while the
 * body of the one before is still read.
 */
export class Front {
  /** What a server of Node's is made with: by itself it refuses a request without Host, and goes on with the one behind it. */
  static readonly serverOptions: ServerOptions = { requireHostHeader: false };

  readonly #connections = new WeakMap<Duplex, Connection>();
  readonly #answering: Answering;

  constructor(answering: Answering) {
    this.#answering = answering;
  }

  readonly handle: RequestListener = (request, response) => {
    const { method = "GET", socket } = request;
    const connection = this.#connections.get(socket);
    const sent = method === "LINK" ? (connection?.framing.nextLink() ?? method) : method;
    const before = connection?.last;
    if (connection !== undefined) connection.last = response;
    if (connection === undefined || before === undefined || before.writableEnded || before.destroyed) {
      this.#turn(request, response, sent, before);
      return;
    }
    connection.queued += 1;
    before.once("close", () => {
      connection.queued -= 1;
      // Who has gone away asks nothing any more.
      if (socket.destroyed) return;
      this.#turn(request, response, sent, before);
      connection.goOn();
    });
  };

  #turn(request: IncomingMessage, response: ServerResponse, method: string, before: ServerResponse | undefined): void {
    if (before !== undefined && isLast(before)) return;
    if (lacksHost(request)) sendLastText(response, 400, "the request has no Host header");
    else this.#answering(request, response, method);
  }

  /** Follows the connections of a server. `event` is what it emits for one that can be read. */
  follow(server: Server, event: "connection" | "secureConnection"): void {
    server.on(event, (socket: Duplex) => {
      const followed = frameRequests(socket, () => connection.queued >= MOST_QUEUED);
      const connection: Connection = { ...followed, last: undefined, queued: 0 };
      this.#connections.set(socket, connection);
    });
    // Without somebody who listens Node cuts such a connection off without a word.
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
      socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
    server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
      sendText(response, 417, "no expectation is met but 100-continue");
    });
  }
}

/** Source: RFC 9112, 3.2. */
function lacksHost({ headers, httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersionMajor === 1 && httpVersionMinor === 1;
}
