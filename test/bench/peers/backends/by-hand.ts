import { FIRST } from "./backend.ts";

/** What a handler answers, before its library makes a response of it. */
export interface Reply {
  readonly status: number;
  readonly body?: object;
}

type Secret = Readonly<Record<string, unknown>>;

/**
 * What is written by hand for a library that brings no state: a Map of folders, one token, and the service's envelope.
 *
 * It is as good as such a thing gets. A list looks into one folder; with one Map of paths, which is what comes to mind first, it
 * would walk all of them. There are no policies, no leases and no history.
 */
export class HandWritten {
  readonly #folders = new Map<string, Map<string, Secret>>();
  readonly #token: string;
  #requests = 0;

  constructor(token: string, paths: readonly string[]) {
    this.#token = token;
    for (const path of paths) this.#put(path, { ...FIRST });
  }

  read(token: string | null | undefined, path: string): Reply {
    if (token !== this.#token) return DENIED;
    const [folder, name] = split(path);
    const secret = this.#folders.get(folder)?.get(name);
    return secret === undefined ? NOTHING : this.#envelope(secret, 2_764_800);
  }

  list(token: string | null | undefined, folder: string): Reply {
    if (token !== this.#token) return DENIED;
    const names = this.#folders.get(folder);
    return names === undefined ? NOTHING : this.#envelope({ keys: [...names.keys()].sort(byCode) }, 0);
  }

  write(token: string | null | undefined, path: string, secret: unknown): Reply {
    if (token !== this.#token) return DENIED;
    this.#put(path, secret as Secret);
    return { status: 204 };
  }

  #put(path: string, secret: Secret): void {
    const [folder, name] = split(path);
    const names = this.#folders.get(folder);
    if (names === undefined) this.#folders.set(folder, new Map([[name, secret]]));
    else names.set(name, secret);
  }

  #envelope(data: Secret, lease_duration: number): Reply {
    this.#requests += 1;
    return {
      status: 200,
      body: {
        request_id: `request-${this.#requests}`,
        lease_id: "",
        renewable: false,
        lease_duration,
        data,
        wrap_info: null,
        warnings: null,
        auth: null,
      },
    };
  }
}

const DENIED: Reply = { status: 403, body: { errors: ["1 error occurred:\n\t* permission denied\n\n"] } };
const NOTHING: Reply = { status: 404, body: { errors: [] } };

const byCode = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf("/");
  return [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
}

export const URL_BY_HAND = "https://secrets.test";
export const TOKEN_BY_HAND = "hvs.written-by-hand";
export const TOKEN_HEADER = "x-secrets-token";
