import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSimulator } from "../../../src/index.ts";
import { type Durability, keepLog, listen } from "../../../src/node/index.ts";
import { atLeast, type Family, row, shared } from "../harness/row.ts";
import { rounded } from "../harness/statistics.ts";

/** A server in this process, and a client in another one that asks it. */
interface Subject {
  /** @returns requests in a second */
  readonly load: (requests: number, connections: number) => Promise<number>;
}

const sim = shared(() => {
  const made = createSimulator();
  const main = made.secrets.cluster("main");
  main.as(main.rootToken).kv.write({ path: "app/db", user: "app", password: "secret" });
  main.writePolicy("app", 'path "kv/app/*" { capabilities = ["read", "update"] }');
  const { token } = main.createToken({ policies: ["app"] });
  return { made, token };
});

const client = shared((): ChildProcess => {
  const child = fork(fileURLToPath(new URL("load-client.js", import.meta.url)));
  child.unref();
  child.channel?.unref();
  return child;
});

const BODY = JSON.stringify({ user: "app", password: "secret" });

function request(line: string, token: string, body = ""): string {
  const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Secrets-Token: ${token}\r\nAccept: */*\r\n${length}\r\n${body}`;
}

/** The text of an answer. */
async function answerTo(port: number, text: string): Promise<string> {
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

async function subject(port: number, text: string, child: ChildProcess): Promise<Subject> {
  await answerTo(port, text);
  return {
    load: (requests, connections) =>
      new Promise((resolve, reject) => {
        child.channel?.ref();
        child.once("message", (message: { readonly perSecond?: number; readonly error?: string }) => {
          child.channel?.unref();
          if (message.perSecond === undefined) reject(new Error(message.error));
          else resolve(message.perSecond);
        });
        child.send({ port, connections, requests, request: text });
      }),
  };
}

const reading = shared(async (effort): Promise<{ readonly ours: Subject; readonly bare: Subject }> => {
  const { made, token } = sim(effort);
  const text = request("GET /v1/kv/app/db", token);
  const { port } = await listen(made, { secrets: 0 });
  const [head = "", body = ""] = (await answerTo(port, text)).split("\r\n\r\n");
  const headers = head
    .split("\r\n")
    .slice(1)
    .flatMap((line) => line.split(/: (.*)/).slice(0, 2));
  const own = new Set(["connection", "keep-alive"]);
  const sent = headers.filter((_, index) => !own.has((headers[index - (index % 2)] ?? "").toLowerCase()));
  // The same bytes, Date included: it writes none of its own.
  const server = createServer({ keepAliveTimeout: 60_000 }, (_, response) => {
    response.sendDate = false;
    response.writeHead(200, sent);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: barePort } = server.address() as AddressInfo;
  return { ours: await subject(port, text, client(effort)), bare: await subject(barePort, text, client(effort)) };
});

async function writing(effort: Parameters<typeof sim>[0], durability: Durability | undefined): Promise<Subject> {
  const { made, token } = sim(effort);
  const log =
    durability === undefined
      ? undefined
      : await keepLog(made, join(mkdtempSync(join(tmpdir(), "hindcast-bench-")), "log.ndjson"), { durability });
  const { port } = await listen(made, { secrets: 0, ...(log === undefined ? {} : { log }) });
  return subject(port, request("POST /v1/kv/app/db", token, BODY), client(effort));
}

const CONNECTIONS = 50;
const REQUESTS = 2_000;
const BATCHES = 20;

const writeRow = (id: string, durability: Durability | undefined, note: string): Family["rows"][number] =>
  row({
    id,
    process: "listener",
    unit: "requests/s",
    prepare: async (effort) => {
      const { load } = await writing(effort, durability);
      return () => load(effort.count(20_000), CONNECTIONS);
    },
    note,
  });

/** Requests over loopback, from a client in a process of its own. */
export const listener: Family = {
  name: "listener",
  rows: [
    row({
      id: "listener-ratio",
      process: "listener",
      unit: "times",
      goal: atLeast(0.5),
      prepare: async (effort) => {
        const { ours, bare } = await reading(effort);
        return async () => {
          const [left, right]: [number[], number[]] = [[], []];
          for (let batch = 0; batch < effort.count(BATCHES * 5); batch++) {
            left.push(await ours.load(REQUESTS, CONNECTIONS));
            right.push(await bare.load(REQUESTS, CONNECTIONS));
          }
          const [own, other] = [median(left), median(right)];
          return {
            value: own / other,
            detail: `last round: ${rounded(own, 3)} against ${rounded(other, 3)} requests/s`,
          };
        };
      },
      note: "requests a second of a small read, policies checked, against a bare Node server that answers the same bytes",
    }),
    row({
      id: "listener-reads-per-second",
      process: "listener",
      unit: "requests/s",
      prepare: async (effort) => {
        const { ours } = await reading(effort);
        return () => ours.load(effort.count(50_000), CONNECTIONS);
      },
      note: `a small read on ${CONNECTIONS} connections`,
    }),
    writeRow("listener-writes-per-second", undefined, `a kv write on ${CONNECTIONS} connections, no log`),
    writeRow("listener-writes-per-second@commit", "commit", "the same, each answered when the disk has it"),
    writeRow("listener-writes-per-second@none", "none", "the same with a log that nobody waits for"),
  ],
};

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? 0;
}
