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
  row("the first sync compares trees", "idle", "connect", "merkle-diff"),
  row("the first sync compares trees whatever is in the buffer", "idle", "connect", "merkle-diff", within),
  row("a promotion for disaster recovery brings a link of performance", "idle", "restore", "restored"),
  row("no primary, no contact to lose", "idle", "breakOff", undefined),
  ...ALWAYS.flatMap((state) => [
    row("update-primary with a blank token forgets the primary", state, "detach", "detached"),
    row("update-primary names another primary", state, "attach", "cut"),
  ]),
  ...[...UNCONNECTED, "detached" as const].map((state) =>
    row("what is stored comes back", state, "restore", "restored"),
  ),
  ...CONNECTED.map((state) => row("only who is no secondary is restored", state, "restore", undefined)),
  ...UNCONNECTED.flatMap((state) => [
    row("a reconnect beyond the buffer compares trees", state, "connect", "merkle-diff"),
    row("the primary does not know the id any more", state, "refuse", "refused"),
  ]),
  row("a reconnect within the buffer goes straight on", "restored", "connect", "stream-wals", within),
  row("a reconnect within the buffer goes straight on", "cut", "connect", "stream-wals", within),
  row(
    "whom its primary did not know is compared, whatever is in the buffer",
    "refused",
    "connect",
    "merkle-diff",
    within,
  ),
  row("it never reconnects by itself", "detached", "connect", undefined, within),
  ...CONNECTED.flatMap((state) => [row("the link is cut, or an end is sealed or stopped", state, "breakOff", "cut")]),
  row("entries are missing that the buffer no longer holds", "stream-wals", "fallBehind", "merkle-diff"),
  row("the primary's storage is another one while trees are compared", "merkle-diff", "fallBehind", "merkle-diff"),
  row("the trees differ", "merkle-diff", "compared", "merkle-sync", different),
  row("the comparison takes its time", "merkle-diff", "compared", undefined),
  row("the trees are equal", "merkle-diff", "synced", "stream-wals"),
  row("what differs was fetched", "merkle-sync", "synced", "stream-wals"),
]);
