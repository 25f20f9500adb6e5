import type { Query } from "./query.ts";

// Source of all rules in this file: decisions-policy-checks.md, 7.

const DEFAULT_SIZE = 20;
const MAX_SIZE = 100;

/** The page that a query asks for, with effective numbers. */
export interface Page {
  readonly number: number;
  readonly size: number;
}

/** The pagination links of a list; paths, with the page parameters last. */
export interface PageLinks {
  readonly self: string;
  readonly first: string;
  readonly prev: string | null;
  readonly next: string | null;
  readonly last: string;
}

export interface PageMeta {
  readonly pagination: {
    readonly "current-page": number;
    readonly "page-size": number;
    readonly "prev-page": number | null;
    readonly "next-page": number | null;
    readonly "total-pages": number;
    readonly "total-count": number;
  };
}

/** A list, or what a filter leaves of it: it tells how many items there are, and gives those of a range. */
export interface Pageable<T> {
  readonly count: number;
  readonly slice: (from: number, to: number) => readonly T[];
}

/** One page of a list with what stands beside it. */
export interface Paged<T> {
  readonly items: readonly T[];
  readonly links: PageLinks;
  readonly meta: PageMeta;
}

export function pageableOf<T>(items: readonly T[]): Pageable<T> {
  return { count: items.length, slice: (from, to) => items.slice(from, to) };
}

/** Whether a query asks for pages: one of the two parameters is enough, whatever its value. */
export function asksForPages(query: Query): boolean {
  return query.has("page[number]") || query.has("page[size]");
}

/** The page of a list that a query asks for. */
export function paged<T>(list: Pageable<T>, query: Query, path: string): Paged<T> {
  const { number, size } = pageIn(query);
  const pages = Math.ceil(list.count / size);
  const prev = number >= 2 && number <= pages ? number - 1 : null;
  const next = number < pages ? number + 1 : null;
  const linkTo = linkOf(path, query, size);
  return {
    items: number > pages ? [] : list.slice((number - 1) * size, number * size),
    links: {
      self: linkTo(number),
      first: linkTo(1),
      prev: prev === null ? null : linkTo(prev),
      next: next === null ? null : linkTo(next),
      last: linkTo(Math.max(1, pages)),
    },
    meta: {
      pagination: {
        "current-page": number,
        "page-size": size,
        "prev-page": prev,
        "next-page": next,
        "total-pages": pages,
        "total-count": list.count,
      },
    },
  };
}

function pageIn(query: Query): Page {
  return {
    number: naturalIn(query.get("page[number]")) ?? 1,
    size: Math.min(naturalIn(query.get("page[size]")) ?? DEFAULT_SIZE, MAX_SIZE),
  };
}

/** A number from 1, written with digits only. Our choice: beyond what a number can hold exactly it is the last that can. */
function naturalIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  const number = Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  return number === 0 ? undefined : number;
}

function linkOf(path: string, query: Query, size: number): (number: number) => string {
  const others = [...query].filter(([name]) => name !== "page[number]" && name !== "page[size]");
  const before = others.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`).join("");
  return (number) => `${path}?${before}page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;
}
