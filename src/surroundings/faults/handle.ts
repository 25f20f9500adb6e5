import type { Via } from "../../kernel/commit.ts";
import { type HandlePlace, placeOfHandle } from "../../kernel/handle.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain, type Plain } from "../../kernel/plain.ts";
import type { Duration } from "../../languages/duration.ts";
import { type Instant, instantMs } from "../../languages/instant.ts";
import { isObject } from "../../languages/objects.ts";
import { shown } from "../../languages/shown.ts";
import { hitsOf, type LineWorld } from "./line.ts";
import type { RequestRule } from "./rules.ts";

/** What can happen to a request, or to its answer, on the way. */
export type RequestEffectGiven =
  /** It is lost, and the connection breaks: nobody decides it. */
  | { readonly kind: "lose-request" }
  /** It is decided, and then the connection breaks. */
  | { readonly kind: "lose-answer" }
  /** The connection breaks before it is decided; or after so many bytes of the answer's body, which is then decided. */
  | { readonly kind: "reset"; readonly after?: number }
  /** Nobody decides it and nothing comes back, until who asks gives it up. */
  | { readonly kind: "hang" }
  /** It arrives, and is decided, later. */
  | { readonly kind: "delay"; readonly by: Duration }
  /** Nobody decides it: an answer with this status comes back, with the service's own error body unless told otherwise. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      readonly body?: Plain;
    }
  /** The connection is closed after so many bytes of the answer's body. */
  | { readonly kind: "truncate"; readonly bytes: number }
  /** Of the answer's body so many bytes come in each second. */
  | { readonly kind: "slow"; readonly bytesPerSecond: number };

/** Which requests something happens to: what is left out fits all. `S` is what stands for a service. */
export interface RequestFaultRule<S> {
  /** The program that asks: its name, or its handle. */
  readonly program?: string | { readonly name: string };
  /** A cluster, a region or the run service, by its handle; or a whole service by its name. */
  readonly service?: S;
  /** The full name of an operation, as `sim.operations()` has it. */
  readonly operation?: string;
  readonly method?: string;
  /** A pathname, exact, or with `*` at its end. */
  readonly path?: string;
  /** The nth of those that fit, or each of several. */
  readonly nth?: number | readonly number[];
  /** Each nth of those that fit: 3 means the 3rd, the 6th, the 9th. */
  readonly every?: number;
  /** Included. */
  readonly from?: Instant;
  /** Not included. */
  readonly to?: Instant;
  /** How often at most. */
  readonly times?: number;
  readonly effect: RequestEffectGiven;
}

/** A rule that stands. */
export interface RequestFault {
  /** By which it is named in `state.faults` and over HTTP. */
  readonly id: number;
  /** On how many requests it has acted in this simulator. */
  readonly hits: number;
  remove(): void;
}

/** What a simulator knows for whoever names something in a rule. */
export interface Known {
  readonly isPlace: (place: HandlePlace) => boolean;
  readonly services: readonly string[];
  readonly operations: (name: string) => boolean;
}

/** Makes a rule. @throws TypeError naming the member that is wrong */
export function requestFault(
  host: Host<LineWorld>,
  via: Via,
  known: Known,
  given: RequestFaultRule<unknown>,
): RequestFault {
  const rule = ruleFor(given, known);
  let id: unknown;
  host.execute({ name: "control.faults.requests", input: copyPlain(rule, CALL), caller: null, via }, (outcome) => {
    if (outcome.kind === "accepted") id = outcome.result;
  });
  const own = Number(id);
  return Object.freeze({
    id: own,
    get hits() {
      return hitsOf(host).get(own) ?? 0;
    },
    remove: () => removeRequestFault(host, via, own),
  });
}

/** Removes the rule with an id; nothing happens where none has it. */
export function removeRequestFault(host: Host<LineWorld>, via: Via, id: number): void {
  host.execute({ name: "control.faults.removeRequests", input: id, caller: null, via }, () => undefined);
}

/** The rules that stand, in the order of their making, and how often each has acted. */
export function requestFaults(
  host: Host<LineWorld>,
): { readonly id: number; readonly hits: number; readonly rule: RequestRule }[] {
  return (host.state.faults?.rules ?? []).map(({ id, rule }) => ({ id, hits: hitsOf(host).get(id) ?? 0, rule }));
}

const CALL = "faults.requests";

/** The rule with places for handles and texts for dates, as the log can carry it. */
function ruleFor(given: unknown, { isPlace, services, operations }: Known): object {
  if (!isObject(given)) throw new TypeError(`${CALL}: the rule is ${shown(given)}, and has to be an object`);
  const { service, operation, program } = given;
  const place = placeOfHandle(service);
  const isService = place === undefined ? services.includes(service as string) : isPlace(place);
  if (service !== undefined && !isService) {
    throw new TypeError(
      `${CALL}: service is ${shown(service)}: it is a handle of this simulator, or one of ${services.join(", ")}`,
    );
  }
  if (typeof operation === "string" && !operations(operation)) {
    throw new TypeError(`${CALL}: operation is ${shown(operation)}, and sim.operations() has no such name`);
  }
  const dated = Object.entries(given).map(([name, value]): [string, unknown] => [
    name,
    value instanceof Date ? instantMs(value) : value,
  ]);
  // The run service is one place, and is known by its name.
  return {
    ...Object.fromEntries<unknown>(dated),
    ...(place === undefined ? {} : { service: place["service"] ?? place }),
    ...(program === undefined ? {} : { program: placeOfHandle(program)?.["program"] ?? program }),
  };
}
