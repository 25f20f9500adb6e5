import type { Refusal } from "../../../kernel/outcome.ts";
import { type Datum, refusalTexts } from "../../../languages/vocabulary/refusal.ts";
import { renamed, renamedText } from "../../../languages/vocabulary/rename.ts";
import { type Turn, value } from "../../../languages/vocabulary/shape.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { secretsForms } from "../responses.ts";
import { lease, path, providerUrl, snapshotUrl } from "./members.ts";
import type { PathContext } from "./path.ts";

/** What is refused, or was malformed. */
interface Refused {
  readonly errors: readonly string[];
  readonly refusal?: Refusal | undefined;
}

/** The texts of an error in the words of a vocabulary. */
export function errorsIn(
  words: ServiceWords,
  context: PathContext | undefined,
  { errors, refusal }: Refused,
): readonly string[] {
  if (refusal === undefined || context === undefined || !secretsForms.has(refusal.code)) {
    return errors.map((text) => renamedText(words, text, { quoted: true }));
  }
  const { code, data } = refusal;
  const datumOf = (member: string, text: string): Datum => turnedDatum(words, context, member, text);
  return refusalTexts(words, data, datumOf, (given) => secretsForms.form({ code, data: given }).errors);
}

const TURNS: ReadonlyMap<string, Turn<PathContext>> = new Map([
  ["path", path],
  ["lease", lease],
  ["type", value],
  ["schema", value],
  ["url", snapshotUrl],
  ["issuer", providerUrl],
]);

function turnedDatum(words: ServiceWords, context: PathContext, member: string, text: string): Datum {
  switch (member) {
    case "kind":
    case "mode":
    case "endpoint":
    case "object":
    case "by":
      return ["plain", text];
    case "field":
    case "option":
      return ["kept", renamed(words.fields, text, "own")];
    case "reason":
    case "attempt":
      return ["told", text];
    default:
      return ["kept", (TURNS.get(member)?.(text, { words, to: "own", context }, member) ?? text) as string];
  }
}
