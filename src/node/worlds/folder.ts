import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { LogError } from "../../kernel/log-error.ts";
import type { Simulator } from "../../simulator/types.ts";
import {
  type Durability,
  keepLog,
  type LivingLog,
  type LivingLogOptions,
  type ResumedLog,
  resumeLog,
} from "../living-log/living-log.ts";
import { fileTrouble, LivingLogError } from "../living-log/living-log-error.ts";

/** What is kept of a world besides its log. */
export interface KeptWorld {
  readonly id: string;
  readonly name: string | undefined;
  readonly secret: string;
  readonly createdAt: string;
  /** Ports of its own, by the prefix of the place. */
  readonly ports: { readonly [prefix: string]: number } | undefined;
}

const kept = v.strictObject({
  id: v.string(),
  name: v.optional(v.string()),
  secret: v.string(),
  createdAt: v.string(),
  ports: v.optional(v.record(v.string(), v.number())),
});

const TOLD = ".world.json";
const LOG = ".world.ndjson";

/**
 * A folder in which each world has a log, and beside it a file that tells the rest. That file is written last and removed first: a log
 * without one is that of a world that nobody was told of, or that was deleted.
 */
export class WorldsFolder {
  readonly #folder: string;
  readonly #options: LivingLogOptions;

  constructor(folder: string, options: { readonly durability: Durability | undefined; readonly journal: boolean }) {
    this.#folder = folder;
    const { durability, journal } = options;
    this.#options = { journal, ...(durability === undefined ? {} : { durability }) };
  }

  /** The worlds that are kept. @throws LivingLogError for what cannot be read, and for a log that is damaged */
  async *load(): AsyncGenerator<KeptWorld & ResumedLog, void> {
    const names = await this.#named(() => mkdir(this.#folder, { recursive: true }).then(() => readdir(this.#folder)));
    for (const name of names) {
      if (!name.endsWith(LOG)) continue;
      const id = name.slice(0, -LOG.length);
      if (names.includes(id + TOLD)) yield { ...(await this.#told(id)), ...(await this.#resumed(id)) };
      else await this.#removeLog(id);
    }
  }

  async #resumed(id: string): Promise<ResumedLog> {
    const path = this.#path(id + LOG);
    try {
      return await resumeLog(path, this.#options);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      throw new LivingLogError("not_readable", path, error.message, { cause: error });
    }
  }

  /** Begins the log of a world. */
  keep(id: string, sim: Simulator): Promise<LivingLog> {
    return keepLog(sim, this.#path(id + LOG), this.#options);
  }

  /** Tells of a world: from now on it is there again after a start. */
  async tell(world: KeptWorld): Promise<void> {
    const path = this.#path(world.id + TOLD);
    await this.#named(async () => {
      // Whoever may read it may control the world.
      const file = await open(`${path}.new`, "w", 0o600);
      try {
        await file.writeFile(`${JSON.stringify(world)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
    });
  }

  /** Forgets a world, whose log was closed. */
  async remove(id: string): Promise<void> {
    await rm(this.#path(id + TOLD), { force: true });
    await this.#removeLog(id);
  }

  async #removeLog(id: string): Promise<void> {
    await rm(this.#path(id + LOG), { force: true });
    await rm(this.#path(`${id + LOG}.lock`), { force: true });
  }

  async #told(id: string): Promise<KeptWorld> {
    const path = this.#path(id + TOLD);
    const text = await this.#named(() => readFile(path, "utf8"));
    try {
      const { name, ports, ...others } = v.parse(kept, JSON.parse(text));
      return { name, ports, ...others };
    } catch (error) {
      throw new LivingLogError("not_readable", path, "it does not tell of a world", { cause: error });
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new LivingLogError("not_writable", this.#folder, fileTrouble(error), { cause: error });
    }
  }
}
