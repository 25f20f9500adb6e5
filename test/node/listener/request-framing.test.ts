import { Duplex } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { frameRequests, RequestFraming } from "../../../src/node/listener/request-framing.ts";
import { property } from "../../support/property.ts";

/** What the parser gets to see of what comes in these pieces. */
function seen(pieces: readonly string[]): string {
  const framing = new RequestFraming();
  const passed = pieces.flatMap((piece) =>
    [...framing.pass(Buffer.from(piece, "latin1"))].map((one) => one.toString("latin1")),
  );
  return passed.join("") + (framing.end()?.toString("latin1") ?? "");
}

const HOST = "Host: a\r\n";

/** Requests as they are sent and as the parser is to see them. */
const REQUESTS = {
  list: [`LIST /v1/a HTTP/1.1\r\n${HOST}\r\n`, `LINK /v1/a HTTP/1.1\r\n${HOST}\r\n`],
  get: [`GET /LIST HTTP/1.1\r\n${HOST}X: LIST / HTTP/1.1\r\n\r\n`],
  link: [`LINK / HTTP/1.1\r\n${HOST}\r\n`],
  lists: [`LISTS / HTTP/1.1\r\n${HOST}\r\n`, `LINK / HTTP/1.1\r\n${HOST}\r\n`],
  lowerCase: [`get / HTTP/1.1\r\n${HOST}\r\n`, `LINK / HTTP/1.1\r\n${HOST}\r\n`],
  brew: [`BREW / HTTP/1.1\r\n${HOST}\r\n`, `LINK / HTTP/1.1\r\n${HOST}\r\n`],
  length: [`POST / HTTP/1.1\r\n${HOST}Content-Length: 19\r\n\r\nLIST / HTTP/1.1\r\n\r\n`],
  upgrade: [
    `GET /a HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
  ],
  empty: [`POST / HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`],
  chunked: [
    `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n` +
      "13;a=b\r\nLIST / HTTP/1.1\r\n\r\n\r\n5\r\nLIST \r\n0\r\nTrailer: LIST\r\n\r\n",
  ],
  listBody: [
    `LIST /b HTTP/1.1\r\n${HOST}content-length:5\r\n\r\nLIST `,
    `LINK /b HTTP/1.1\r\n${HOST}content-length:5\r\n\r\nLIST `,
  ],
  lineEnds: [`\r\n\r\nLIST /c HTTP/1.1\r\n${HOST}\r\n`, `\r\n\r\nLINK /c HTTP/1.1\r\n${HOST}\r\n`],
} as const satisfies Record<string, readonly [string] | readonly [string, string]>;

const kinds = fc.array(fc.constantFrom(...(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])), { maxLength: 8 });

function cut(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((left, right) => left - right);
  return [0, ...sorted].map((from, index) => text.slice(from, sorted[index] ?? text.length));
}

property([kinds, fc.array(fc.nat(2000), { maxLength: 40 })])(
  "however a connection is cut, LIST and what nobody knows is shown as LINK where a request begins, and nothing else is changed",
  (sequence, places) => {
    const sent = sequence.map((kind) => REQUESTS[kind][0]).join("");
    const shown = sequence.map((kind) => (REQUESTS[kind] as readonly string[])[1] ?? REQUESTS[kind][0]).join("");
    expect(seen(cut(sent, places))).toBe(shown);
    expect(seen([...sent])).toBe(shown);
  },
);

property([fc.array(fc.string({ unit: "binary" }), { maxLength: 20 })])("no bytes are too odd", (pieces) => {
  const sent = pieces.map((piece) => Buffer.from(piece).toString("latin1"));
  expect(() => seen(sent)).not.toThrow();
});

test("of each LINK is known what it was, in the order of the requests", () => {
  const framing = new RequestFraming();
  const sent = [REQUESTS.link[0], REQUESTS.list[0], REQUESTS.get[0], REQUESTS.brew[0]];
  // And each comes in a piece of its own.
  expect([...framing.pass(Buffer.from(sent.join("")))]).toHaveLength(sent.length);
  expect([1, 2, 3].map(() => framing.nextLink())).toEqual(["LINK", "LIST", "BREW"]);
});

const FOLLOWING = `LIST / HTTP/1.1\r\n${HOST}\r\n`;

test.each([
  ["bare line feeds", `POST / HTTP/1.1\n${HOST}Content-Length: 3\n\n\r\n\r\n`],
  ["two lengths", `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`],
  ["a length and chunks", `POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc`],
  ["a length that is none", `POST / HTTP/1.1\r\n${HOST}Content-Length: +3\r\n\r\nabc`],
  ["a space before the colon", `POST / HTTP/1.1\r\n${HOST}Content-Length : 3\r\n\r\nabc`],
  ["another coding", `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ["a chunk without a size", `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nx\r\n0\r\n\r\n`],
  ["a tunnel", `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`],
  ["a head without an end", `GET / HTTP/1.1\r\nX: ${"x".repeat(300_000)}`],
])("after %s nothing is changed any more", (_, odd) => {
  expect(seen([odd, FOLLOWING])).toBe(odd + FOLLOWING);
});

test("what a sender gave is its own: it is not written to", () => {
  const given = Buffer.from(FOLLOWING);
  expect([...new RequestFraming().pass(given)].join("").slice(0, 4)).toBe("LINK");
  expect(given.subarray(0, 4).toString()).toBe("LIST");
});

test("a method that was not finished is passed on when the connection ends", async () => {
  const connection = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  frameRequests(connection, () => false);
  const pieces: Buffer[] = [];
  connection.on("data", (piece: Buffer) => pieces.push(piece));
  connection.push("LIS");
  connection.push(null);
  await new Promise((resolve) => connection.once("end", resolve));
  expect(Buffer.concat(pieces).toString()).toBe("LIS");
});
