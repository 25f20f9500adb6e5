import { servedBehind } from "../http/served.ts";
import { behindEntry, type JournalEntry } from "../kernel/journal.ts";
import { isObject } from "../languages/objects.ts";
import { shown } from "../languages/shown.ts";
import { brokenConnection } from "../services/kit/connection.ts";
import { whyBehind } from "../services/kit/explained.ts";
import { type Behind, behindRejection, fact, type Why } from "../services/kit/why.ts";
import { servicesOf } from "./model.ts";
import type { WorldTimeline } from "./world.ts";

/**
 * Why something was refused; undefined for what was not.
 *
 * @throws TypeError for what is neither a response, an entry of the journal nor an error, and for a response or a rejection of another line of time
 */
export function whyOf(timeline: WorldTimeline, what: Response | Error | JournalEntry): Why | undefined {
  const behind = behindOf(what);
  if (behind === undefined) return whyTold(what);
  if (behind.origin !== timeline.history) throw new TypeError("why: it does not come from this simulator");
  return whyBehind(servicesOf(timeline), behind);
}

function behindOf(what: Response | Error | JournalEntry): Behind | undefined {
  if (what instanceof Response) return servedBehind(what)?.refused;
  if (what instanceof Error) return behindRejection(what);
  if (isObject(what) && "kind" in what) return behindEntry(what);
  throw new TypeError(`why: ${shown(what)} must be a response, an entry of the journal or an error`);
}

/** What says itself why: a connection that broke, and an entry that a log carried here or a fork inherited. */
function whyTold(what: Response | Error | JournalEntry): Why | undefined {
  const broken = brokenConnection(what);
  if (broken !== undefined) return told(broken.code, "connection", broken.message);
  if (!("kind" in what) || what.kind !== "request" || what.refusal === undefined) return undefined;
  return told(what.refusal.code, "journal", what.refusal.why);
}

function told(code: string, kind: string, text: string): Why {
  return { code, text, facts: [fact(kind, text)] };
}
