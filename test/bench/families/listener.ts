import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSimulator } from "../../../src/index.ts";
import { type Durability, keepLog, listen } from "../../../src/node/index.ts";
import { atLeast, type Family, row, shared } from "../harness/row.ts";
import { median, rounded } from "../harness/statistics.ts";
import { answerTo, client, request, type Subject, subject } from "./load.ts";

const sim = shared(() => {
  const made = createSimulator();
  const main = made.secrets.cluster("main");
  main.as(main.rootToken).kv.write({ path: "app/db", user: "app", password: "secret" });
  main.writePolicy("app", 'path "kv/app/*" { capabilities = ["read", "update"] }');
  const { token } = main.createToken({ policies: ["app"] });
  return { made, token };
});

const BODY = JSON.stringify({ user: "app", password: "secret" });

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
  return { ours: await subject(port, [text], client(effort)), bare: await subject(barePort, [text], client(effort)) };
});

async function writing(effort: Parameters<typeof sim>[0], durability: Durability | undefined): Promise<Subject> {
  const { made, token } = sim(effort);
  const log =
    durability === undefined
      ? undefined
      : await keepLog(made, join(mkdtempSync(join(tmpdir(), "hindcast-bench-")), "log.ndjson"), { durability });
  const { port } = await listen(made, { secrets: 0, ...(log === undefined ? {} : { log }) });
  return subject(port, [request("POST /v1/kv/app/db", token, BODY)], client(effort));
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
