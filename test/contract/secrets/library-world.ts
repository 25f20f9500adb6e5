import type { Simulator, SimulatorOptions } from "../../../src/index.ts";
import { createSimulator } from "../../support/checked.ts";
import type { Fields } from "../driver.ts";

/** Where the accounts of these tests live. */
export const BASE = "ou=service,dc=example,dc=com";

/** The configuration of these tests, complete. */
export const CONFIG = {
  binddn: "cn=admin,dc=example,dc=com",
  bindpass: "bind-secret",
  url: "ldap://one.test,ldap://two.test",
  userdn: BASE,
};

const ACCOUNTS = ["svc-1", "svc-2", "svc-3", "svc-4", "svc-5"] as const;

/** What a lender of accounts may do: all of the library, and leases. */
const LENDER = `
path "ldap/*" { capabilities = ["create", "read", "update", "delete", "list"] }
path "sys/leases/*" { capabilities = ["read", "update", "list", "sudo"] }
`;

/** A cluster with accounts in its directory, and what tests ask of it besides the door that they look through. */
export interface LibraryWorld {
  readonly sim: Simulator;
  /** The root token. */
  readonly root: string;
  /** Writes a set as root. */
  set(name: string, accounts: readonly string[], settings?: Fields): void;
  /** A token that may lend and return. */
  token(options?: { readonly entityId?: string; readonly numUses?: number; readonly ttl?: string }): string;
  /** The password of an account, as the directory has it. */
  password(account: string): string;
  /** Checks out as root or as a token, and returns the lease with what was lent. */
  lend(set: string, token?: string, ttl?: number): { readonly lease: string; readonly account: string };
  /** The accounts of a set that are available, in the order of its status. */
  available(set: string): readonly string[];
  /** Switches the directory off or on. */
  directoryUp(up: boolean): void;
}

/** Where an account's entry is. */
export const dnOf = (account: string): string => `cn=${account},${BASE}`;

/** The password that an account's entry is seeded with. */
export const initialPassword = (account: string): string => `${account}-initial`;

/** A world with accounts in its directory, and, unless told otherwise, a configured engine. */
export function libraryWorld(
  more: { readonly configured?: boolean; readonly options?: SimulatorOptions } = {},
): LibraryWorld {
  const sim = createSimulator({ seed: 7, ...more.options });
  const cluster = sim.secrets.cluster("main");
  const root = cluster.rootToken;
  for (const account of ACCOUNTS) seedAccount(sim, account);
  if (more.configured ?? true) cluster.as(root).ldapConfig.write(CONFIG);
  cluster.writePolicy("lender", LENDER);
  return {
    sim,
    root,
    set: (name, accounts, settings = {}) => {
      cluster.as(root).library.write({ set_name: name, service_account_names: accounts, ...settings });
    },
    token: (options = {}) => cluster.createToken({ policies: ["lender"], ...options }).token,
    password: (account) => passwordOf(sim, account),
    lend: (set, token = root, ttl) => {
      const { lease_id, data } = cluster.as(token).library.checkOut({ set_name: set, ttl });
      return { lease: lease_id, account: data.service_account_name };
    },
    available: (set) => {
      const { data } = cluster.as(root).library.status({ set_name: set });
      return Object.keys(data).filter((account) => data[account]?.available);
    },
    directoryUp: (up) => sim.directory.setAvailable(up),
  };
}

export function seedAccount(sim: Simulator, account: string): void {
  sim.directory.addEntry(dnOf(account), {
    objectClass: ["person", "account"],
    cn: account,
    userPassword: initialPassword(account),
  });
}

function passwordOf(sim: Simulator, account: string): string {
  const value = sim.directory.entry(dnOf(account))?.attributes["userPassword"]?.[0];
  if (typeof value !== "string") throw new Error(`${account} has no password`);
  return value;
}
