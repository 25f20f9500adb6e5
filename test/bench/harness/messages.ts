/** What the process that keeps the bench asks of one that measures: build a row's subject, or measure it once. */
export interface Ask {
  readonly ask: "prepare" | "round";
  readonly id: string;
}

export type Answer =
  | { readonly answer: "prepared"; readonly answers?: string }
  | { readonly answer: "measured"; readonly value: number; readonly detail?: string; readonly yardstickMs: number }
  | { readonly answer: "failed"; readonly why: string };
