/** What a client is told of a world that was made for it. */
export interface Told {
  readonly id: string;
  readonly name?: string;
  readonly urls: {
    readonly runs: string;
    readonly secrets: { readonly [cluster: string]: string };
    readonly scheduler: { readonly [region: string]: string };
  };
  readonly admin: { readonly url: string; readonly secret: string };
  readonly rootTokens: { readonly [cluster: string]: string };
  readonly keyShares: { readonly [cluster: string]: readonly string[] };
  readonly position: number;
  readonly now: string;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked into by tests
  readonly body: any;
}

/** Asks the admin path of a listener or of a world. */
export async function ask(
  { url, secret }: { readonly url: string; readonly secret: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** Writes and reads a value in a world, as a client of the secrets service does. */
export async function put(world: Told, path: string, value: unknown, cluster = "main"): Promise<number> {
  const { status } = await fetch(`${world.urls.secrets[cluster]}/v1/kv/${path}`, {
    method: "POST",
    headers: { "X-Secrets-Token": world.rootTokens[cluster] ?? "", "Content-Type": "application/json" },
    body: JSON.stringify({ value }),
  });
  return status;
}

export async function read(world: Told, path: string, cluster = "main"): Promise<unknown> {
  const response = await fetch(`${world.urls.secrets[cluster]}/v1/kv/${path}`, {
    headers: { "X-Secrets-Token": world.rootTokens[cluster] ?? "" },
  });
  if (response.status !== 200) return response.status;
  return ((await response.json()) as { data: { value: unknown } }).data.value;
}
