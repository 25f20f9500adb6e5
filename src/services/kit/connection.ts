/** What `fetch` rejects with where nobody listens. `who` does not: "the cluster". */
export function connectionRefused(url: string, who: string): TypeError {
  return broken(refusal(new URL(url).host, who));
}

/** What Node's clients reject with where nobody listens. */
export function refusal(host: string, who: string): Coded {
  return coded("ECONNREFUSED", `connect ECONNREFUSED ${host}: ${who} is stopped`);
}

/** What `fetch` rejects with when a connection breaks on which it waits for an answer. */
export function connectionReset(): TypeError {
  return broken(coded("ECONNRESET", "read ECONNRESET"));
}

/** What the pieces of an answer end with when its connection ends before it does. Clients tell a reset from an end by the code. */
export class BrokenOff extends Error {
  readonly code: "ECONNRESET" | "UND_ERR_SOCKET";
  readonly isReset: boolean;

  constructor(isReset: boolean) {
    super(isReset ? "read ECONNRESET" : "other side closed");
    this.code = isReset ? "ECONNRESET" : "UND_ERR_SOCKET";
    this.isReset = isReset;
  }
}

/** What `fetch` rejects with where no line leads. Our choice: who is cut off learns it at once, as from a router that knows. */
export function unreachable(origin: string, program: string): TypeError {
  const { host } = new URL(origin);
  return broken(coded("EHOSTUNREACH", `connect EHOSTUNREACH ${host}: the line of ${program} is cut`));
}

type Coded = Error & { readonly code: string };

function coded(code: string, message: string): Coded {
  return Object.assign(new Error(message), { code });
}

/** Errors of connections that are made here: others may have such codes, too. */
const causes = new WeakMap<Error, Coded>();

function broken(cause: Coded): TypeError {
  const error = new TypeError("fetch failed", { cause });
  causes.set(error, cause);
  return error;
}

/** What is wrong with the connection, where that is why an answer is missing; undefined for any other error. */
export function brokenConnection(error: unknown): Coded | undefined {
  return error instanceof Error ? causes.get(error) : undefined;
}
