/**
 * A float as Go's strconv writes it with a verb and a precision; a precision of -1 asks for the fewest digits that tell
 * it from its neighbours. Halves are rounded to the even digit, as JavaScript's own `toFixed` does not.
 */
export function floatDigits(float: number, verb: "e" | "E" | "f" | "g" | "G", precision: number): string {
  const sign = float < 0 || Object.is(float, -0) ? "-" : "";
  const size = Math.abs(float);
  switch (verb) {
    case "e":
      return sign + exponential(rounded(exact(size), precision + 1), precision);
    case "E":
      return sign + exponential(rounded(exact(size), precision + 1), precision).toUpperCase();
    case "f":
      return sign + fixed(exact(size), precision);
    case "g":
      return sign + general(size, precision);
    case "G":
      return sign + general(size, precision).toUpperCase();
  }
}

/** The number 0.DIGITS times ten to the power of `point`; digits begin with no zero, and zero has none. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** All digits of a float: it is a whole number times a power of two, so they end. */
function exact(size: number): Decimal {
  let mantissa = size;
  let halvings = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    halvings += 1;
  }
  const all = (BigInt(mantissa) * 5n ** BigInt(halvings)).toString();
  const digits = all.replace(/^0+/, "");
  return digits === "" ? { digits, point: 0 } : { digits, point: all.length - halvings };
}

/** The fewest digits that no other float has. */
function shortest(size: number): Decimal {
  const [mantissa = "", exponent = "0"] = size.toExponential().split("e");
  const digits = mantissa.replace(".", "").replace(/^0+/, "");
  return digits === "" ? { digits, point: 0 } : { digits, point: Number(exponent) + 1 };
}

/** A number by its first digits, a half to the even digit. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: "", point: 0 };
  if (digits.length <= count) return { digits, point };
  const kept = BigInt(`0${digits.slice(0, count)}`);
  const rest = digits.slice(count);
  const isHalf = /^50*$/.test(rest);
  const roundsUp = isHalf ? kept % 2n === 1n : rest.charAt(0) >= "5";
  const text = (roundsUp ? kept + 1n : kept).toString();
  const hasGrown = text.length > Math.max(count, 1) || (count === 0 && roundsUp);
  return text === "0" ? { digits: "", point: 0 } : { digits: text, point: hasGrown ? point + 1 : point };
}

function exponential({ digits, point }: Decimal, precision: number): string {
  const fraction = digits.slice(1).padEnd(precision, "0").slice(0, precision);
  const exponent = digits === "" ? 0 : point - 1;
  const power = `${Math.abs(exponent)}`.padStart(2, "0");
  return `${digits.charAt(0) || "0"}${fraction === "" ? "" : `.${fraction}`}e${exponent < 0 ? "-" : "+"}${power}`;
}

function fixed(decimal: Decimal, precision: number): string {
  const { digits, point } = rounded(decimal, decimal.point + precision);
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = ("0".repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point))).padEnd(precision, "0");
  return precision === 0 ? whole : `${whole}.${fraction.slice(0, precision)}`;
}

/** From six digits on, where the precision asks for no more, the exponent is written. */
const LEAST_EXPONENT = 6;

/** `%e` where the exponent is small or reaches the precision, else the digits as they are, without zeros at the end. */
function general(size: number, precision: number): string {
  const isShortest = precision < 0;
  const decimal = isShortest ? shortest(size) : rounded(exact(size), precision || 1);
  const digits = decimal.digits.replace(/0+$/, "");
  const { point } = decimal;
  const wanted = precision || 1;
  const limit = isShortest ? LEAST_EXPONENT : wanted > digits.length && digits.length >= point ? digits.length : wanted;
  const exponent = digits === "" ? -1 : point - 1;
  if (digits !== "" && (exponent < -4 || exponent >= limit)) {
    return exponential({ digits, point }, digits.length - 1);
  }
  return fixed({ digits, point }, Math.max(0, digits.length - point));
}
