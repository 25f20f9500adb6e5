import type { HandlePlace } from "../../kernel/handle.ts";
import type { Plain } from "../../kernel/plain.ts";

/** What happens to a request, as the log has it. */
export type RequestEffect =
  | { readonly kind: "lose-request" }
  | { readonly kind: "lose-answer" }
  | { readonly kind: "reset"; readonly after?: number | undefined }
  | { readonly kind: "hang" }
  | { readonly kind: "delay"; readonly byMs: number }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Texts | undefined;
      readonly body?: Plain | undefined;
    }
  | { readonly kind: "truncate"; readonly bytes: number }
  | { readonly kind: "slow"; readonly bytesPerSecond: number };

type Texts = { readonly [name: string]: string };

/** A rule, as the log has it: what is absent fits everything. */
export interface RequestRule {
  readonly program?: string | undefined;
  readonly service?: string | HandlePlace | undefined;
  readonly operation?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly nth?: readonly number[] | undefined;
  readonly every?: number | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly times?: number | undefined;
  readonly effect: RequestEffect;
}

/** A rule that stands: which one of all that were made it is, how many requests have fitted it, and on how many of them it acted. */
export interface StandingRule {
  readonly id: number;
  readonly rule: RequestRule;
  readonly fitted: number;
  readonly acted: number;
}

/** A request on its way, as far as rules look at it. */
export type RequestSeen = {
  readonly service: string;
  readonly place: HandlePlace;
  /** Absent where no route fits. */
  readonly operation?: string;
  readonly method: string;
  readonly path: string;
};

/** The facts of rules. */
export interface RequestFaultEvents {
  RequestRuleMade: { readonly id: number; readonly rule: RequestRule };
  /** A request fitted rules that count; one of them, or none, acted. */
  RequestRulesFitted: { readonly fitted: readonly number[]; readonly acted?: number };
  RequestRuleRemoved: { readonly id: number };
}
