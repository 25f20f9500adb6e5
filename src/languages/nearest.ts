/** So many names are offered. */
const NEAREST = 3;

/** Names that somebody may have meant, the nearest first: a slip of the fingers away, or a part of one another. */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const sought = wanted.toLowerCase();
  return [...names]
    .map((name) => ({ name, away: distance(sought, name.toLowerCase()) }))
    .filter(({ name, away }) => away <= Math.max(2, sought.length / 3) || isPartOf(sought, name.toLowerCase()))
    .sort((left, right) => left.away - right.away || (left.name < right.name ? -1 : 1))
    .slice(0, NEAREST)
    .map(({ name }) => name);
}

/** Single letters occur everywhere. */
const SHORTEST_PART = 3;

function isPartOf(sought: string, name: string): boolean {
  return sought.length >= SHORTEST_PART && (name.includes(sought) || sought.includes(name));
}

/** How many letters have to be put in, taken out or replaced. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
