import nock from "nock";
import type { Backend } from "./backend.ts";
import { HandWritten, type Reply, TOKEN_BY_HAND, TOKEN_HEADER, URL_BY_HAND } from "./by-hand.ts";

const KV = /^\/v1\/kv\//;

/** The code under test calls the global `fetch`, which nock has put itself in place of. */
export function nockBackend(paths: readonly string[]): Backend {
  const store = new HandWritten(TOKEN_BY_HAND, paths);
  const pathOf = (uri: string): string => uri.slice("/v1/kv/".length);
  const scope = nock(URL_BY_HAND).persist();
  scope.get(KV).reply(function (uri) {
    return replyOf(store.read(this.req.headers[TOKEN_HEADER], pathOf(uri)));
  });
  scope.intercept(KV, "LIST").reply(function (uri) {
    return replyOf(store.list(this.req.headers[TOKEN_HEADER], pathOf(uri)));
  });
  scope.post(KV).reply(function (uri, body) {
    return replyOf(store.write(this.req.headers[TOKEN_HEADER], pathOf(uri), body));
  });
  return { url: URL_BY_HAND, token: TOKEN_BY_HAND, fetch: globalThis.fetch };
}

function replyOf({ status, body }: Reply): [number, object | undefined] {
  return [status, body];
}
