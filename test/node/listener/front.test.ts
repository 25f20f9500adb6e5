import { createServer, type ServerResponse } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import { expect, test } from "vitest";
import { Front } from "../../../src/node/listener/front.ts";

/** A connection to a server that answers when it is told to, and what came of it. */
class Line {
  readonly client: Duplex;
  /** How many requests the parser has handed over. */
  parsed = 0;
  /** Those that are being answered. */
  readonly asked: { readonly target: string; readonly response: ServerResponse }[] = [];
  received = "";

  constructor() {
    const front = new Front(({ url = "" }, response, method) =>
      this.asked.push({ target: `${method} ${url}`, response }),
    );
    const server = createServer(front.handle);
    front.follow(server, "connection");
    server.prependListener("request", () => {
      this.parsed += 1;
    });
    const [ours, theirs] = duplexPair();
    server.emit("connection", ours);
    this.client = theirs;
    theirs.on("data", (bytes: Buffer) => {
      this.received += bytes.toString("latin1");
    });
  }

  /** Sends, and lets both sides have their turns. */
  async send(text: string): Promise<this> {
    this.client.write(text, "latin1");
    await turns();
    return this;
  }

  async answer(): Promise<string | undefined> {
    const next = this.asked.shift();
    next?.response.end();
    await turns();
    return next?.target;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("behind a request that waits no more are read than a client may want, and the others when it is their turn", async () => {
  const line = await new Line().send("LIST /first HTTP/1.1\r\nHost: a\r\n\r\n");
  const many = Array.from({ length: 1000 }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await line.send(many.join(""));
  expect(line.asked.map(({ target }) => target)).toEqual(["LIST /first"]);
  expect(line.parsed).toBe(65);
  expect(await line.answer()).toBe("LIST /first");
  expect(line.parsed).toBe(66);
  for (const index of many.keys()) {
    expect(await line.answer()).toBe(`GET /${index}`);
    expect(line.parsed).toBeLessThanOrEqual(67 + index);
  }
});
