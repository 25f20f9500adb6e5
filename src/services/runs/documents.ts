import type { PageLinks, PageMeta } from "./pagination.ts";

/** A resource identifier of JSON:API. */
export interface Identifier<T extends string> {
  readonly id: string;
  readonly type: T;
}

/** A JSON:API document of one resource, or of a list. */
export interface Document<D, I = never> {
  readonly data: D;
  /** Absent unless `include` asked for it. */
  readonly included?: readonly I[];
}

/** A JSON:API document of one page of a list. */
export interface PagedDocument<D, I = never> extends Document<readonly D[], I> {
  readonly links: PageLinks;
  readonly meta: PageMeta;
}

/** The path of a resource, or of something below it, as links show it. */
export function pathTo(collection: string, id: string, ...below: readonly string[]): string {
  return ["/api/v2", collection, ...[id, ...below].map(encodedSegment)].join("/");
}

/** A segment of a path. Half of a surrogate pair is no character, and no URL can carry it: U+FFFD stands for it. */
export function encodedSegment(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATE, "\ufffd"));
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
