import type { Acknowledged, LostObject, SecretsClient, Simulator } from "../../src/index.ts";
import type { Cluster } from "../../src/services/secrets/state.ts";
import { tried } from "./failover-acting.ts";

// What clients were told, kept by themselves: each write and each removal that was acknowledged, and a marker that was written right after
// it and that nobody writes again. Whether a cluster has a commit is read back there. Nothing here knows of lineage.

/** What all clusters share, what a filter may keep back, a local mount, and tokens. */
type Realm = "shared" | "team" | "local" | "token";
const REALMS: readonly Realm[] = ["shared", "team", "local", "token"];

/** Something that was acknowledged. */
export interface Entry {
  readonly position: number;
  /** Who acknowledged it. */
  readonly writer: string;
  readonly realm: Realm;
  readonly object: Pick<LostObject, "path" | "change">;
  /** What was written; absent where it was removed. */
  readonly value?: string;
  readonly acknowledgedTo: Acknowledged;
  /** The writer as it was then. */
  readonly held: Cluster;
  /** Some cluster took it without its marker, when a short buffer overflowed between them: whether it is there cannot be told. */
  readonly isTorn: boolean;
}

export const isLocal = ({ realm }: Entry): boolean => realm === "local" || realm === "token";

/** Whether a cluster has a commit, be it without what a filter keeps back. */
export function holds(cluster: Cluster, entry: Entry): boolean {
  return hasMarker(cluster, !isLocal(entry), entry.position);
}

function hasMarker(cluster: Cluster, isShared: boolean, position: number): boolean {
  const marker = `m${position}`;
  return isShared ? valueAt(cluster, "shared", `kv/${marker}`) !== undefined : cluster.local.tokens.has(marker);
}

/** Whether a cluster has a commit and what it touched. */
export function holdsObject(cluster: Cluster, entry: Entry): boolean {
  if (!holds(cluster, entry)) return false;
  return entry.realm !== "team" || valueAt(cluster, "team", `team/kv/m${entry.position}`) !== undefined;
}

/** What lies at a path of a cluster. */
export function valueAt(cluster: Cluster, realm: Realm, path: string): string | undefined {
  if (realm === "token") return cluster.local.tokens.has(path) ? path : undefined;
  const { replicated, local } = cluster;
  const mount = {
    shared: () => replicated.mounts.get("kv/"),
    team: () => replicated.namespaces.get("team/")?.mounts.get("kv/"),
    local: () => local.mounts.get(" own/"),
  }[realm]();
  if (mount?.type !== "kv") return undefined;
  const found = mount.entries.get(path.slice(path.lastIndexOf("/") + 1)) as { readonly v: string } | undefined;
  return found?.v;
}

export class Ledger {
  readonly #sim: Simulator;
  readonly entries: Entry[];

  constructor(sim: Simulator, entries: readonly Entry[] = []) {
    this.#sim = sim;
    this.entries = [...entries];
  }

  /**
   * Whoever serves has a token of its own, and a mount where it was promoted before the first sync had ended: contents tell whose they
   * are.
   */
  async sign(): Promise<void> {
    for (const [name, { replicated, local, ignored }] of Object.entries(this.#sim.state.secrets)) {
      if (ignored.dr.mode === "secondary") continue;
      const cluster = this.#sim.secrets.cluster(name);
      const id = `operator-${name}`;
      if (!local.tokens.has(id)) await tried(() => cluster.createToken({ id, policies: ["root"] }));
      if (local.performance.mode === "secondary" || replicated.mounts.has("kv/")) continue;
      await tried(() => cluster.mount("kv", { type: "kv" }));
    }
  }

  /** Writes or removes something through a cluster, if it takes that; `n` says what. */
  async act(name: string, n: number): Promise<void> {
    await tried(() => this.#act(name, n));
  }

  /** Where a cluster serves, its doors tell what is in its state. */
  async readBack(name: string): Promise<void> {
    await tried(() => {
      const { kv, tokens } = this.#sim.secrets.cluster(name).as(`operator-${name}`);
      const { replicated, local } = this.#at(name);
      const mount = replicated.mounts.get("kv/");
      const [keys, accessors] = [kv.list().data.keys, tokens.accessors().data.keys];
      const held = mount?.type === "kv" ? [...mount.entries.keys()] : [];
      if (keys.join() !== held.join() || accessors.length !== local.tokens.size)
        throw new Error(`${name} tells others`);
      for (const path of keys) {
        const value: unknown = kv.read({ path }).data["v"];
        if (value !== valueAt(this.#at(name), "shared", `kv/${path}`)) throw new Error(`${name} tells another ${path}`);
      }
    });
  }

  #act(name: string, n: number): void {
    const cluster = this.#sim.secrets.cluster(name);
    const operator = `operator-${name}`;
    const { local, ignored } = this.#at(name);
    const realm = REALMS[n % 4] as Realm;
    if (realm === "local" && !local.mounts.has(" own/")) cluster.mount("own", { type: "kv", local: true });

    const held = [...local.tokens.keys()].filter((token) => token.startsWith("token-"));
    const asking = held[n] ?? operator;
    const root = cluster.as(asking);
    const team = cluster.as(asking, { namespace: "team" });
    const position = this.#sim.position + 1;
    const isShared = realm === "shared" || realm === "team";
    const forwards = isShared && local.performance.mode === "secondary";
    const writer = forwards ? (ignored.links.performance?.upstream ?? name) : name;
    const world = this.#sim.state.secrets;
    const before = this.#at(writer);

    // Where it was acknowledged: a filter may have taken the namespace from whoever asked.
    const shelf = this.#sim.secrets.cluster(writer);
    const mark = () => {
      if (!isShared) cluster.createToken({ id: `m${position}`, policies: ["root"] });
      for (const options of realm === "team" ? [{ namespace: "team" }, {}] : isShared ? [{}] : []) {
        shelf.as(`operator-${writer}`, options).kv.write({ path: `m${position}`, v: "marker" });
      }
    };
    const note = (path: string, value: string | undefined, by?: string) => {
      // What is not there is not removed.
      if (this.#sim.position < position) return;
      const was = valueAt(before, realm, path);
      const change = value === undefined ? "deleted" : was === undefined ? "created" : "changed";
      const token = by === undefined ? undefined : local.tokens.get(by);
      mark();
      const isTorn = Object.entries(this.#sim.state.secrets).some(
        ([each, { replicated, local: own }]) =>
          (isShared ? replicated !== world[each]?.replicated : own !== world[each]?.local) &&
          !hasMarker(this.#at(each), isShared, position),
      );
      this.entries.push({
        position,
        writer,
        realm,
        object: { path, change },
        ...(value === undefined ? {} : { value }),
        acknowledgedTo: {
          program: "author",
          ...(token === undefined ? {} : { accessor: token.accessor, displayName: token.displayName }),
        },
        held: this.#at(writer),
        isTorn,
      });
    };
    const inMount = ({ kv }: Pick<SecretsClient, "kv">, mount: string) => {
      const [path, value] = [`k${n % 3}`, n % 5 === 0 ? undefined : `v${position}`];
      if (value === undefined) kv.delete({ path });
      else kv.write({ path, v: value });
      note(`${mount}/${path}`, value, asking);
    };
    switch (realm) {
      case "shared":
        inMount(root, "kv");
        break;
      case "team":
        inMount(team, "team/kv");
        break;
      case "local":
        inMount(root.at("own"), "own");
        break;
      case "token": {
        const [token] = held;
        if (token !== undefined && n % 5 === 0) {
          cluster.as(operator).tokens.revoke({ token });
          note(token, undefined, operator);
        } else {
          const id = `token-${position}`;
          cluster.createToken({ id, policies: ["root"] });
          note(id, id);
        }
      }
    }
  }

  #at(name: string): Cluster {
    const cluster = this.#sim.state.secrets[name];
    if (cluster === undefined) throw new Error(`there is no cluster ${name}`);
    return cluster;
  }
}
