import { setOwn } from "../../../kernel/plain.ts";
import { isObject, type Speech } from "../../../languages/vocabulary/shape.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import type { HttpAnswered } from "../http.ts";
import { operationsAt } from "../routes.ts";
import type { SecretsWorld } from "../state.ts";
import { errorsIn } from "./errors.ts";
import { shownRecord } from "./members.ts";
import type { PathContext } from "./path.ts";
import { type Shape, shapeOf } from "./shapes.ts";

// Answers in the words of a vocabulary: what goes over the wire.

/** The body of an answer. Errors are rendered again, so that what callers gave is told apart from what the service says. */
export function spokenBody(words: ServiceWords, world: SecretsWorld, answer: HttpAnswered, content: unknown): unknown {
  const { answered, operation, caller, path = "" } = answer;
  const context: PathContext | undefined = caller === undefined ? undefined : { world, at: caller, asked: path };
  if (!answered.ok) {
    if (answered.raw !== undefined) return context === undefined ? content : protocolError(content, { words, context });
    return { errors: errorsIn(words, context, answered) };
  }
  if (!isObject(content) || context === undefined) return content;
  const speech: Speech<PathContext> = { words, to: "own", context };
  if (answered.wraps === undefined) return spokenContent(content, shapeOf(operation), speech);
  return spokenContent(content, shapeOf(operationBehind(context, answered.wraps)), speech);
}

function protocolError(
  content: unknown,
  { words, context }: { readonly words: ServiceWords; readonly context: PathContext },
): unknown {
  return shownRecord(content, { words, to: "own", context }, "");
}

/** Which operation has answered what was put away: the shape of its answer is the same with each verb. */
function operationBehind({ world, at }: PathContext, path: string): string | undefined {
  const [first] = operationsAt(world, at, path)?.operations ?? [];
  return first?.name;
}

/** The members of an envelope, data and all; or a body that has none. */
export function spokenContent(
  content: { readonly [name: string]: unknown },
  { data }: Shape,
  speech: Speech<PathContext>,
): object {
  if (!("data" in content && "wrap_info" in content)) return data(content, speech, "") as object;
  const { data: held, ...others } = content;
  const beside: Record<string, unknown> = {};
  const envelope: Record<string, unknown> = {};
  for (const name of Object.keys(others)) setOwn(ENVELOPE.has(name) ? envelope : beside, name, others[name]);
  const turned = data(held, speech, "data");
  const spoken = shownRecord(envelope, speech, "") as { readonly [name: string]: unknown };
  const isRepeated = Object.keys(beside).length > 0;
  // As in an answer that is not renamed: what is repeated comes first, and the data where it was.
  return inOrder(content, isRepeated ? (data(beside, speech, "data") as object) : {}, spoken, turned);
}

function inOrder(
  before: { readonly [name: string]: unknown },
  beside: object,
  envelope: { readonly [name: string]: unknown },
  data: unknown,
): object {
  const after: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(beside)) setOwn(after, name, value);
  const names = Object.keys(envelope);
  const dataAt = Object.keys(before)
    .filter((name) => ENVELOPE.has(name) || name === "data")
    .indexOf("data");
  for (const [index, name] of names.entries()) {
    if (index === dataAt) after["data"] = data;
    setOwn(after, name, envelope[name]);
  }
  if (!Object.hasOwn(after, "data")) after["data"] = data;
  return after;
}

const ENVELOPE: ReadonlySet<string> = new Set([
  "request_id",
  "lease_id",
  "renewable",
  "lease_duration",
  "wrap_info",
  "warnings",
  "auth",
]);
