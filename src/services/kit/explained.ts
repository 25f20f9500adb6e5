import { pastOf } from "../../kernel/event-index.ts";
import type { History } from "../../kernel/history.ts";
import type { Host } from "../../kernel/host.ts";
import { refusedMoveText } from "../../kernel/refused-move.ts";
import { renamedText } from "../../languages/vocabulary/rename.ts";
import { wordsOf } from "../../languages/vocabulary/worded.ts";
import type { ServiceWords, Words } from "../../languages/vocabulary/words.ts";
import type { HeadersRead, WireAnswer } from "./http.ts";
import type { ServiceModule } from "./module.ts";
import { unheardText } from "./unheard.ts";
import { type Behind, type Fact, fact, told, type Why } from "./why.ts";

/** Why something was refused, as the service explains it that was asked. */
export function whyBehind<W extends object>(services: readonly ServiceModule<W>[], behind: Behind): Why {
  const { command, refusal, atMs, committed, position } = behind;
  const history = behind.origin as History<W, never>;
  // A commit that a refusal made came after it.
  const before = committed ? position - 1 : position;
  const state = (behind.state ?? history.stateAt(before)) as W;
  const past = pastOf<never>(history, before);
  const service = serviceOf(services, behind);
  const found = service?.why({ state, nowMs: atMs, caller: command.caller as never, command, refusal, past });
  const words = service && wordsOf(state)?.[service.name as keyof Words];
  const facts = [...(found ?? told(refusal.data)).map((one) => spoken(words, one)), ...movePart(behind)];
  return { code: refusal.code, text: facts.map(({ text }) => text).join("; "), facts };
}

/** A fact in the words of a vocabulary: an argument is told by its name first. */
function spoken(words: ServiceWords | undefined, { text, ...others }: Fact): Fact {
  if (words === undefined) return { text, ...others };
  const named =
    others.kind === "argument"
      ? text.replace(/(?<=^|, )[A-Za-z]+(?= is |: )/g, (name) => words.fields.own.get(name) ?? name)
      : text;
  return { ...others, text: renamedText(words, named, { quoted: true }) };
}

function serviceOf<W extends object>(services: readonly ServiceModule<W>[], { command }: Behind) {
  const name = command.name.replace(/^control\./, "");
  return services.find(
    (service) => name.startsWith(`${service.name}.`) || service.decides.deciderOf(command) !== undefined,
  );
}

function movePart({ refusal: { refusedMove } }: Behind): readonly Fact[] {
  return refusedMove === undefined ? [] : [fact("chart", refusedMoveText(refusedMove))];
}

/** Longer ones are cut: clients refuse headers that are too long together, and `sim.why` tells all. */
const LONGEST_LINE = 1_000;

/** An answer that says why it is a refusal, where it is one and the simulator says so; and of which headers nobody took notice. */
export function withWhy<W extends object>(
  services: readonly ServiceModule<W>[],
  host: Host<W>,
  asked: { readonly service: string; readonly headers: HeadersRead },
  answer: WireAnswer,
): WireAnswer {
  const { refused } = answer.served;
  if (refused === undefined || !host.explainsOverHttp) return answer;
  // Now: headers may be the caller's own object, who may change it before the answer is read.
  const unheard = unheardText(host.state, asked.service, asked.headers);
  return { ...answer, why: () => inOneLine(whyBehind(services, refused).text, unheard) };
}

/** Headers hold no line breaks, and hold other letters than those of ASCII in no agreed way. What stands at the end is never cut. */
function inOneLine(text: string, end: string | undefined): string {
  const line = text
    .replace(/\s+/g, " ")
    .replace(/[^\x20-\x7e]/g, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`);
  const ending = end === undefined ? "" : `${line === "" ? "" : "; "}${end}`;
  const longest = LONGEST_LINE - ending.length;
  return (line.length > longest ? `${line.slice(0, longest - 3)}...` : line) + ending;
}
