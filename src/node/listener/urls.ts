/** Where each service answers; paths such as `/v1/...` go behind it. */
export interface ServedUrls {
  readonly runs?: string;
  readonly scheduler: { readonly [region: string]: string };
  readonly secrets: { readonly [cluster: string]: string };
}
