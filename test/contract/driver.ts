import { doorInOtherWords } from "./other-words.ts";
import { currentTransport } from "./transports.ts";
import { httpDoor, type Subject, typedDoor } from "./two-doors.ts";

export {
  type Answer,
  type Asking,
  byRule,
  type Door,
  type Fields,
  httpDoor,
  type OperationName,
  OTHER_ROUTES,
  type Sent,
  type Subject,
  send,
  typedDoor,
} from "./two-doors.ts";

/** The doors, with their names: `describe.each(doors())("... through %s", (_, { open }) => ...)`. */
export function doors(): readonly (readonly [name: Subject["name"], subject: Subject])[] {
  // The way on which requests go is nothing to calls, and nothing to words.
  const subjects = currentTransport() === "sim.fetch" ? [typedDoor, httpDoor(), doorInOtherWords] : [httpDoor()];
  return subjects.map((subject) => [subject.name, subject]);
}
