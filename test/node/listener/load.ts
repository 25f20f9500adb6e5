import { Agent, request } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Simulator } from "../../../src/index.ts";
import { listen } from "../../../src/node/index.ts";

// What is no longer used would count as well.
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

export interface LoadResult {
  readonly answered: number;
  readonly failed: readonly string[];
  readonly p99Ms: number;
  /** What the heap holds more at the end than after the first fifth of the requests. */
  readonly heapGrowthBytes: number;
}

/** Asks a simulator over connections that are kept, each again and again, until so many requests are answered. Reads leave no log behind. */
export async function underLoad(
  sim: Simulator,
  {
    connections,
    requests,
    reads,
  }: { readonly connections: number; readonly requests: number; readonly reads: boolean },
): Promise<LoadResult> {
  const main = sim.secrets.cluster("main");
  const headers = { "X-Secrets-Token": main.rootToken };
  for (let key = 0; key < 100; key++)
    main.as(main.rootToken).kv.write({ path: `app/${key}`, value: "x".repeat(key * 10) });
  const server = await listen(sim, { secrets: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const took: number[] = [];
  const failed: string[] = [];
  let answered = 0;
  let asked = 0;
  let heapBefore = 0;

  const ask = (count: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const isList = count % 10 === 0;
      const path = isList ? "/v1/kv/app" : `/v1/kv/app/${count % 100}`;
      const isWrite = !reads && !isList && count % 3 === 0;
      const method = isWrite ? "POST" : "GET";
      const sent = request(
        `${server.url}${path}${isList ? "?list=true" : ""}`,
        { agent, headers, method },
        (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode ?? 0));
          response.on("error", reject);
        },
      );
      sent.on("error", reject);
      sent.end(isWrite ? '{"value":"y"}' : undefined);
    });

  const keepAsking = async (start: number): Promise<void> => {
    for (let count = start; asked++ < requests; count++) {
      const begun = performance.now();
      const status = await ask(count).catch((error: unknown) => String(error));
      if (status !== 200 && status !== 204) failed.push(`${status}`);
      if (took.length < 100_000) took.push(performance.now() - begun);
      else took[answered % 100_000] = performance.now() - begun;
      answered += 1;
      if (heapBefore === 0 && answered > requests / 5) heapBefore = heapInUse();
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, start) => keepAsking(start)));
  const heapGrowthBytes = heapInUse() - heapBefore;
  agent.destroy();
  await server.close();
  took.sort((left, right) => left - right);
  return { answered, failed, p99Ms: took[Math.floor(took.length * 0.99)] ?? 0, heapGrowthBytes };
}

function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
