import { type ChildProcess, fork } from "node:child_process";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { shared } from "../harness/row.ts";

/** A server in this process, and a client in another one that asks it. */
export interface Subject {
  /** @returns requests in a second */
  readonly load: (requests: number, connections: number) => Promise<number>;
}

/** A process that asks. */
export const client = shared((): ChildProcess => {
  const child = fork(fileURLToPath(new URL("load-client.js", import.meta.url)));
  child.unref();
  child.channel?.unref();
  return child;
});

/** The text of a request of the secrets service. */
export function request(line: string, token: string, body = ""): string {
  const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Secrets-Token: ${token}\r\nAccept: */*\r\n${length}\r\n${body}`;
}

/** The text of an answer. */
export async function answerTo(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(text);
  let answer = "";
  for await (const piece of socket as AsyncIterable<string>) {
    answer += piece;
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    const [, length = "0"] = /content-length: (\d+)/i.exec(head) ?? [];
    if (answer.includes("\r\n\r\n") && body.length >= Number(length)) break;
  }
  return answer;
}

/** @param texts the requests, which are sent in turn */
export async function subject(port: number, texts: readonly string[], child: ChildProcess): Promise<Subject> {
  await answerTo(port, texts[0] ?? "");
  return {
    load: (requests, connections) =>
      new Promise((resolve, reject) => {
        child.channel?.ref();
        child.once("message", (message: { readonly perSecond?: number; readonly error?: string }) => {
          child.channel?.unref();
          if (message.perSecond === undefined) reject(new Error(message.error));
          else resolve(message.perSecond);
        });
        child.send({ port, connections, requests, texts });
      }),
  };
}
