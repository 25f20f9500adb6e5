import { isObject } from "../../../languages/objects.ts";
import { renamed, spokenHeaders } from "../../../languages/vocabulary/rename.ts";
import type { Speech } from "../../../languages/vocabulary/shape.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import type { HttpAnswered } from "../http-answered.ts";
import { withoutTrailingSlashes } from "../place.ts";
import { operationsAt } from "../routes.ts";
import type { SecretsWorld } from "../world.ts";
import { errorsIn } from "./errors.ts";
import { shownRecord } from "./members.ts";
import type { PathContext } from "./path.ts";
import { type Shape, shapeOf } from "./shapes.ts";

// Answers in the words of a vocabulary: what goes over the wire.

/** The body of an answer. Errors are rendered again, so that what callers gave is told apart from what the service says. */
export function spokenBody(
  words: ServiceWords,
  speech: Speech<PathContext> | undefined,
  { answered, operation }: HttpAnswered,
  content: unknown,
): unknown {
  if (!answered.ok) {
    if (answered.raw !== undefined) return speech === undefined ? content : shownRecord(content, speech, "");
    return { [renamed(words.fields, "errors", "own")]: errorsIn(words, speech?.context, answered) };
  }
  if (!isObject(content) || speech === undefined) return content;
  if (answered.wraps === undefined) return spokenContent(content, shapeOf(operation), speech);
  return spokenContent(content, shapeOf(operationBehind(speech.context, answered.wraps)), speech);
}

/** What an answer is put into; undefined where nobody was made out who asked. */
export function speechOf(
  words: ServiceWords,
  world: SecretsWorld,
  { caller, path = "" }: HttpAnswered,
): Speech<PathContext> | undefined {
  return caller === undefined ? undefined : { words, to: "own", context: { world, at: caller, asked: path } };
}

/** Members of an envelope that hold words, where they hold anything. */
const WORDED: ReadonlySet<string> = new Set(["lease_id", "wrap_info", "warnings", "auth"]);

/** Which operation has answered what was put away: the shape of its answer is the same with each verb. */
function operationBehind({ world, at }: PathContext, path: string): string | undefined {
  const [first] = operationsAt(world, at, withoutTrailingSlashes(path))?.operations ?? [];
  return first?.name;
}

/** The members of an envelope, data and all; or a body that has none. */
export function spokenContent(
  content: { readonly [name: string]: unknown },
  { data }: Shape,
  speech: Speech<PathContext>,
): object {
  const { words, to } = speech;
  const called = (neutral: string): string => (to === "own" ? neutral : renamed(words.fields, neutral, "own"));
  const dataName = called("data");
  if (!(dataName in content && called("wrap_info") in content)) return data(content, speech, "") as object;
  const names = Object.keys(content);
  // Only what is repeated stands beside the members that an envelope always has.
  const isRepeating = names.length > ENVELOPE.size + 1;
  const held = data(content[dataName], speech, "data");
  if (!isRepeating && !names.some((name) => isWord(name, content[name], speech))) {
    return held === content[dataName] ? content : { ...content, data: held };
  }
  const after: Record<string, unknown> = {};
  if (isRepeating) {
    // It has the shape of the data.
    const beside = names.filter((name) => name !== dataName && !ENVELOPE.has(neutralOf(name, speech)));
    Object.assign(after, data(Object.fromEntries(beside.map((name) => [name, content[name]])), speech, "data"));
  }
  for (const name of names) {
    if (name === dataName) after[renamed(words.fields, name, to)] = held;
    else if (!ENVELOPE.has(neutralOf(name, speech))) continue;
    else if (isWord(name, content[name], speech))
      Object.assign(after, shownRecord({ [name]: content[name] }, speech, ""));
    else after[name] = content[name];
  }
  return after;
}

function neutralOf(name: string, { words, to }: Speech<PathContext>): string {
  return to === "own" ? name : renamed(words.fields, name, to);
}

/** Whether a member of an envelope may hold words, or is called by one. */
function isWord(name: string, content: unknown, speech: Speech<PathContext>): boolean {
  if (speech.words.fields[speech.to].has(name)) return true;
  return content !== null && content !== "" && WORDED.has(neutralOf(name, speech));
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

/** The headers of an answer. Those that a vocabulary usually renames are of requests alone. */
export function spokenHeadersOf(
  words: ServiceWords,
  headers: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  for (const name of words.headers.own.keys()) if (!OF_REQUESTS.has(name)) return spokenHeaders(words, headers);
  return headers;
}

const OF_REQUESTS: ReadonlySet<string> = new Set([
  "x-secrets-token",
  "x-secrets-namespace",
  "x-secrets-wrap-ttl",
  "x-secrets-wrap-format",
  "x-secrets-request",
]);
