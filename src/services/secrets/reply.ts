import type { Plain } from "../../kernel/plain.ts";
import type { Speech } from "../../languages/vocabulary/shape.ts";
import type { KvData, KvObject } from "./kv/state.ts";
import type { PathContext } from "./words/path.ts";
import type { Unsigned } from "./wrapping/state.ts";

declare const body: unique symbol;

/** Where a wrapped answer waits (decisions-secrets-core.md, A.6). */
export interface WrapInfo {
  readonly token: string;
  readonly accessor: string;
  /** Seconds. */
  readonly ttl: number;
  readonly creation_time: string;
  readonly creation_path: string;
  readonly wrapped_accessor: string;
}

/** A token as its creation and its renewal show it (decisions-secrets-core.md, A.7). */
export interface AuthShown {
  readonly client_token: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  /** Those that its entity adds, and by their namespaces those that count there. */
  readonly identity_policies?: readonly string[];
  readonly external_namespace_policies?: { readonly [namespace: string]: readonly string[] };
  readonly metadata: { readonly [name: string]: string } | null;
  /** Seconds; 0 for a token that never expires. */
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: "service" | "batch";
  readonly orphan: boolean;
  readonly num_uses: number;
}

/** What most answers with a result look like (decisions-secrets-core.md, A.1). Every member is always there. */
export interface Envelope<D, A extends AuthShown | null = null> {
  request_id: string;
  lease_id: string;
  renewable: boolean;
  lease_duration: number;
  data: D;
  /** Where the answer waits that was to be wrapped; `data` and `auth` are null then. */
  wrap_info: WrapInfo | null;
  warnings: string[] | null;
  auth: A;
}

/** An answer before it has its request id. `B` is the body that the caller gets. */
export interface Reply<B> {
  readonly status: number;
  readonly enveloped?: Omit<Envelope<unknown, AuthShown | null>, "request_id">;
  /** Its `data` is JSON text, which stands in the body as it is (amendments.md, S30). */
  readonly isTextual?: true;
  /** The members of `data` stand beside it as well, as far as their names are free. */
  readonly repeatsData?: true;
  /** A body without an envelope, or one that has its own already. */
  readonly bare?: object;
  /** Makes the body that is sent of what has been committed: signing is rendering, and takes what is imported when it is first needed. */
  readonly render?: (content: object, speech?: Speech<PathContext>) => Promise<object>;
  /** What its `data` lacks until the answer is made. */
  readonly unsigned?: Unsigned;
  /** It is the answer of another path, which had been put away. */
  readonly wraps?: string;
  /** Over HTTP the answer is this file, and not its body. */
  readonly file?: Uint8Array<ArrayBuffer>;
  /** What the answer says in its headers besides what all do. */
  readonly headers?: { readonly [name: string]: string };
  readonly [body]?: B;
}

/** A lease as its answer shows it. */
export interface LeaseShown {
  readonly leaseId: string;
  readonly renewable: boolean;
  readonly durationSeconds: number;
}

/** 200 with a result. */
export function enveloped<D>(
  data: D,
  more: { lease?: LeaseShown; warnings?: readonly string[] } = {},
): Reply<Envelope<D>> {
  return { status: 200, enveloped: envelope(data, null, more) };
}

/** 200 with what was stored. */
export function stored(data: KvData, more: { lease?: LeaseShown } = {}): Reply<Envelope<KvObject>> {
  if (typeof data !== "string") return enveloped(data, more);
  return { ...(enveloped(data, more) as Reply<never>), isTextual: true };
}

/** 200 with what was stored, and what is told of it. */
export function storedBeside<M extends object>(data: KvData, beside: M): Reply<Envelope<{ data: KvObject } & M>> {
  if (typeof data !== "string") return enveloped({ data, ...beside });
  return { ...(enveloped(`{"data":${data},${JSON.stringify(beside).slice(1)}`) as Reply<never>), isTextual: true };
}

/** 200 with a token. */
export function authenticatedAs(auth: AuthShown, warnings: readonly string[]): Reply<Envelope<null, AuthShown>> {
  return { status: 200, enveloped: envelope(null, auth, { warnings }) };
}

function envelope<D, A extends AuthShown | null>(
  data: D,
  auth: A,
  { lease, warnings = [] }: { lease?: LeaseShown; warnings?: readonly string[] },
): Omit<Envelope<D, A>, "request_id"> {
  return {
    lease_id: lease?.leaseId ?? "",
    renewable: lease?.renewable ?? false,
    lease_duration: lease?.durationSeconds ?? 0,
    data,
    wrap_info: null,
    warnings: warnings.length === 0 ? null : [...warnings],
    auth,
  };
}

/** An answer without what was repeated beside its data (amendments.md, S35). */
export function envelopeIn(shown: { readonly [name: string]: Plain | undefined }): object {
  const { request_id, lease_id, renewable, lease_duration, data, wrap_info, warnings, auth } = shown;
  return { request_id, lease_id, renewable, lease_duration, data, wrap_info, warnings, auth };
}

/** The same answer, with the members of its data beside it (decisions-secrets-core.md, A.1). */
export function repeatingData<D extends object>(reply: Reply<Envelope<D>>): Reply<Envelope<D> & D> {
  return { ...(reply as Reply<never>), repeatsData: true };
}

/** A body that stands for itself, by default with 200. */
export function bare<B extends object>(content: B, status = 200): Reply<B> {
  return { status, bare: content };
}

/** The same answer, with a body that is made when it is sent: what is decided is what it is made of. */
export function rendered<B extends object, A extends object>(
  reply: Reply<A>,
  render: (content: A, speech?: Speech<PathContext>) => Promise<B>,
): Reply<B> {
  return { ...(reply as Reply<never>), render: render as unknown as NonNullable<Reply<B>["render"]> };
}

/** The same answer with more headers. */
export function withHeaders<B>(reply: Reply<B>, headers: { readonly [name: string]: string }): Reply<B> {
  return { ...reply, headers };
}

/** What is seen of an answer that was put away. */
export function wrappedReply(wrap_info: WrapInfo): Reply<Envelope<null>> {
  return bare({ request_id: "", ...envelope(null, null, {}), wrap_info });
}

/** The same answer, over HTTP as a compressed file. */
export function withFile<B>(reply: Reply<B>, file: Uint8Array<ArrayBuffer>): Reply<B> {
  const headers = { "Content-Type": "application/gzip", "Content-Disposition": "attachment" };
  return { ...withHeaders(reply, headers), file };
}

/** 204: done, and nothing to say. */
export function done(): Reply<undefined> {
  return { status: 204 };
}

/** 204, or 200 where there is something to warn of. */
export function warned(warnings: readonly string[]): Reply<Envelope<null> | undefined> {
  return warnings.length === 0 ? done() : enveloped(null, { warnings });
}

/** 202: it will be done. */
export function accepted(): Reply<undefined> {
  return { status: 202 };
}

/** The same answer with one more warning; one without a body has no room for it. */
export function withWarning(reply: Reply<unknown>, warning: string): Reply<unknown> {
  if (reply.enveloped === undefined) return reply;
  return { ...reply, enveloped: { ...reply.enveloped, warnings: [...(reply.enveloped.warnings ?? []), warning] } };
}

/** What an answer warns of when captures of the path took the place of fields of the body (decisions-secrets-core.md, A.4). */
export function replacedWarnings(replaced: readonly string[] = []): readonly string[] {
  if (replaced.length === 0) return [];
  return [
    `endpoint replaced the value of these parameters with the values captured from the path: [${replaced.join(" ")}]`,
  ];
}

/** The body of an answer before it is rendered, under the id of its request; undefined for one that is empty. */
export function bodyOf(
  reply: Reply<unknown>,
  requestId: () => string,
  warnings: readonly string[] = [],
): object | undefined {
  if (reply.bare !== undefined) return reply.bare;
  if (reply.enveloped === undefined) return undefined;
  const { enveloped: own, repeatsData } = reply;
  const shown: Record<string, unknown> = { request_id: requestId(), ...own };
  if (warnings.length > 0) shown["warnings"] = [...(own.warnings ?? []), ...warnings];
  if (repeatsData === undefined) return shown;
  // Names are the caller's in one case, so that they must not take the place of what every object has.
  return Object.fromEntries([
    ...Object.entries(own.data as { readonly [name: string]: Plain }).filter(([name]) => !Object.hasOwn(shown, name)),
    ...Object.entries(shown),
  ]);
}

/** The body of an answer with the token that it shows. */
export function withToken(body: unknown, { member }: Unsigned, token: unknown): object {
  const unsigned = body as { readonly data: object };
  return { ...unsigned, data: { ...unsigned.data, [member]: token } };
}
