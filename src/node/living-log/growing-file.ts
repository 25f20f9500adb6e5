import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** What a living log writes to. */
export interface GrowingFile {
  /** Adds bytes at the end: all of them, or, when it fails, none. */
  append(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A write that returns when the disk has it; where there is no such flag, a second call does it. */
const SYNC_FLAG: number = (constants as { readonly O_DSYNC?: number }).O_DSYNC ?? 0;

/** A file of a disk that grows at its end and changes nowhere else. */
export class DiskFile implements GrowingFile {
  readonly #handle: FileHandle;
  readonly #syncs: boolean;
  /** Where the next bytes go: whatever lies behind it is the rest of a write that failed. */
  #size: number;
  #torn = false;

  private constructor(handle: FileHandle, size: number, syncs: boolean) {
    this.#handle = handle;
    this.#size = size;
    this.#syncs = syncs;
  }

  /** Goes on with a file after its first `size` bytes; what lies behind them is cut off. */
  static async goOn(path: string, size: number, syncs: boolean): Promise<DiskFile> {
    const handle = await open(path, constants.O_RDWR | (syncs ? SYNC_FLAG : 0));
    try {
      await handle.truncate(size);
      return new DiskFile(handle, size, syncs);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Puts a file with a content in the place of whatever is there. It appears whole or not at all: a process that is killed in the middle
   * leaves what was there.
   */
  static async replace(path: string, pieces: Iterable<string>, syncs: boolean): Promise<DiskFile> {
    const making = `${path}.new`;
    const handle = await open(
      making,
      constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | (syncs ? SYNC_FLAG : 0),
    );
    try {
      const file = new DiskFile(handle, 0, syncs);
      for (const bytes of inBatches(pieces)) await file.append(bytes);
      await rename(making, path);
      await syncFolder(path);
      return file;
    } catch (error) {
      await handle.close();
      await rm(making, { force: true });
      throw error;
    }
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.#mend();
    try {
      for (let written = 0; written < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#size + written);
        written += bytesWritten;
      }
      if (this.#syncs && SYNC_FLAG === 0) await this.#handle.datasync();
    } catch (error) {
      this.#torn = true;
      // A reader of the file is not to meet half a line, if that can be had; else the next write sees to it.
      await this.#mend().catch(() => undefined);
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Cuts off what a failed write has left. */
  async #mend(): Promise<void> {
    if (!this.#torn) return;
    await this.#handle.truncate(this.#size);
    this.#torn = false;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

const BATCH_CHARACTERS = 1 << 20;

function* inBatches(pieces: Iterable<string>): Generator<Uint8Array> {
  let batch = "";
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < BATCH_CHARACTERS) continue;
    yield Buffer.from(batch);
    batch = "";
  }
  if (batch !== "") yield Buffer.from(batch);
}

/** Makes a name last, where the system can. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(dirname(path), constants.O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Not every system opens folders.
  }
}
