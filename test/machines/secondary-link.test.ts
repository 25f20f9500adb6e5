import { secondaryLinkMachine } from "../../machines/secondary-link.machine.ts";
import { type ChartRow, describeChart } from "./chart-table.ts";

type Row = ChartRow<ReturnType<typeof secondaryLinkMachine>>;
type Move = Row["move"]["type"];

/** What the secondary holds, beside what its primary has: within the buffer, and not; trees that were found to differ, and not. */
const within = { isPast: true, differs: false };
const beyond = { isPast: false, differs: false };
const different = { isPast: false, differs: true };

const row = (rule: string, state: Row["state"], type: Move, next: Row["next"], judgement = beyond): Row => {
  return { rule: `${state}: ${rule}`, state, judgement, move: { type }, next };
};

const ALWAYS = ["restored", "cut", "refused", "detached", "stream-wals", "merkle-diff", "merkle-sync"] as const;
const UNCONNECTED = ["restored", "cut", "refused"] as const;
const CONNECTED = ["stream-wals", "merkle-diff", "merkle-sync"] as const;

// decisions-replication.md, 1; 2 "`state` of a secondary"; 4.2 to 4.7.
describeChart(secondaryLinkMachine, [
  row("the first primary has every entry in its buffer", "idle", "connect", "stream-wals", within),
  row("the first sync compares trees", "idle", "connect", "merkle-diff"),
  row("a blank token forgets no primary", "idle", "detach", "idle"),
  row("an activation token names its primary", "idle", "attach", "cut"),
  row("a promotion for disaster recovery brings a link of performance", "idle", "restore", "restored"),
  row("a demoted cluster knows no primary", "idle", "forget", undefined),
  row("no primary, no contact to lose", "idle", "breakOff", undefined),
  ...ALWAYS.flatMap((state) => [
    row("update-primary with a blank token forgets the primary", state, "detach", "detached"),
    row("update-primary names another primary", state, "attach", "cut"),
    row("what is stored comes back", state, "restore", "restored"),
    row("the cluster is demoted or disabled", state, "forget", "idle"),
  ]),
  ...UNCONNECTED.flatMap((state) => [
    row("a reconnect within the buffer goes straight on", state, "connect", "stream-wals", within),
    row("a reconnect beyond the buffer compares trees", state, "connect", "merkle-diff"),
    row("the primary does not know the id any more", state, "refuse", "refused"),
  ]),
  row("it never reconnects by itself", "detached", "connect", undefined, within),
  ...CONNECTED.flatMap((state) => [
    row("the link is cut, or an end is sealed or stopped", state, "breakOff", "cut"),
    row("entries are missing that the buffer no longer holds", state, "fallBehind", "merkle-diff"),
  ]),
  row("the trees differ", "merkle-diff", "compared", "merkle-sync", different),
  row("the comparison takes its time", "merkle-diff", "compared", undefined),
  row("the trees are equal", "merkle-diff", "synced", "stream-wals"),
  row("what differs was fetched", "merkle-sync", "synced", "stream-wals"),
]);
