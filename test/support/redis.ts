import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";

/** A store of the tests' own, or the one that `REDIS_URL` names. */
export interface Redis {
  readonly url: string;
  readonly end: () => void;
}

/** @throws Error where there is neither */
export async function redis(): Promise<Redis> {
  const given = process.env["REDIS_URL"] ?? "";
  if (given !== "") return { url: given, end: () => undefined };
  const port = await freePort();
  const server = spawn("redis-server", [
    "--port",
    `${port}`,
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
  ]);
  await ready(server);
  return { url: `redis://127.0.0.1:${port}`, end: () => server.kill("SIGKILL") };
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.once("error", (error) => {
      const how = "install Debian's redis-server, or name a store in REDIS_URL";
      reject(new Error(`there is no redis-server for the tests of the queue: ${how} (${error.message})`));
    });
    server.once("exit", (code) => reject(new Error(`redis-server ended with ${code}: ${said}`)));
    server.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (/ready to accept connections/i.test(said)) resolve();
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}
