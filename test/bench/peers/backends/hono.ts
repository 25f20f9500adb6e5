import { type Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Backend } from "./backend.ts";
import { HandWritten, type Reply, TOKEN_BY_HAND, TOKEN_HEADER, URL_BY_HAND } from "./by-hand.ts";

const KV = "/v1/kv/:path{.+}";

/** A bare app: its handler is called, nothing is intercepted. */
export function honoBackend(paths: readonly string[]): Backend {
  const store = new HandWritten(TOKEN_BY_HAND, paths);
  const app = new Hono();
  app.get(KV, (c) => responseOf(c, store.read(c.req.header(TOKEN_HEADER), c.req.param("path"))));
  app.on("LIST", KV, (c) => responseOf(c, store.list(c.req.header(TOKEN_HEADER), c.req.param("path"))));
  app.post(KV, async (c) =>
    responseOf(c, store.write(c.req.header(TOKEN_HEADER), c.req.param("path"), await c.req.json())),
  );
  return { url: URL_BY_HAND, token: TOKEN_BY_HAND, fetch: (url, init) => app.request(url, init) };
}

function responseOf(c: Context, { status, body }: Reply): Response {
  return body === undefined ? c.body(null, 204) : c.json(body, status as ContentfulStatusCode);
}
