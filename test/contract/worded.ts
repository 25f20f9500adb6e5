import { type Fetch, simulatedFetch } from "../../src/http/fetch.ts";
import type { Simulator } from "../../src/index.ts";
import type { Host } from "../../src/kernel/host.ts";
import { WORDS } from "../../src/languages/vocabulary/worded.ts";
import type { Words } from "../../src/languages/vocabulary/words.ts";
import { LiveSimulator } from "../../src/simulator/live-simulator.ts";

/** A `fetch` that hears other words, of a simulator that has been made without any, as the suite makes its own. */
export function wordedFetch(sim: Simulator, words: Words): Fetch {
  const { hosts } = LiveSimulator.insideOf(sim);
  return simulatedFetch({
    ...hosts,
    present: () => worded(hosts.present(), words),
    past: (place) => worded(hosts.past(place), words),
  });
}

/** What is known of a host is known by its identity. */
const known = new WeakMap<Words, WeakMap<object, object>>();

function worded<S extends object>(host: Host<S>, words: Words): Host<S> {
  const hosts = known.get(words) ?? new WeakMap<object, object>();
  known.set(words, hosts);
  const found = hosts.get(host) ?? withWords(host, words);
  hosts.set(host, found);
  return found as Host<S>;
}

function withWords<S extends object>(host: Host<S>, words: Words): Host<S> {
  return new Proxy(host, {
    get(target, name) {
      if (name === "state") return { ...target.state, [WORDS]: words };
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
