import type { EpochMs, LogPosition } from "../kernel/brand.ts";
import type { Command } from "../kernel/commit.ts";
import type { Host } from "../kernel/host.ts";
import type { Journal } from "../kernel/journal.ts";
import type { Outcome } from "../kernel/outcome.ts";
import type { Draw } from "../kernel/randomness.ts";
import type { ReaderEnds, WaitingReader, Watch } from "../kernel/waiting.ts";

/** The world as one program meets it: the callers of its commands name it. */
export class ProgramHost<S> implements Host<S> {
  readonly program: string;
  readonly #host: Host<S>;

  constructor(host: Host<S>, program: string) {
    this.#host = host;
    this.program = program;
  }

  get state(): S {
    return this.#host.state;
  }

  get nowMs(): EpochMs {
    return this.#host.nowMs;
  }

  get position(): LogPosition {
    return this.#host.position;
  }

  get takesCommands(): boolean {
    return this.#host.takesCommands;
  }

  get origin(): object {
    return this.#host.origin;
  }

  get explainsOverHttp(): boolean {
    return this.#host.explainsOverHttp;
  }

  get journal(): Journal | undefined {
    return this.#host.journal;
  }

  get programs(): Set<string> {
    return this.#host.programs;
  }

  get turns(): object {
    return this.#host.turns;
  }

  execute<A>(command: Command, answer: (outcome: Outcome<unknown>) => A): A {
    return this.#host.execute({ ...command, caller: { ...command.caller, program: this.program } }, answer);
  }

  serve(): Draw {
    return this.#host.serve();
  }

  wait(reader: WaitingReader, watch: Watch<S>, ends: ReaderEnds, signal?: AbortSignal): void {
    this.#host.wait(reader, watch, ends, signal);
  }

  later(work: () => void): void {
    this.#host.later(work);
  }

  comeUp(): void {
    this.#host.comeUp();
  }

  hold<T>(what: string, work: Promise<T>): Promise<T> {
    return this.#host.hold(what, work);
  }
}
