import type { Simulator, View } from "../../index.ts";
import { dueAtMsOf } from "../../kernel/calendar.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { placesOf } from "../../scenario/places.ts";
import type { RegionName } from "../../services/scheduler/ids.ts";
import { lagMsTo } from "../../services/scheduler/replication/due.ts";
import { isConnected, type Link, walKey } from "../../services/secrets/replication/connections.ts";
import { LiveSimulator } from "../../simulator/live-simulator.ts";
import { lineEnds } from "../../surroundings/faults/line.ts";
import { lagMsBetween } from "../../surroundings/network/state.ts";
import type { NodeShown, Topology, TopologyLine } from "../protocol.ts";

/** So many shipments of a line are told one by one. */
const FLIGHTS = 8;

/** Who stands where, and what goes between them, at a moment; `asked` is the request at which the cursor stands. */
export function topologyOf(
  sim: Simulator,
  view: View,
  asked: Pick<Extract<JournalEntry, { kind: "request" }>, "program" | "request"> | undefined,
): Topology {
  const lines = [...shipping(view), ...copying(view), ...broken(view)];
  const to = asked && placeAt(sim, view, asked.request.url);
  if (asked !== undefined && to !== undefined) lines.push(line(`program ${asked.program}`, to, "request"));
  return { nodes: nodesOf(sim, view, lines), lines };
}

/** Programs that did nothing and meet nothing are left out. */
function nodesOf(sim: Simulator, view: View, lines: readonly TopologyLine[]): NodeShown[] {
  const { secrets, scheduler } = view.state;
  const known = new Map(placesOf(view).map((place) => [`${place.kind} ${place.name}`, place]));
  const ends = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const seen = new Set(sim.journal.flatMap((entry) => (entry.kind === "request" ? [`program ${entry.program}`] : [])));
  const places = [
    ...Object.keys(secrets).map((name) => `cluster ${name}`),
    ...Object.keys(scheduler?.regions ?? {}).map((name) => `region ${name}`),
  ];
  const programs = sim.programs().map(({ name }) => `program ${name}`);
  return [
    ...programs.filter((id) => seen.has(id) || ends.has(id)).map((id) => ({ id, role: "", state: "", isUp: true })),
    ...places.map((id) => {
      // What nobody has touched is not among the places.
      const { role = "stand-alone", also, state = "running", lag } = known.get(id) ?? {};
      return {
        id,
        role: also === undefined ? role : `${role}, ${also}`,
        state: lag === undefined || lag === "none" ? state : `${state}, lag ${lag}`,
        isUp: isUp(state),
      };
    }),
    ...(view.state.runs !== undefined || ends.has("runs") ? [{ id: "runs", role: "", state: "", isUp: true }] : []),
  ];
}

/** Whether a place that is in a state answers. */
export function isUp(state: string): boolean {
  return !/^(stopped|sealed|no leader)/.test(state);
}

function line(from: string, to: string, kind: TopologyLine["kind"], more: Partial<TopologyLine> = {}): TopologyLine {
  return { from, to, kind, isUp: true, text: kind, flights: [], ...more };
}

/** What primaries ship to secondaries. */
function shipping({ state }: View): TopologyLine[] {
  return Object.entries(state.secrets).flatMap(([name, { ignored }]) =>
    (["dr", "performance"] as const).flatMap((kind) => {
      const link: Link | undefined = ignored.links[kind];
      if (link === undefined) return [];
      const { upstream, applied, sync, deadline, status } = link;
      const source = state.secrets[upstream]?.ignored;
      const waiting = Math.max(0, (source?.walIndex ?? applied) - applied);
      const lagMs = lagMsBetween(state, { cluster: upstream }, { cluster: name });
      const text = [kind, status, ...(waiting > 0 ? [`${waiting} not there yet`] : []), ...lagText(lagMs)].join(", ");
      const entries = Array.from({ length: Math.min(waiting, FLIGHTS) }, (_, index) =>
        source?.wal?.entries.get(walKey(applied + 1 + index)),
      );
      const isFlying = isConnected(link) && deadline !== undefined;
      const flights = !isFlying
        ? []
        : sync === undefined
          ? entries.flatMap((entry) =>
              entry === undefined ? [] : [{ sentAtMs: entry.atMs, arrivesAtMs: entry.atMs + (lagMs ?? 0) }],
            )
          : [{ sentAtMs: sync.startedAtMs, arrivesAtMs: sync.untilMs }];
      return [line(`cluster ${upstream}`, `cluster ${name}`, "shipping", { isUp: isConnected(link), text, flights })];
    }),
  );
}

/** What regions copy from the authoritative one. */
function copying(view: View): TopologyLine[] {
  const { state } = view;
  const places = placesOf(view);
  return Object.entries(state.scheduler?.regions ?? {}).flatMap(([name, { replication }]) => {
    if (replication === undefined) return [];
    const { source, link, policies, tokens, roles } = replication;
    const sent = new Set([policies, tokens, roles].flatMap(({ coming }) => [...coming].map(([at]) => dueAtMsOf(at))));
    const isConnectedNow = places.some(
      (place) => place.kind === "region" && place.name === name && place.connected?.includes(source) === true,
    );
    const lagMs = lagMsTo(state, name as RegionName, source);
    const flights = [...sent].slice(0, FLIGHTS).map((sentAtMs) => ({ sentAtMs, arrivesAtMs: sentAtMs + lagMs }));
    return [
      line(`region ${source}`, `region ${name}`, "shipping", {
        isUp: isConnectedNow,
        text: [link.status, ...(sent.size > 0 ? [`${sent.size} on their way`] : []), ...lagText(lagMs)].join(", "),
        flights: isConnectedNow ? flights : [],
      }),
    ];
  });
}

function lagText(lagMs = 0): string[] {
  return lagMs === 0 ? [] : [`takes ${lagMs} ms`];
}

/** What is cut. */
function broken({ state: { network } }: View): TopologyLine[] {
  return [...(network?.cuts ?? [])].map(([pair]) => {
    const [from = "", to = ""] = pair.split(" ").map(idOf);
    return line(from, to, "cut", { isUp: false });
  });
}

/** The name of a place of the network: `cluster/east`, or `service/runs`. */
function idOf(place: string): string {
  return place === "service/runs" ? "runs" : place.replace("/", " ");
}

function placeAt(sim: Simulator, { state }: View, url: string): string | undefined {
  for (const { http, name: service } of LiveSimulator.insideOf(sim).hosts.services) {
    const place = http.placeAt(state, new URL(url).origin);
    if (place === undefined) continue;
    const [[kind, name] = ["", ""]] = Object.entries(lineEnds("", { service, place })[1]);
    return idOf(`${kind}/${name}`);
  }
  return undefined;
}
