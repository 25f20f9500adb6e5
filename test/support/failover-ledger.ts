import { Rejection, type Simulator } from "../../src/index.ts";

// What clients were told, kept by themselves: each write that was acknowledged, by whom. Whether a cluster has it is looked up where it
// would be, so that a loss report is held against what is there.

interface Acknowledged {
  readonly position: number;
  readonly writer: string;
  readonly path: string;
}

const TOKEN = "ledger";

export class Ledger {
  readonly #sim: Simulator;
  readonly #acknowledged: Acknowledged[] = [];

  constructor(sim: Simulator) {
    this.#sim = sim;
  }

  /** Writes something that nobody else writes, wherever that is taken. */
  write(name: string): void {
    const cluster = this.#sim.secrets.cluster(name);
    const path = `ledger-${this.#acknowledged.length}`;
    try {
      if (!this.#sim.state.secrets[name]?.local.tokens.has(TOKEN))
        cluster.createToken({ id: TOKEN, policies: ["root"] });
      cluster.as(TOKEN).kv.write({ path, data: { written: "by the ledger" } });
    } catch (error) {
      // Sealed, stopped, a disaster-recovery secondary, or one that reaches no primary.
      if (error instanceof Rejection || (error instanceof TypeError && error.message === "fetch failed")) return;
      throw error;
    }
    const { local, ignored } = this.#cluster(name);
    const writer = local.performance.mode === "secondary" ? (ignored.links.performance?.upstream ?? name) : name;
    this.#acknowledged.push({ position: this.#sim.position, writer, path });
  }

  /** Where reports say something else. */
  faults(): string[] {
    const names = Object.keys(this.#sim.state.secrets);
    return names.flatMap((from) =>
      names.filter((to) => to !== from && !this.#isFiltered(to)).flatMap((to) => this.#faultsBetween(from, to)),
    );
  }

  #faultsBetween(from: string, to: string): string[] {
    const { secrets } = this.#sim;
    const told = this.#sim.lossReport(secrets.cluster(from), secrets.cluster(to));
    const lost = told.filter(
      ({ command, objects }) =>
        command === "secrets.kv.write" && objects.some(({ path }) => path.startsWith("kv/ledger-")),
    );
    const reported = lost.map(({ position }) => position).join(" ");
    const missing = this.#acknowledged
      .filter(({ writer, path }) => writer === from && !this.#has(to, path))
      .map(({ position }) => position)
      .join(" ");
    return reported === missing
      ? []
      : [`${to} lacks ${missing || "nothing"} of ${from}, and ${reported || "nothing"} is reported`];
  }

  #has(name: string, path: string): boolean {
    const mount = this.#cluster(name).replicated.mounts.get("kv/");
    return mount?.type === "kv" && mount.entries.has(path);
  }

  /** What a filter keeps back is no loss, and what it kept back is not there. */
  #isFiltered(name: string): boolean {
    const { ignored, local } = this.#cluster(name);
    const { performance: own } = local;
    if (ignored.links.performance?.filtered !== undefined) return true;
    return (
      own.mode === "secondary" &&
      Object.values(this.#sim.state.secrets).some(
        ({ local: { performance: role } }) => role.mode === "primary" && role.filters.has(own.secondaryId),
      )
    );
  }

  #cluster(name: string) {
    const cluster = this.#sim.state.secrets[name];
    if (cluster === undefined) throw new Error(`there is no cluster ${name}`);
    return cluster;
  }
}
