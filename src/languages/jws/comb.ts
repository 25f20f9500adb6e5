import { inverse } from "./modular.ts";
import { added, type Curve, doubled, INFINITY, type Point, pointOf, type Sum } from "./weierstrass.ts";

// A comb (Lim and Lee, 1994). A scalar is cut into words of equal length, one for each tooth of each block, and their digits are taken
// one column after another: what the teeth of a block choose in a column is one point, which lies ready in a table. So a scalar of 521
// digits takes 32 doublings and 66 additions, where digit by digit it would be 520 and 260, and one of 128 digits 7 and 16. The tables are
// made once for each length, in a few milliseconds.
const TEETH = 8;
const BLOCKS = 2;

/** For each block the sums of all choices of its teeth, by the number whose digits tell which are chosen; none is no point. */
type Comb = readonly (readonly (Point | undefined)[])[];

/** Those that were made, by the length of their words. */
const combs = new WeakMap<Curve, Map<number, Comb>>();

/**
 * The base point of a curve added to itself so many times: as `multiple`, for whoever does it often.
 *
 * @param digits how many the scalar has at most
 */
export function baseMultiple(curve: Curve, scalar: bigint, digits: number): Point {
  const columns = Math.ceil(digits / (TEETH * BLOCKS));
  const comb = combOf(curve, columns);
  const text = scalar.toString(2).padStart(columns * BLOCKS * TEETH, "0");
  let sum = INFINITY;
  for (let column = 0; column < columns; column++) {
    sum = doubled(curve, sum);
    for (let block = 0; block < BLOCKS; block++) {
      const chosen = comb[block]?.[chosenIn(text, block * columns + column, BLOCKS * columns)];
      // Sums of different powers of two are never equal, nor opposite while all are no more than the scalar.
      if (chosen !== undefined) sum = added(curve, sum, chosen);
    }
  }
  return pointOf(curve, sum);
}

function chosenIn(digits: string, first: number, apart: number): number {
  let chosen = 0;
  for (let place = first; place < digits.length; place += apart) chosen = 2 * chosen + digits.charCodeAt(place) - ZERO;
  return chosen;
}

const ZERO = "0".charCodeAt(0);

function combOf(curve: Curve, columns: number): Comb {
  const made = combs.get(curve) ?? new Map<number, Comb>();
  combs.set(curve, made);
  const comb = made.get(columns) ?? combFrom(curve, powersOf(curve, columns));
  made.set(columns, comb);
  return comb;
}

function combFrom(curve: Curve, powers: readonly Point[]): Comb {
  return Array.from({ length: BLOCKS }, (_, block) => {
    let sums: readonly Point[] = [];
    for (let word = BLOCKS - 1 - block; word < powers.length; word += BLOCKS) {
      const power = powers[word] as Point;
      sums = [...sums, power, ...addedToEach(curve, sums, power)];
    }
    return [undefined, ...sums];
  });
}

/** What the last digit of each word stands for, the words from the last one on. */
function powersOf(curve: Curve, columns: number): readonly Point[] {
  const powers: Point[] = [];
  const { x, y } = curve;
  for (let power: Sum = { x, y, zz: 1n, zzz: 1n }; powers.length < TEETH * BLOCKS; ) {
    powers.push(pointOf(curve, power));
    for (let digit = 0; digit < columns; digit++) power = doubled(curve, power);
  }
  return powers;
}

/** One point added to each of others, with one division for all. */
function addedToEach({ prime, reduced }: Curve, points: readonly Point[], { x, y }: Point): readonly Point[] {
  const products = [1n];
  for (const point of points) products.push(reduced((products.at(-1) as bigint) * (point.x - x)));
  let rest = inverse(products.at(-1) as bigint, prime);
  const sums: Point[] = [];
  for (const point of points.toReversed()) {
    const slope = reduced(reduced(rest * (products[points.length - 1 - sums.length] as bigint)) * (point.y - y));
    rest = reduced(rest * (point.x - x));
    const sumX = reduced(slope * slope) - x - point.x;
    sums.push({ x: sumX, y: reduced(slope * (x - sumX)) - y });
  }
  return sums.reverse();
}
