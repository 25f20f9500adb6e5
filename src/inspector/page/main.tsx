import { render } from "preact";
import { bytesOfBase64url } from "../../languages/jws/base64url.ts";
import type { TraceFailure } from "../trace-html.ts";
import { App } from "./app.tsx";
import { Client, workerFrom } from "./client.ts";
import { Store } from "./store.ts";

const { title, failure } = JSON.parse(new TextDecoder().decode(held("told"))) as {
  readonly title: string;
  readonly failure: TraceFailure | null;
};
const store = new Store(title, failure);
const root = document.getElementById("app");
if (root !== null) render(<App store={store} />, root);
void store.open(async (told) => {
  const client = new Client(await workerFrom(held("simulator")), told);
  return { client, opened: await client.ask("open", held("log").buffer) };
});

/** What an element of the page holds as base64url. */
function held(id: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytesOfBase64url(document.getElementById(id)?.textContent ?? "") ?? []);
}
