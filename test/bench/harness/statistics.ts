/** The value that a share of all values does not exceed: 0.5 is the median. Between two values it is interpolated. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError("no values, no quantile");
  const sorted = [...values].sort((left, right) => left - right);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] as number;
  const high = sorted[Math.ceil(place)] as number;
  return low + (high - low) * (place - Math.floor(place));
}

/** The value in the middle: a disturbed round does not move it. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Half the way from the least to the greatest value, as a share of the median: 0.05 is "plus or minus 5%". */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / 2 / Math.abs(middle);
}

/** A number with as many significant digits as a measurement deserves. */
export function rounded(value: number, digits = 4): number {
  return Number(value.toPrecision(digits));
}
