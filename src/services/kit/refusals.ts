import type { Refusal } from "../../kernel/outcome.ts";
import { Rejection } from "../../kernel/rejection.ts";

/** A refusal on the wire; a service adds its body. */
export interface RefusalForm {
  readonly status: number;
}

/** A form for each code of a service: a code without a row does not compile. */
export type FormsOf<C extends object, F extends RefusalForm> = {
  readonly [T in keyof C & string]: (data: C[T]) => F;
};

/** How refusals look on the wire of a service, and what a `Rejection` says of them. */
export class RefusalForms<F extends RefusalForm> {
  readonly #service: string;
  readonly #forms: { readonly [code: string]: (data: never) => F };
  readonly #textOf: (form: F) => string;

  /** @param textOf what of a form people read, in a line */
  constructor(service: string, forms: object, textOf: (form: F) => string) {
    this.#service = service;
    this.#forms = forms as { readonly [code: string]: (data: never) => F };
    this.#textOf = textOf;
  }

  /** Whether a refusal is one that a decider or a view of this service makes. */
  has(code: string): boolean {
    return Object.hasOwn(this.#forms, code);
  }

  /** The form of a refusal that a decider or a view of this service made. */
  form({ code, data }: Refusal): F {
    const form = this.has(code) ? this.#forms[code] : undefined;
    if (form === undefined) throw new TypeError(`${code} is no refusal of ${this.#service}`);
    return form(data as never);
  }

  /** What a refusal says to people. */
  readonly text = (refusal: Refusal): string => this.#textOf(this.form(refusal));

  /** The refusal as it is thrown at whoever made a call. */
  rejection(call: string, refusal: Refusal, position?: number): Rejection {
    const { code, data, refusedMove } = refusal;
    const { status } = this.form(refusal);
    const text = this.text(refusal);
    const message = `${call} was refused with ${code}${text === "" ? "" : `: ${text}`}`;
    return new Rejection({ code, status, data, message, position, refusedMove });
  }
}
