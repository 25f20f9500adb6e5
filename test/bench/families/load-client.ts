import { connect } from "node:net";

/** What a client process is told to do. */
interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  /** The texts of requests, which are sent in turn. */
  readonly texts: readonly string[];
}

/**
 * Sends requests on several connections, each the next one when the last was answered, until so many were.
 *
 * Answers are not parsed: each has one end of its head, and is so small that it comes whole.
 */
function load({ port, connections, requests, texts }: Load): Promise<number> {
  const bytes = texts.map((text) => Buffer.from(text));
  const begun = performance.now();
  let left = requests;
  let answered = 0;
  return new Promise((resolve, reject) => {
    for (let count = 0; count < connections; count++) {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const ask = (): void => {
        if (left === 0) {
          socket.destroy();
          return;
        }
        left -= 1;
        socket.write(bytes[left % bytes.length] ?? "");
      };
      socket.on("connect", ask);
      socket.on("error", reject);
      socket.on("data", (piece) => {
        for (let end = piece.indexOf(END); end >= 0; end = piece.indexOf(END, end + END.length)) {
          answered += 1;
          if (answered === requests) resolve((requests / (performance.now() - begun)) * 1000);
          ask();
        }
      });
    }
  });
}

const END = "\r\n\r\n";

process.on("message", (message: Load) => {
  load(message).then(
    (perSecond) => process.send?.({ perSecond }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
