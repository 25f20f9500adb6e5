import { servedBehind } from "../http/served.ts";
import { shown } from "../languages/shown.ts";
import { whyBehind } from "../services/kit/explained.ts";
import { type Behind, behindRejection, type Why } from "../services/kit/why.ts";
import { servicesOf } from "./model.ts";
import type { WorldTimeline } from "./world.ts";

/**
 * Why something was refused; undefined for what was not.
 *
 * @throws TypeError for what is neither a response nor an error, and for one of another line of time
 */
export function whyOf(timeline: WorldTimeline, what: Response | Error): Why | undefined {
  const behind = behindOf(what);
  if (behind === undefined) return undefined;
  if (behind.origin !== timeline.history) throw new TypeError("why: it does not come from this simulator");
  return whyBehind(servicesOf(timeline), behind);
}

function behindOf(what: Response | Error): Behind | undefined {
  if (what instanceof Response) return servedBehind(what)?.refused;
  if (what instanceof Error) return behindRejection(what);
  throw new TypeError(`why: ${shown(what)} is neither a response nor an error`);
}
