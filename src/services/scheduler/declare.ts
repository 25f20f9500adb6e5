import type { EpochMs } from "../../kernel/brand.ts";
import type { Caller } from "../../kernel/commit.ts";
import type { Watch } from "../../kernel/waiting.ts";
import type { CapturesOf, Evidence } from "../kit/operation.ts";
import type { Bearer } from "./access.ts";
import type { FieldKinds, Fields } from "./fields.ts";
import type { RegionName } from "./ids.ts";
import type { ListQuery } from "./query.ts";
import type { SchedulerRecorder } from "./recorder.ts";
import type { Region, SchedulerWorld } from "./state.ts";

/** Who asks, and which region: whoever sends a secret, or nobody. */
export interface SchedulerCaller extends NonNullable<Caller> {
  readonly region: RegionName;
  readonly token?: string;
}

export type Verb = "GET" | "POST" | "DELETE";

/** An answer: what the typed call gives and the wire shows, and the index of what was read or written. */
export interface Reply<B> {
  readonly body: B;
  readonly index: number;
  /** Names the first item of the next page. */
  readonly nextToken?: string;
}

/** What a view gets. On a later look `bearer` is still who it was at the first (section 7, authorisation while blocked). */
export interface ViewAsked<R extends string> {
  readonly name: RegionName;
  readonly region: Region;
  readonly nowMs: EpochMs;
  readonly bearer: Bearer;
  readonly captures: { readonly [N in CapturesOf<R>]: string };
  readonly query: ListQuery;
}

/** What a command gets. It finds the region that executes it by itself. */
export interface CommandAsked<R extends string> {
  /** The region that was asked. */
  readonly from: RegionName;
  /** The `region` of the query; empty for none. */
  readonly to: string;
  readonly secret: string | undefined;
  readonly captures: { readonly [N in CapturesOf<R>]: string };
  readonly fields: Fields;
}

export type Handler =
  | { readonly kind: "command"; readonly decide: (decision: SchedulerRecorder, asked: never) => Reply<unknown> }
  | {
      readonly kind: "view";
      readonly view: (asked: never) => Reply<unknown>;
      readonly watch: (asked: never) => Watch<SchedulerWorld>;
    };

/** One operation, as the table holds it. `I` is the argument of its typed call, `B` its body, `K` whether it reads. */
export interface SchedulerOperation<I = never, B = unknown, K extends Handler["kind"] = Handler["kind"]> {
  readonly verb: Verb;
  readonly path: string;
  readonly evidence: Evidence;
  readonly captures: readonly string[];
  readonly fields: FieldKinds;
  readonly body: "required" | "optional" | "none";
  readonly handler: Handler;
  /** Carry types to the typed call; never there. */
  readonly takes?: (argument: I) => void;
  readonly gives?: B;
  readonly does?: K;
}

/** Declares an operation that only reads, and what wakes whoever waits for another answer. */
export function view<I>() {
  return <const R extends `GET /v1/${string}`, B>(declared: {
    /** Method and path: `GET /v1/acl/policy/:policy_name`. */
    readonly route: R;
    readonly evidence: Evidence;
    readonly view: (asked: ViewAsked<R>) => Reply<B>;
    readonly watch: (asked: ViewAsked<R>) => Watch<SchedulerWorld>;
  }): SchedulerOperation<I, B, "view"> => ({
    ...routeOf(declared.route),
    evidence: declared.evidence,
    fields: {},
    body: "none",
    handler: { kind: "view", view: declared.view, watch: declared.watch },
  });
}

/** Declares an operation that may change facts. */
export function command<I>() {
  return <const R extends `${"POST" | "DELETE"} /v1/${string}`, B>(declared: {
    readonly route: R;
    readonly evidence: Evidence;
    readonly fields?: FieldKinds;
    readonly body?: "required" | "optional";
    readonly decide: (decision: SchedulerRecorder, asked: CommandAsked<R>) => Reply<B>;
  }): SchedulerOperation<I, B, "command"> => ({
    ...routeOf(declared.route),
    evidence: declared.evidence,
    fields: declared.fields ?? {},
    body: declared.body ?? "none",
    handler: { kind: "command", decide: declared.decide },
  });
}

function routeOf(route: string): Pick<SchedulerOperation, "verb" | "path" | "captures"> {
  const [verb, path] = route.split(" ") as [Verb, string];
  const captures = path.split("/").filter((segment) => segment.startsWith(":"));
  return { verb, path, captures: captures.map((segment) => segment.slice(1)) };
}
