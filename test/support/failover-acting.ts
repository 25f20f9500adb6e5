import type { ClusterHandle, SecretsClient, Simulator } from "../../src/index.ts";

// What moves are handed. Its functions use nothing else of this file but each other, so that their text can be pasted into a scenario as
// it stands (./failover-story.ts).

type Kind = "dr" | "performance";

/** The calls of a client, some of which have to be waited for, whatever the typed door does. */
type Waiting<C> = C extends (...given: infer A) => infer R
  ? (...given: A) => R | Promise<Awaited<R>>
  : { readonly [N in keyof C]: Waiting<C[N]> };

/** A client through any door: what it answers is waited for. */
export type Client = Waiting<Omit<SecretsClient, "at">> & {
  readonly at: (mount: string) => Waiting<ReturnType<SecretsClient["at"]>>;
};

export type Door = "call" | "http";

/** Who does something, to whom, through which door, and a number that says how. */
export interface Acting {
  readonly sim: Simulator;
  readonly on: ClusterHandle;
  readonly other: ClusterHandle;
  readonly n: number;
  readonly kind: Kind;
  /** A client with all rights on the cluster, or on another one. */
  readonly door: (cluster?: ClusterHandle, namespace?: string) => Client;
  /** A client of whoever has this token, or has none. */
  readonly as: (token?: string) => Client;
  /** One of the ids that the primary `on` knows. */
  readonly someId: () => string;
  /** A token of the primary `other` for a secondary, by an id that is new to it. */
  readonly activation: (options?: {
    readonly ttl?: string;
    readonly key?: string;
    readonly of?: Kind;
  }) => Promise<string>;
  /** A DR operation token of `on`, made with its key shares; nothing for performance, where ordinary tokens do. */
  readonly authority: () => Promise<{ readonly dr_operation_token?: string }>;
  /** The calls of a secondary: it is asked without a token for disaster recovery. */
  readonly secondary: () => Client["replication"]["dr"] | Client["replication"]["performance"];
  /** Makes each of several calls, whatever became of those before. */
  readonly all: (...calls: readonly (() => unknown)[]) => Promise<void>;
  /** The `n`-th of the leases that there are on `on`. */
  readonly lease: () => string;
  /** The `n`-th of the tokens in which something is wrapped on `on`. */
  readonly wrapped: () => string;
}

/** Makes of a simulator and two names all that a move needs. */
export function acting(sim: Simulator, cluster: string, another: string, n: number, through: Door = "call"): Acting {
  const [on, other] = [sim.secrets.cluster(cluster), sim.secrets.cluster(another)];
  const kind = n % 2 === 0 ? "dr" : "performance";
  const client = (at: ClusterHandle, token?: string, namespace?: string): Client =>
    through === "http"
      ? overHttp(sim, at, token, namespace)
      : at.as(token, namespace === undefined ? {} : { namespace });
  const door = (at = on, namespace?: string): Client => {
    const id = `operator-${at.name}`;
    if (!sim.state.secrets[at.name]?.local.tokens.has(id)) at.createToken({ id, policies: ["root"] });
    return client(at, id, namespace);
  };
  const known = (name: string, of: Kind): readonly string[] => {
    const { ignored, local } = sim.state.secrets[name] ?? {};
    const role = of === "dr" ? ignored?.dr : local?.performance;
    return role?.mode === "primary" ? [...role.secondaries.keys()] : [];
  };
  const nth = (keys: Iterable<string> | undefined): string => {
    const all = [...(keys ?? [])];
    return all[n % Math.max(all.length, 1)] ?? "none";
  };
  return {
    sim,
    on,
    other,
    n,
    kind,
    door,
    as: (token) => client(on, token),
    someId: () => {
      const ids = known(cluster, kind);
      return ids[n % Math.max(ids.length, 1)] ?? `${other.name}-0`;
    },
    activation: async ({ ttl, key, of = kind } = {}) => {
      const taken = known(another, of);
      let place = 0;
      while (taken.includes(`${on.name}-${place}`)) place += 1;
      const { wrap_info, data } = await door(other).replication[of].secondaryToken({
        id: `${on.name}-${place}`,
        ...(ttl === undefined ? {} : { ttl }),
        ...(key === undefined ? {} : { secondary_public_key: key }),
      });
      return wrap_info?.token ?? data?.token ?? "";
    },
    authority: async () => {
      if (kind === "performance") return {};
      // Whoever has one goes on using it, most of the time.
      const [held] = sim.state.secrets[cluster]?.ignored.drOperationTokens.keys() ?? [];
      if (held !== undefined && n < 8) return { dr_operation_token: held };
      const { operationToken } = client(on).replication.dr;
      await operationToken.cancel();
      const { nonce, otp = "", required } = await operationToken.start();
      let encoded = "";
      for (const key of on.keyShares.slice(0, required)) {
        encoded = (await operationToken.update({ key, nonce })).encoded_token;
      }
      const bytes = [...atob(encoded)].map((letter, place) => letter.charCodeAt(0) ^ otp.charCodeAt(place));
      return { dr_operation_token: String.fromCharCode(...bytes) };
    },
    secondary: () => (kind === "dr" ? client(on).replication.dr : door().replication.performance),
    all: async (...calls) => {
      for (const call of calls) await tried(call);
    },
    lease: () => nth(sim.state.secrets[cluster]?.local.leases.keys()),
    wrapped: () => nth(sim.state.secrets[cluster]?.local.wrapped.keys()),
  };
}

/** A client whose calls are requests: the operations table says which, and what is no capture is the body or the query. */
export function overHttp(sim: Simulator, on: ClusterHandle, token?: string, namespace?: string): Client {
  const send = async (name: string, mount: string | undefined, given: object, options: object): Promise<unknown> => {
    const rows = sim.operations();
    const isWhole = (path: string): boolean =>
      [...path.matchAll(/\/:(\w+)/g)].every(([, capture = ""]) => capture === "mount" || capture in given);
    const named = rows.find((row) => row.name === name);
    const row = named !== undefined && isWhole(named.path) ? named : rows.find((each) => each.name === `${name}ByName`);
    if (row === undefined) throw new TypeError(`${name} is no operation, or lacks a part of its path`);
    const engine = ["kv", "kv2", "orchestrator"].find((each) => name.startsWith(`secrets.${each}.`)) ?? "ldap";
    const fields: Record<string, unknown> = { ...given, mount: mount ?? engine };
    const path = row.path.replace(/\/(?:\*\*)?:(\w+)/g, (_, capture: string) => {
      const { [capture]: value } = fields;
      delete fields[capture];
      return typeof value === "string" ? `/${encodeURIComponent(value).replaceAll("%2F", "/")}` : "";
    });
    delete fields["mount"];
    const sends = row.method === "POST" || row.method === "PATCH";
    const query = new URLSearchParams(Object.entries(fields).map(([key, value]) => [key, String(value)]));
    const headers = new Headers();
    if (row.method === "PATCH") headers.set("Content-Type", "application/merge-patch+json");
    if (token !== undefined) headers.set("X-Secrets-Token", token);
    if (namespace !== undefined) headers.set("X-Secrets-Namespace", namespace);
    if ("wrapTtl" in options) headers.set("X-Secrets-Wrap-TTL", String(options.wrapTtl));
    const response = await sim.fetch(`${on.url}${path}${sends || query.size === 0 ? "" : `?${query}`}`, {
      method: row.method,
      headers,
      ...(sends ? { body: JSON.stringify(fields) } : {}),
    });
    const text = await response.text();
    const { status } = response;
    // A file is a snapshot, which its head names as the typed call does.
    const [url] =
      response.headers.get("Content-Type") === "application/gzip" ? (/client[\w%.-]+/.exec(text) ?? []) : [];
    if (url !== undefined) return { snapshot_url: decodeURIComponent(url) };
    // Health tells by its status how a node is.
    if (status < 400 || name === "secrets.health.read") return text === "" ? undefined : JSON.parse(text);
    throw Object.assign(new Error(`${row.method} ${path}: ${text}`), { code: "refused", status });
  };
  const member = (name: string, mount?: string): object =>
    new Proxy(() => undefined, {
      get: (_, next) => {
        // Nobody waits for a client.
        if (typeof next !== "string" || next === "then") return undefined;
        if (name === "secrets" && next === "at") return (path: string) => member(name, path);
        return member(`${name}.${next}`, mount);
      },
      apply: (_, __, [given = {}, options = {}]: readonly object[]) => send(name, mount, given, options),
    });
  return member("secrets") as Client;
}

/** Does something, and tells whether it was done: what the world refuses is not, and that is no mistake. */
export async function tried(call: () => unknown): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    const isRefusal = error instanceof Error && "code" in error && "status" in error;
    if (!isRefusal && !(error instanceof TypeError && error.message === "fetch failed")) throw error;
    return false;
  }
}
