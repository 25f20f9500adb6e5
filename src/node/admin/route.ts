import type { JsonSchema } from "../../services/kit/openapi.ts";
import type { Simulator } from "../../simulator/types.ts";
import type { ServedWorld } from "../listener/served-world.ts";

/** What a request to the admin path says. */
export interface AdminRequest {
  /** Of the path, decoded. */
  readonly captures: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
  readonly body: { readonly [name: string]: unknown };
  /** Aborted when nobody waits for the answer any more: the client has gone, the simulator was replaced, or the listener closes. */
  readonly gone: AbortSignal;
}

/** What routes of a world are about. */
export interface WorldSubject {
  readonly world: ServedWorld;
  readonly sim: Simulator;
  /** The URL below which its routes are. */
  readonly url: string;
  /** All routes that it has. */
  readonly routes: readonly RouteShape[];
}

/** What is answered: data, text, a page, pieces of text, nothing at all, or that there is no such thing. */
export type AdminAnswer =
  | { readonly json: unknown }
  | { readonly created: unknown }
  | { readonly nothing: true }
  | { readonly text: string }
  | { readonly page: string }
  | { readonly lines: AsyncIterable<string> }
  | { readonly missing: string };

/** A route, as far as its description goes. */
export interface RouteShape {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the path of what it is about, with captures in braces. */
  readonly path: string;
  /** Its name in the document, as functions are named: `createWorld`. */
  readonly id: string;
  readonly summary: string;
  /** What it answers, where that is JSON. Default anything. */
  readonly answers?: JsonSchema;
  /** Parameters of the query; each is a text. */
  readonly query?: { readonly [name: string]: string };
  /** Members of the body; those that are not `required` may be left out. */
  readonly body?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  /** The media type of the answer. Default JSON. */
  readonly type?: string;
  /** The status of an answer that is no refusal. Default 200. */
  readonly status?: 200 | 201 | 204;
}

/** A route, and what answers it. `S` is what it is about. */
export interface AdminRoute<S> extends RouteShape {
  readonly answer: (asked: AdminRequest & S) => AdminAnswer | Promise<AdminAnswer>;
}
