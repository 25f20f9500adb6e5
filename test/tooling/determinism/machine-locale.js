// Nothing that depends on the machine's time zone or language: the log is the same on every platform.

import { globalPath } from "./outside-world.js";
import { follow, globalReferences, nameOf, namesOf, STOP } from "./values.js";

const LOCAL_TIME = /^(get|set)(FullYear|Year|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|TimezoneOffset)$/;
const LOCAL_TEXT = /^(toLocale\w+|localeCompare|toDateString|toTimeString)$/;

export const noMachineLocale = {
  create(context) {
    const report = (node, message) => context.report({ node, message });
    return {
      MemberExpression: (node) => {
        const name = nameOf(node);
        if (typeof name !== "string") return;
        if (LOCAL_TIME.test(name)) report(node, `${name} is in the machine's time zone; use its UTC twin.`);
        if (LOCAL_TEXT.test(name)) report(node, `${name} depends on the machine's language or time zone.`);
      },
      "Program:exit"() {
        const names = namesOf(context.sourceCode);
        for (const reference of globalReferences(names)) {
          follow(names, reference.identifier, (use) => judge(reference.identifier.name, use, report));
        }
      },
    };
  },
};

function judge(start, { node, outer, parent, path }, report) {
  const name = globalPath(start, path).map(String).join(".");
  if (name === "Intl") {
    report(node, "Intl depends on the machine's language and its edition of the tables.");
    return STOP;
  }
  if (name === "Date" && parent.type === "NewExpression" && parent.callee === outer && parent.arguments.length > 1) {
    report(parent, "new Date(year, month, ...) is in the machine's time zone; use Date.UTC.");
  }
  return undefined;
}
