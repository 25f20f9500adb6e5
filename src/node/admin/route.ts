import type { JsonSchema } from "../../services/kit/openapi.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { Listener } from "../listener/listener.ts";

/** What a route of the admin path gets. */
export interface AdminAsked {
  readonly listener: Listener;
  readonly sim: Simulator;
  /** Of the path, decoded. */
  readonly captures: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
  readonly body: { readonly [name: string]: unknown };
  /** All routes that there are. */
  readonly routes: readonly AdminRoute[];
  /** Aborted when nobody waits for the answer any more: the client has gone, the simulator was replaced, or the listener closes. */
  readonly gone: AbortSignal;
}

/** What it answers: data, text, a page, pieces of text, or that there is no such thing. */
export type AdminAnswer =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly page: string }
  | { readonly lines: AsyncIterable<string> }
  | { readonly missing: string };

export interface AdminRoute {
  readonly method: "GET" | "POST";
  /** Below `/hindcast`, with captures in braces. */
  readonly path: string;
  readonly summary: string;
  /** Parameters of the query; each is a text. */
  readonly query?: { readonly [name: string]: string };
  /** Members of the body; those that are not `required` may be left out. */
  readonly body?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  /** The media type of the answer. Default JSON. */
  readonly type?: string;
  readonly answer: (asked: AdminAsked) => AdminAnswer | Promise<AdminAnswer>;
}
