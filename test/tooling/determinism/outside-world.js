// No real clock, timer, random source, network or host in the core.

import { COMPUTED, follow, globalReferences, namesOf, STOP } from "./values.js";

const CLOCK = "reads the real clock; take the virtual instant (`decision.nowMs`, `sim.clock.now()`)";
const TIMER = "waits on real time; arm a deadline in a calendar of the state";
const RANDOM = "is random from outside; draw from the command's own stream (`decision.draw`)";
const NETWORK = "leaves the process; only src/node and src/testing may";
const HOST = "belongs to one host; the core runs in a browser, a worker, Deno and Bun as it stands";

/** Paths from a global name, and why each is forbidden. `queueMicrotask` and `MessageChannel` are not here: no time passes in them. */
const FORBIDDEN = new Map([
  ["Date.now", CLOCK],
  ["performance", CLOCK],
  ["Temporal.Now", CLOCK],
  ["setTimeout", TIMER],
  ["setInterval", TIMER],
  ["setImmediate", TIMER],
  ["requestAnimationFrame", TIMER],
  ["requestIdleCallback", TIMER],
  ["scheduler", TIMER],
  ["AbortSignal.timeout", TIMER],
  ["Atomics.wait", TIMER],
  ["Atomics.waitAsync", TIMER],
  ["Math.random", RANDOM],
  ["crypto.getRandomValues", RANDOM],
  ["crypto.randomUUID", RANDOM],
  ["crypto.subtle.generateKey", RANDOM],
  ["fetch", NETWORK],
  ["XMLHttpRequest", NETWORK],
  ["WebSocket", NETWORK],
  ["EventSource", NETWORK],
  ["process", HOST],
  ["Buffer", HOST],
  ["require", HOST],
  ["Deno", HOST],
  ["Bun", HOST],
]);

/** Names of the global object itself. */
const GLOBAL_OBJECTS = new Set(["globalThis", "self", "window", "global"]);

/** Objects with a forbidden member: `""` is the global object, then `Date`, `Math`, `crypto`, `crypto.subtle` and so on. */
const WATCHED = new Set(["", ...[...FORBIDDEN.keys()].flatMap((path) => prefixes(path.split(".")))]);

/** Uses that look at a value and pass it to nobody. */
const LOOKING = new Set(["BinaryExpression", "ExpressionStatement", "IfStatement", "UnaryExpression"]);

export const noOutsideWorld = {
  create(context) {
    return {
      "Program:exit"() {
        const names = namesOf(context.sourceCode);
        const report = (node, message) => context.report({ node, message });
        for (const reference of globalReferences(names)) {
          follow(names, reference.identifier, (use) => judge(reference.identifier.name, use, report));
        }
      },
    };
  },
};

function judge(start, use, report) {
  const path = globalPath(start, use.path);
  const computed = path.indexOf(COMPUTED);
  const name = path.slice(0, computed === -1 ? undefined : computed).join(".");
  if (computed !== -1) {
    if (WATCHED.has(name)) report(use.node, `This reaches into ${shown(name)} under a name that the lint cannot see.`);
    return STOP;
  }
  if (FORBIDDEN.has(name)) {
    report(use.node, `${name} ${FORBIDDEN.get(name)}.`);
    return STOP;
  }
  if (name === "Date" && isCallee(use)) {
    if (readsTheClock(use.parent)) report(use.parent, `${shownCall(use.parent)} ${CLOCK}.`);
    return STOP;
  }
  if (WATCHED.has(name) && isHandedOn(use)) {
    report(use.node, `${shown(name)} is handed on as a value, where the lint loses sight of it; name the member.`);
    return STOP;
  }
  return WATCHED.has(name) ? undefined : STOP;
}

/** `globalThis.self.Math` and `Math` are one path. */
export function globalPath(start, members) {
  const path = [start, ...members];
  while (GLOBAL_OBJECTS.has(path[0])) path.shift();
  return path;
}

function isCallee({ outer, parent }) {
  return (parent.type === "NewExpression" || parent.type === "CallExpression") && parent.callee === outer;
}

/** `Date(...)` ignores its arguments; `new Date()` and `new Date(...perhapsNothing)` take the present. */
function readsTheClock(call) {
  return call.type === "CallExpression" || call.arguments.length === 0 || call.arguments[0].type === "SpreadElement";
}

function isHandedOn({ outer, parent }) {
  if (LOOKING.has(parent.type) || parent.type === "ObjectPattern") return false;
  if (parent.type === "MemberExpression" && parent.object === outer) return false;
  if (parent.type !== "VariableDeclarator") return true;
  return parent.parent.parent.type === "ExportNamedDeclaration";
}

function prefixes(path) {
  return path.slice(1).map((_, index) => path.slice(0, index + 1).join("."));
}

function shown(name) {
  return name === "" ? "globalThis" : name;
}

function shownCall(call) {
  return call.type === "NewExpression" ? "new Date() without an instant" : "Date(), called without new,";
}
