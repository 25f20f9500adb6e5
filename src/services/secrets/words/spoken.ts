import { renamed } from "../../../languages/vocabulary/rename.ts";
import { isObject, type Speech } from "../../../languages/vocabulary/shape.ts";
import type { Direction, ServiceWords } from "../../../languages/vocabulary/words.ts";
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
  const { words, to } = speech;
  const after: Record<string, unknown> = {};
  const names = Object.keys(content);
  const beside = names.filter((name) => name !== "data" && !isOfEnvelope(words, name, to));
  if (beside.length > 0) {
    // What is repeated has the shape of the data.
    const repeated = Object.fromEntries(beside.map((name) => [name, content[name]]));
    Object.assign(after, data(repeated, speech, "data"));
  }
  for (const name of names) {
    const held = content[name];
    if (name === "data") after[name] = data(held, speech, name);
    else if (isOfEnvelope(words, name, to)) {
      const isWord = held !== "" && (typeof held === "string" || (typeof held === "object" && held !== null));
      if (isWord) Object.assign(after, shownRecord({ [name]: held }, speech, ""));
      else after[renamed(words.fields, name, to)] = held;
    }
  }
  return after;
}

function isOfEnvelope({ fields }: ServiceWords, name: string, to: Direction): boolean {
  return ENVELOPE.has(to === "own" ? name : renamed(fields, name, to));
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
