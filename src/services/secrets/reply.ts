declare const body: unique symbol;

/** What most answers with a result look like (decisions-secrets-core.md, A.1). Every member is always there. */
export interface Envelope<D> {
  request_id: string;
  lease_id: string;
  renewable: boolean;
  lease_duration: number;
  data: D;
  wrap_info: null;
  warnings: string[] | null;
  auth: null;
}

/** An answer before it has its request id. `B` is the body that the caller gets. */
export interface Reply<B> {
  readonly status: 200 | 202 | 204;
  readonly enveloped?: Omit<Envelope<unknown>, "request_id">;
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
  return {
    status: 200,
    enveloped: {
      lease_id: more.lease?.leaseId ?? "",
      renewable: more.lease?.renewable ?? false,
      lease_duration: more.lease?.durationSeconds ?? 0,
      data,
      wrap_info: null,
      warnings: more.warnings === undefined || more.warnings.length === 0 ? null : [...more.warnings],
      auth: null,
    },
  };
}

/** 204: done, and nothing to say. */
export function done(): Reply<undefined> {
  return { status: 204 };
}

/** 202: it will be done. */
export function accepted(): Reply<undefined> {
  return { status: 202 };
}
