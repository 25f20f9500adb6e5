import { decompress } from "lzma1";
import { render } from "preact";
import type { Told } from "../trace-html.ts";
import { App } from "./app.tsx";
import { Client, workerOf } from "./client.ts";
import { held } from "./held.ts";
import { Store } from "./store.ts";

const store = new Store(JSON.parse(new TextDecoder().decode(held("told"))) as Told);
const root = document.getElementById("app");
if (root !== null) render(<App store={store} />, root);
const client = new Client(workerOf(decompress(held("simulator"))), (opened) => store.grow(opened));
const has = (id: string): boolean => document.getElementById(id) !== null;

async function begin(): Promise<void> {
  if (!has("log")) return store.follow(client);
  await store.open(client, { kind: "held", bytes: held("log").buffer });
  if (has("other")) await store.showBeside("the other run", held("other").buffer);
}

void begin();
