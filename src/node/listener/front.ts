import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { sendText } from "./exchange.ts";
import { frameRequests, type RequestFraming } from "./request-framing.ts";

/** Answers a request whose method is as it was sent. */
export type Answering = (request: IncomingMessage, response: ServerResponse, method: string) => void;

/**
 * Lets a server of Node's take LIST: what comes in on its connections is followed, and the method that the parser was shown is put
 * right again.
 */
export class Front {
  readonly #framings = new WeakMap<Duplex, RequestFraming>();
  readonly #answering: Answering;

  constructor(answering: Answering) {
    this.#answering = answering;
  }

  readonly handle: RequestListener = (request, response) => {
    const { method = "GET", socket } = request;
    const wasList = method === "LINK" && this.#framings.get(socket)?.nextLinkWasList() === true;
    this.#answering(request, response, wasList ? "LIST" : method);
  };

  /** Follows the connections of a server. `event` is what it emits for one that can be read. */
  follow(server: Server, event: "connection" | "secureConnection"): void {
    server.on(event, (connection: Duplex) => this.#framings.set(connection, frameRequests(connection)));
    // Without somebody who listens Node cuts such a connection off without a word.
    server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
      socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
    server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
      sendText(response, 417, "no expectation is met but 100-continue");
    });
  }
}
