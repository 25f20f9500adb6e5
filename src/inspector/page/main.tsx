import { decompress } from "lzma1";
import { render } from "preact";
import type { TraceFailure } from "../trace-html.ts";
import { App } from "./app.tsx";
import { Client, workerOf } from "./client.ts";
import { held } from "./held.ts";
import { Store } from "./store.ts";

const { title, failure } = JSON.parse(new TextDecoder().decode(held("told"))) as {
  readonly title: string;
  readonly failure: TraceFailure | null;
};
const store = new Store(title, failure);
const root = document.getElementById("app");
if (root !== null) render(<App store={store} />, root);
void store.open(async (told) => {
  const client = new Client(workerOf(decompress(held("simulator"))), told);
  return { client, opened: await client.ask("open", held("log").buffer) };
});
