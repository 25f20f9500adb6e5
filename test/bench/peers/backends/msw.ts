import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import type { Backend } from "./backend.ts";
import { HandWritten, type Reply, TOKEN_BY_HAND, TOKEN_HEADER, URL_BY_HAND } from "./by-hand.ts";

/** The code under test calls the global `fetch`, which msw has put itself in place of. */
export function mswBackend(paths: readonly string[]): Backend {
  const store = new HandWritten(TOKEN_BY_HAND, paths);
  const kv = `${URL_BY_HAND}/v1/kv/*`;
  const pathOf = (url: string): string => new URL(url).pathname.slice("/v1/kv/".length);
  const server = setupServer(
    http.get(kv, ({ request }) => responseOf(store.read(request.headers.get(TOKEN_HEADER), pathOf(request.url)))),
    http.post(kv, async ({ request }) =>
      responseOf(store.write(request.headers.get(TOKEN_HEADER), pathOf(request.url), await request.json())),
    ),
    // It has no name for LIST.
    http.all(kv, ({ request }) =>
      request.method === "LIST"
        ? responseOf(store.list(request.headers.get(TOKEN_HEADER), pathOf(request.url)))
        : undefined,
    ),
  );
  server.listen({ onUnhandledRequest: "error" });
  return { url: URL_BY_HAND, token: TOKEN_BY_HAND, fetch: globalThis.fetch };
}

function responseOf({ status, body }: Reply): HttpResponse<never> {
  return (body === undefined ? new HttpResponse(null, { status }) : HttpResponse.json(body, { status })) as never;
}
