import { rename, writeFile } from "node:fs/promises";
import type { ServedUrls } from "../listener/urls.ts";
import type { Keys } from "./keys.ts";

/** What who started a server is told when it answers: one line of JSON. */
export interface Ready extends Partial<Keys> {
  readonly url: string;
  /** Where each service answers; with worlds, each world has its own. */
  readonly urls?: ServedUrls;
  readonly admin: { readonly url: string; readonly secret: string };
  /** The same secret, where it has stood from the beginning. */
  readonly adminSecret: string;
  readonly inspectUrl?: string | undefined;
  /** The certificate in PEM, for whoever is to trust it. */
  readonly certificate?: string | undefined;
  /** Bytes of a torn last line of a loaded log that were left out. */
  readonly tornBytes?: number;
  readonly worlds?: number;
  readonly pid: number;
}

/** Writes what is told to a file that is there as a whole or not at all. Whoever may read it may control the simulator. */
export async function writeReady(file: string, ready: Ready): Promise<void> {
  const begun = `${file}.${ready.pid}`;
  await writeFile(begun, `${JSON.stringify(ready)}\n`, { mode: 0o600 });
  await rename(begun, file);
}
