import type { Worlds } from "./worlds.ts";

/** Where worlds answer for other processes, each below a path and a name of its own. */
export interface WorldsListener {
  readonly worlds: Worlds;
  readonly port: number;
  readonly url: string;
  /** What has to be sent to the admin path as `Authorization: Bearer`: it opens all worlds. */
  readonly adminSecret: string;
  /** The certificate in PEM, for whoever is to trust it; undefined without TLS. */
  readonly certificate: string | undefined;
  /** Takes no more requests, lets those end that are being answered, and frees the ports. The worlds stay. */
  close(): Promise<void>;
}
