// A process that holds connections: each asks once and is then idle. It tells how many were answered, asks all of them again when it is
// told to, and ends with its standard input.
import { connect } from "node:net";

const [port, count, token] = process.argv.slice(2);
const REQUEST = `GET /v1/kv/app/a HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Secrets-Token: ${token}\r\n\r\n`;
const AT_ONCE = 200;

/** @type {import("node:net").Socket[]} */
const sockets = [];
let closed = 0;

/** @param {import("node:net").Socket} socket */
function ask(socket) {
  return new Promise((resolve, reject) => {
    socket.once("data", (/** @type {Buffer} */ piece) => resolve(piece.toString("latin1").startsWith("HTTP/1.1 200 ")));
    socket.once("error", reject);
    socket.write(REQUEST);
  });
}

function open() {
  const socket = connect({ port: Number(port), host: "127.0.0.1" });
  socket.once("close", () => {
    closed += 1;
  });
  sockets.push(socket);
  return ask(socket);
}

/** @param {() => Promise<unknown>[]} next */
async function all(next) {
  let answered = 0;
  for (let batch = next(); batch.length > 0; batch = next()) {
    answered += (await Promise.all(batch)).filter(Boolean).length;
  }
  process.stdout.write(`${JSON.stringify({ answered, closed })}\n`);
}

await all(() => Array.from({ length: Math.min(AT_ONCE, Number(count) - sockets.length) }, open));
process.stdin.on("data", () => {
  const left = [...sockets];
  void all(() => left.splice(0, AT_ONCE).map(ask));
});
process.stdin.on("end", () => process.exit(0));
