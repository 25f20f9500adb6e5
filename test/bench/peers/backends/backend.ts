/** A request of the code under test: a path below `/v1/kv/`, in JSON. */
export interface Ask {
  readonly method: "GET" | "LIST" | "POST";
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
}

/** How the code under test asks: through whatever stands where its `fetch` is. */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

/** A stateful stand-in for the service, with so many secrets in it. */
export interface Backend {
  readonly url: string;
  readonly token: string;
  readonly fetch: Fetch;
}

/** Makes a backend that holds secrets, each `{ password: "first" }`. */
export type MakeBackend = (paths: readonly string[]) => Backend;

export const FIRST = { password: "first" };

/** Asks as a client does: a URL and options, and the body is read. */
export async function answerOf({ url, token: own, fetch }: Backend, ask: Ask): Promise<Answer> {
  const { method, path, token = own, body } = ask;
  const headers = { "X-Secrets-Token": token, "Content-Type": "application/json" };
  const response = await fetch(`${url}/v1/kv/${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}
