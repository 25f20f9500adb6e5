import { doorInOtherWords } from "./other-words.ts";
import { transport } from "./transports.ts";
import { httpDoor, type Subject, typedDoor } from "./two-doors.ts";

export {
  type Answer,
  type Asking,
  byRule,
  type Fields,
  type OperationName,
  OTHER_ROUTES,
  type Sent,
  type Subject,
  send,
} from "./two-doors.ts";

/** The doors, with their names: `describe.each(doors)("... through %s", (_, { open }) => ...)`. */
export const doors: readonly (readonly [name: Subject["name"], subject: Subject])[] = [
  typedDoor,
  httpDoor,
  // The way on which requests go is nothing to words.
  ...(transport === "sim.fetch" ? [doorInOtherWords] : []),
].map((subject) => [subject.name, subject]);
