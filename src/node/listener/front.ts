import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { sendText } from "./exchange.ts";
import { frameRequests, type RequestFraming } from "./request-framing.ts";

/** Answers a request whose method is as it was sent. */
export type Answering = (request: IncomingMessage, response: ServerResponse, method: string) => void;

/** A connection, and what answers the request that came on it last. */
interface Connection {
  readonly framing: RequestFraming;
  last: ServerResponse | undefined;
}

/**
 * Lets a server of Node's take LIST, and any other method: what comes in on its connections is followed, and the method that the parser was shown is put
 * right again. And it keeps the order of requests that are sent without waiting for answers: the parser hands over the next one while the
 * body of the one before is still read.
 */
export class Front {
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
    if (before === undefined || before.writableEnded || before.destroyed) {
      this.#answering(request, response, sent);
      return;
    }
    before.once("close", () => {
      // Who has gone away asks nothing any more.
      if (!socket.destroyed) this.#answering(request, response, sent);
    });
  };

  /** Follows the connections of a server. `event` is what it emits for one that can be read. */
  follow(server: Server, event: "connection" | "secureConnection"): void {
    server.on(event, (socket: Duplex) => {
      this.#connections.set(socket, { framing: frameRequests(socket), last: undefined });
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
