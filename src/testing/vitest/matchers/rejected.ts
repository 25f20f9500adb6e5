import { servedBehind } from "../../../http/served.ts";
import type { Rejection } from "../../../index.ts";
import { shownValue } from "../../../kernel/difference-text.ts";
import { shown } from "../../../languages/shown.ts";
import { sharedPart } from "./part.ts";
import { type Asserting, expectedText, hasPart, isMembers, isObject, surplusOf, type Verdict } from "./received.ts";

const NAME = "toBeRejectedWith";
const OPTIONS: readonly string[] = ["status", "data"];

interface Wanted {
  readonly code: string;
  readonly status?: number;
  readonly data?: object;
}

/** How a call ended. */
type Ended =
  | { readonly kind: "refused"; readonly code: string; readonly status: number; readonly data?: object }
  | { readonly kind: "answered"; readonly what: string };

/** Whether a call, its promise or its response is a refusal with a code. Of a promise the verdict is one, too. */
export function toBeRejectedWith(
  this: Asserting,
  received: unknown,
  code: unknown,
  options?: unknown,
): Verdict | Promise<Verdict> {
  const wanted = wantedOf(code, options);
  const ended = typeof received === "function" ? endOfCall(received as () => unknown) : endOf(received);
  if (ended instanceof Promise) return ended.then((end) => verdict(this, wanted, end));
  return verdict(this, wanted, ended);
}

function wantedOf(code: unknown, options: unknown = {}): Wanted {
  if (typeof code !== "string" || code === "") throw wrong(`the code is ${shown(code)}, and is a text`);
  if (!isMembers(options)) throw wrong(`the options are ${shown(options)}, and are an object`);
  const surplus = surplusOf(options, OPTIONS);
  if (surplus !== undefined) throw wrong(`there is no option ${surplus}: there are ${OPTIONS.join(" and ")}`);
  const { status, data } = options;
  if (status !== undefined && !Number.isInteger(status)) throw wrong(`the status is ${shown(status)}, and is a number`);
  if (data !== undefined && !isObject(data)) throw wrong(`the data is ${shown(data)}, and is an object`);
  return {
    code,
    ...(status === undefined ? {} : { status: status as number }),
    ...(data === undefined ? {} : { data }),
  };
}

function wrong(what: string): TypeError {
  return new TypeError(`${NAME}: ${what}`);
}

function endOfCall(call: () => unknown): Ended | Promise<Ended> {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    return refusalOf(error);
  }
  return isThenable(result) ? endOfPromise(result) : endOfResult(result);
}

function endOf(received: unknown): Ended | Promise<Ended> {
  if (isThenable(received)) return endOfPromise(received);
  if (isRejection(received)) return refusalOf(received);
  if (isObject(received) && servedBehind(received as unknown as Response) !== undefined) return endOfResult(received);
  throw wrong(`${shown(received)} is no call, no promise of one, no Rejection and no response of a simulator`);
}

async function endOfPromise(promise: PromiseLike<unknown>): Promise<Ended> {
  let result: unknown;
  try {
    result = await promise;
  } catch (error) {
    return refusalOf(error);
  }
  return endOfResult(result);
}

/** Over HTTP a refusal is an answer like any other; which it was stands behind the response. */
function endOfResult(result: unknown): Ended {
  const served = isObject(result) ? servedBehind(result as unknown as Response) : undefined;
  if (served === undefined) return { kind: "answered", what: `it returned ${shownValue(result)}` };
  const { status } = result as Response;
  if (served.refused !== undefined) return { kind: "refused", code: served.refused.refusal.code, status };
  return { kind: "answered", what: `it was answered with ${status}` };
}

/** What else is thrown is a mistake of a test, or a broken simulator: neither of it says that a call was not refused. */
function refusalOf(error: unknown): Ended {
  if (!isRejection(error)) {
    const told = isObject(error) && "message" in error ? `${String(error["name"])}: ${error["message"]}` : shown(error);
    throw new Error(`${NAME}: the call threw no Rejection, but ${told}`, { cause: error });
  }
  const { code, status, data } = error;
  return { kind: "refused", code, status, data };
}

/** By its shape: a test that resets its modules has more than one class of that name. */
function isRejection(value: unknown): value is Rejection {
  return isObject(value) && value["name"] === "Rejection" && typeof value["code"] === "string";
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value["then"] === "function";
}

function verdict(asserting: Asserting, wanted: Wanted, ended: Ended): Verdict {
  const pass = ended.kind === "refused" && fits(asserting, ended, wanted);
  const message = (): string => {
    const head = `expected ${asserting.isNot ? "no " : "a "}rejection with ${wantedText(asserting, wanted)}`;
    return asserting.isNot ? head : `${head}, and ${endText(ended)}`;
  };
  const differs = !pass && ended.kind === "refused";
  return { pass, message, ...(differs ? { actual: sharedPart(ended, wanted), expected: wanted } : {}) };
}

function fits(
  asserting: Asserting,
  ended: Ended & { readonly kind: "refused" },
  { code, status, data }: Wanted,
): boolean {
  if (data !== undefined && ended.data === undefined) throw wrong("a response does not carry the data of its refusal");
  if (ended.code !== code || (status !== undefined && ended.status !== status)) return false;
  return data === undefined || hasPart(asserting, ended.data, data);
}

function wantedText(asserting: Asserting, { code, status, data }: Wanted): string {
  const withStatus = status === undefined ? "" : `, status ${status}`;
  const withData = data === undefined ? "" : `, data ${expectedText(asserting, data)}`;
  return `${code}${withStatus}${withData}`;
}

function endText(ended: Ended): string {
  if (ended.kind === "answered") return ended.what;
  const data = ended.data === undefined ? "" : `, data ${shownValue(ended.data)}`;
  return `it was rejected with ${ended.code}, status ${ended.status}${data}`;
}
