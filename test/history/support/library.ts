import { createSimulator, type SecretsClient, type Simulator, type SimulatorOptions } from "../../../src/index.ts";

/** The positions of the commits that open a library: what people do begins at 7. */
export const OPENED = 6;

export const DN = (account: string): string => `cn=${account},dc=example`;

/**
 * A cluster whose set `ops` lends svc-a and then svc-b, for an hour unless somebody asks for less. Ann and Bob hold tokens that
 * are their names.
 *
 * Commits: 1 and 2 the accounts' entries, 3 Ann, 4 Bob, 5 the engine's configuration, 6 the set.
 */
export function openLibrary(options: SimulatorOptions = {}): Simulator {
  const sim = createSimulator({ seed: 7, ...options });
  const main = sim.secrets.cluster(options.secrets?.clusters?.[0] ?? "main");
  for (const account of ["svc-a", "svc-b"]) sim.directory.addEntry(DN(account), { cn: account });
  for (const id of ["ann", "bob"]) main.createToken({ id, policies: ["root"], entityId: id });
  const admin = main.as(main.rootToken);
  admin.ldapConfig.write({ binddn: "cn=admin,dc=example", bindpass: "admin-pass" });
  admin.library.write({ set_name: "ops", service_account_names: ["svc-a", "svc-b"], ttl: "1h", max_ttl: "2h" });
  return sim;
}

/** The door of whoever holds a token. */
export const as = (sim: Simulator, token: string): SecretsClient => sim.secrets.cluster("main").as(token);

export function borrow(sim: Simulator, by: string, ttl?: string) {
  const { data, lease_id } = as(sim, by).library.checkOut({ set_name: "ops", ...(ttl === undefined ? {} : { ttl }) });
  return { account: data.service_account_name, password: data.password, lease: lease_id };
}

export const giveBack = (sim: Simulator, by: string): string[] =>
  as(sim, by).library.checkIn({ set_name: "ops" }).data.check_ins;

/** Who has what: accounts of the set with the entity that has borrowed them. */
export function lent(sim: Pick<Simulator, "secrets">): Record<string, string> {
  const { data } = sim.secrets.cluster("main").as("ann").library.status({ set_name: "ops" });
  const taken = Object.entries(data).filter(([, { available }]) => !available);
  return Object.fromEntries(taken.map(([account, { borrower_entity_id = "" }]) => [account, borrower_entity_id]));
}

/** What the log says, in short: `8 timer.leaseRevocation`. */
export const told = (sim: Simulator): string[] =>
  sim.log.commits().map(({ position, command }) => `${position} ${command.name.replace(/^secrets\./, "")}`);

/** A log with a bit of everything that a file has to carry: loans, timers, refusals that kept facts, marks, odd texts. */
export function eventfulLibrary(options: SimulatorOptions = {}): Simulator {
  const sim = openLibrary(options);
  sim.mark("before the loans");
  borrow(sim, "ann", "10m");
  sim.clock.advance("5m");
  borrow(sim, "bob");
  sim.mark('a mark "with" quotes \\ and ünïcödé 🔑');
  sim.clock.advance("10m");
  const meta = { note: "half a pair \ud83d, a replacement \ufffd, nothing \0" };
  sim.secrets.cluster("main").createToken({ id: "once", policies: ["default"], numUses: 1, meta });
  expectRefusal(() => as(sim, "once").library.status({ set_name: "ops" }));
  sim.directory.failNext({ count: 1, operation: "modify" });
  sim.clock.advance("51m");
  sim.mark("the hour is over");
  borrow(sim, "bob", "1m");
  sim.clock.advance("1s");
  return sim;
}

function expectRefusal(call: () => unknown): void {
  try {
    call();
  } catch {
    return;
  }
  throw new Error("it was not refused");
}
