// vite.config.ts puts what it builds from `page/` and `worker/` in the place of this file.

/** What every page has. */
export interface Built {
  /** The script that begins, and that of the page, by gzip, as base85; and their sums for the content security policy. */
  readonly boot: string;
  readonly bootSum: string;
  readonly page: string;
  readonly pageSum: string;
  readonly style: string;
  readonly styleSum: string;
  /** The simulator as a worker: a script, by LZMA, as base85. */
  readonly worker: string;
  /** The licences of the packages in it, by gzip, as base85. */
  readonly licenses: string;
}

export const built: Built | undefined = undefined;
