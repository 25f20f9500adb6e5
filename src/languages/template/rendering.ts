import type { ByteString } from "./byte-string.ts";
import { MOST_BYTES, MOST_STEPS } from "./limits.ts";
import { TemplateError } from "./template-error.ts";

/** What a rendering draws on beside its fields: the instant, and the random stream of the command at work. */
export interface TemplateScope {
  readonly nowMs: number;
  readonly draw: TemplateDraw;
}

/** Where `random` and `uuid` come from. */
export interface TemplateDraw {
  base62(length: number): string;
  uuid(): string;
}

/** One rendering at work: what it may still spend, so that no template runs for ever or fills the memory. */
export class Rendering {
  readonly nowMs: number;
  readonly draw: TemplateDraw;
  #steps = 0;
  #bytes = 0;

  constructor(scope: TemplateScope) {
    this.nowMs = scope.nowMs;
    this.draw = scope.draw;
  }

  step(): void {
    this.#steps += 1;
    if (this.#steps > MOST_STEPS) throw new TemplateError(`a rendering takes at most ${MOST_STEPS} steps`);
  }

  /** Counts bytes that are about to be read or made. */
  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > MOST_BYTES) throw new TemplateError(`a rendering reads and makes at most ${MOST_BYTES} bytes`);
  }

  /** Counts a text that is read, or was made from texts counted before and is at most a few times as long. */
  spent<T extends ByteString>(text: T): T {
    this.spend(text.length);
    return text;
  }
}
