// What a person with a notebook would write down of regions that copy from one another: contents by name, instants, and a few rules
// of decisions-scheduler-acl.md, section 6. It knows nothing of indexes, logs and tables.

export const REGIONS = ["eu", "us", "asia"] as const;
export type RegionId = (typeof REGIONS)[number];

const LAG_MS = 100;
const RETRY_MS = 30_000;

/** Contents by key: of policies the rules, of global tokens what they are. */
type Contents = ReadonlyMap<string, string>;

const isSame = (left: Contents, right: Contents): boolean =>
  left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);

type Link =
  | { readonly status: "up" }
  | { readonly status: "down"; sinceMs: number }
  | { readonly status: "retry"; atMs: number };

/** One loop of one region. */
interface Copying {
  /** The source's contents when it was looked at last, and those on their way. */
  latest: Contents | undefined;
  coming: { readonly atMs: number; readonly contents: Contents }[];
  behind: boolean;
  /** Instants of rounds. */
  rounds: number[];
}

const KINDS = ["policies", "tokens"] as const;
type Kind = (typeof KINDS)[number];

class RegionNotes {
  policies: Contents = new Map();
  /** Global tokens. */
  tokens: Contents = new Map();
  readonly localTokens = new Set<string>();
  hasLeader = true;
  link: Link = { status: "up" };
  copying: Record<Kind, Copying> = newCopying();
}

function newCopying(): Record<Kind, Copying> {
  const none = (): Copying => ({ latest: undefined, coming: [], behind: false, rounds: [] });
  return { policies: none(), tokens: none() };
}

/** The notebook. */
export class RegionsModel {
  nowMs = 0;
  authoritative: RegionId = "eu";
  readonly cuts = new Set<string>();
  readonly regions: Record<RegionId, RegionNotes> = {
    eu: new RegionNotes(),
    us: new RegionNotes(),
    asia: new RegionNotes(),
  };

  isCut(one: RegionId, other: RegionId): boolean {
    return this.cuts.has([one, other].sort().join(" "));
  }

  /** Why a write that belongs to the authoritative region is refused through another one. */
  refusalAtTop(from: RegionId): "no_path_to_region" | "no_cluster_leader" | undefined {
    if (from !== this.authoritative && this.isCut(from, this.authoritative)) return "no_path_to_region";
    return this.regions[this.authoritative].hasLeader ? undefined : "no_cluster_leader";
  }

  /** Changes the contents of the authoritative region. */
  change(kind: Kind, key: string, value: string | undefined): void {
    const top = this.regions[this.authoritative];
    const contents = new Map(top[kind]);
    if (value === undefined) contents.delete(key);
    else contents.set(key, value);
    top[kind] = contents;
    this.notice();
  }

  setLeader(region: RegionId, up: boolean): void {
    const notes = this.regions[region];
    const elected = up && !notes.hasLeader;
    notes.hasLeader = up;
    this.notice(elected ? region : undefined);
  }

  setAuthoritative(region: RegionId): void {
    if (region === this.authoritative) return;
    this.authoritative = region;
    for (const id of REGIONS) {
      this.regions[id].copying = newCopying();
      this.regions[id].link = { status: "up" };
    }
    this.notice();
  }

  /** What everybody sees after something happened, and what is due at once because of it. */
  notice(elected?: RegionId): void {
    for (const id of this.#copies()) {
      this.#noticeLink(id, id === elected);
      for (const kind of KINDS) this.#noticeContents(id, kind);
    }
    this.#fireUntil(this.nowMs);
  }

  advance(ms: number): void {
    this.#fireUntil(this.nowMs + ms);
    this.nowMs += ms;
  }

  #copies(): readonly RegionId[] {
    return REGIONS.filter((id) => id !== this.authoritative);
  }

  #noticeLink(id: RegionId, elected: boolean): void {
    const notes = this.regions[id];
    const { link } = notes;
    if (this.isCut(id, this.authoritative)) {
      if (link.status === "up") notes.link = { status: "down", sinceMs: this.nowMs };
      if (link.status === "retry") {
        notes.link = { status: "down", sinceMs: this.nowMs < link.atMs ? link.atMs - RETRY_MS : this.nowMs };
      }
      return;
    }
    if (link.status === "down") {
      const retries = Math.max(1, Math.ceil((this.nowMs - link.sinceMs) / RETRY_MS));
      notes.link = { status: "retry", atMs: elected ? this.nowMs : link.sinceMs + retries * RETRY_MS };
    } else if (link.status === "retry" && elected && this.nowMs < link.atMs) {
      notes.link = { status: "retry", atMs: this.nowMs };
    } else if (
      link.status === "retry" &&
      this.nowMs >= link.atMs &&
      KINDS.every((kind) => !notes.copying[kind].behind)
    ) {
      notes.link = { status: "up" };
    }
  }

  #noticeContents(id: RegionId, kind: Kind): void {
    const { link, copying } = this.regions[id];
    const own = copying[kind];
    const contents = this.regions[this.authoritative][kind];
    if (own.latest === undefined || !isSame(own.latest, contents)) {
      if (link.status === "up") {
        own.coming = own.coming.filter(({ atMs }) => atMs !== this.nowMs);
        own.coming.push({ atMs: this.nowMs, contents });
      } else own.behind = true;
    }
    own.latest = contents;
    if (link.status !== "up" && own.coming.length > 0) {
      own.coming = [];
      own.behind = true;
    }
  }

  #fireUntil(untilMs: number): void {
    for (;;) {
      const due = this.#copies().flatMap((id) => KINDS.map((kind) => ({ id, kind, atMs: this.#roundAtMs(id, kind) })));
      const next = due.reduce((first, other) => (other.atMs < first.atMs ? other : first));
      if (next.atMs > untilMs) return;
      this.#round(next.id, next.kind, Math.max(next.atMs, this.nowMs));
    }
  }

  #roundAtMs(id: RegionId, kind: Kind): number {
    const { hasLeader, link, copying } = this.regions[id];
    const { coming, behind, rounds } = copying[kind];
    if (!hasLeader || link.status === "down") return Number.POSITIVE_INFINITY;
    if (link.status === "retry") return behind ? link.atMs : Number.POSITIVE_INFINITY;
    const first = coming[0];
    return first === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(first.atMs + LAG_MS, (rounds.at(-10) ?? -1_000) + 1_000);
  }

  #round(id: RegionId, kind: Kind, atMs: number): void {
    const notes = this.regions[id];
    const own = notes.copying[kind];
    const arrived = own.coming.filter((version) => version.atMs + LAG_MS <= atMs);
    const contents = own.behind ? this.regions[this.authoritative][kind] : arrived.at(-1)?.contents;
    if (contents !== undefined) notes[kind] = contents;
    own.coming = own.behind ? [] : own.coming.filter((version) => version.atMs + LAG_MS > atMs);
    own.behind = false;
    own.rounds.push(atMs);
    const before = this.nowMs;
    this.nowMs = atMs;
    if (notes.link.status === "retry") this.#noticeLink(id, false);
    this.nowMs = before;
  }
}
