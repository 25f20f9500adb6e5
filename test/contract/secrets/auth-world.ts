import type { Simulator } from "../../../src/index.ts";
import { createSimulator } from "../../support/checked.ts";
import type { Answer, Asking, Door, Fields, OperationName, Subject } from "../driver.ts";

/** A method that is enabled at its own path, and a door to it. */
export interface AuthWorld {
  readonly sim: Simulator;
  readonly door: Door;
  /** Calls as root. */
  call(operation: OperationName, fields?: Fields, asking?: Asking): Promise<Answer>;
  /** Calls as root, and what comes has to be right. */
  done(operation: OperationName, fields?: Fields, asking?: Asking): Promise<Record<string, unknown>>;
  /** Logs in without a token. */
  login(operation: OperationName, fields: Fields, asking?: Asking): Promise<Answer>;
  /** What a look-up says of a token. */
  lookup(token: string): Record<string, unknown>;
}

export async function authWorld({ open }: Subject, ...methods: readonly string[]): Promise<AuthWorld> {
  const sim = createSimulator({ seed: 7 });
  const door = open(sim);
  const cluster = sim.secrets.cluster("main");
  const done: AuthWorld["done"] = async (operation, fields, asking) => {
    const { status, body, errors } = await door.call(operation, fields, asking);
    if (status >= 300) throw new Error(`${operation}: ${status} ${errors}`);
    return (body as { data?: Record<string, unknown> } | undefined)?.data ?? {};
  };
  for (const type of methods) await done("auth.enable", { path: type, type });
  return {
    sim,
    door,
    call: (operation, fields, asking) => door.call(operation, fields, asking),
    done,
    login: (operation, fields, asking = {}) => door.call(operation, fields, { token: null, ...asking }),
    lookup: (token) => ({ ...cluster.as(cluster.rootToken).tokens.lookup({ token }).data }),
  };
}

/** What a login says of its token. */
export interface Auth {
  readonly client_token: string;
  readonly policies: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly lease_duration: number;
  readonly entity_id: string;
  readonly renewable: boolean;
  readonly token_type: string;
  readonly num_uses: number;
}

export function authOf({ status, body, errors }: Answer): Auth {
  if (status !== 200) throw new Error(`a login was answered ${status}: ${errors}`);
  return (body as { readonly auth: Auth }).auth;
}
