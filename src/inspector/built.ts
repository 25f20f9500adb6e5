// vite.config.ts puts what it builds from `page/` and `worker/` in the place of this file.

/** What every page has. */
export interface Built {
  /** The script of the page, ready to stand in it, and its sum for the content security policy. */
  readonly script: string;
  readonly scriptSum: string;
  readonly style: string;
  readonly styleSum: string;
  /** The simulator as a worker: a compressed script, as base64url. */
  readonly worker: string;
}

export const built: Built | undefined = undefined;
