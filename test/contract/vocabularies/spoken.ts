import { createSimulator, type SimulatorOptions } from "../../../src/index.ts";

/** An answer with what clients look at. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what clients of another service read is as they know it
  readonly body: any;
}

/** A simulator that speaks a vocabulary, and a client that knows no other words. */
export function speaking(options: SimulatorOptions = { vocabulary: "hashicorp" }) {
  const sim = createSimulator({ seed: 7, ...options });
  const main = sim.secrets.cluster("main");
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Heard> => {
    const response = await sim.fetch(main.url + path, {
      method,
      headers: { "X-Vault-Token": main.rootToken, ...headers },
      redirect: "manual",
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === "" ? undefined : JSON.parse(text),
    };
  };
  return { sim, main, ask, root: main.as(main.rootToken) };
}

export function claimsIn(jwt: string): { readonly [claim: string]: unknown } {
  return JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()) as { [claim: string]: unknown };
}
