/** The digits and the sign of a float as Go's strconv writes it with a verb and a precision; -1 asks for the shortest. */
export function floatDigits(float: number, verb: "e" | "E" | "f" | "g" | "G", precision: number): string {
  switch (verb) {
    case "e":
      return exponential(float, precision);
    case "E":
      return exponential(float, precision).toUpperCase();
    case "f":
      return fixed(float, precision);
    case "g":
      return shortest(float, precision);
    case "G":
      return shortest(float, precision).toUpperCase();
  }
}

/** JavaScript computes a hundred digits; a float has no more than some 770, which nobody prints. */
const MOST_DIGITS = 100;

function exponential(float: number, precision: number): string {
  const text = precision < 0 ? float.toExponential() : float.toExponential(Math.min(precision, MOST_DIGITS));
  const [mantissa = "", exponent = "+0"] = text.split("e");
  const filled = precision > MOST_DIGITS ? mantissa + "0".repeat(precision - MOST_DIGITS) : mantissa;
  return `${sign(float)}${filled}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, "0")}`;
}

function fixed(float: number, precision: number): string {
  const digits = Math.min(precision, MOST_DIGITS);
  const text = Math.abs(float) < 1e21 ? float.toFixed(digits) : wholeWithFraction(float, digits);
  return sign(float) + text + (precision > MOST_DIGITS ? "0".repeat(precision - MOST_DIGITS) : "");
}

function wholeWithFraction(float: number, digits: number): string {
  return BigInt(float).toString() + (digits > 0 ? `.${"0".repeat(digits)}` : "");
}

/** `%e` where the exponent is small or reaches the precision, else the digits as they are, without zeros at the end. */
function shortest(float: number, precision: number): string {
  if (float === 0) return sign(float) + "0";
  const wanted = precision === 0 ? 1 : precision;
  const [mantissa = "", exponentText = "0"] = (
    wanted < 0 ? float.toExponential() : float.toExponential(Math.min(wanted - 1, MOST_DIGITS))
  ).split("e");
  const exponent = Number(exponentText);
  const digits = mantissa.replace(/[-.]/g, "").replace(/0+$/, "") || "0";
  const hasAllDigits = wanted > digits.length && digits.length >= exponent + 1;
  const limit = wanted < 0 ? 6 : hasAllDigits ? digits.length : wanted;
  const minus = float < 0 ? "-" : "";
  if (exponent < -4 || exponent >= limit) {
    const rest = digits.slice(1);
    const power = `${Math.abs(exponent)}`.padStart(2, "0");
    return `${minus}${digits.charAt(0)}${rest === "" ? "" : `.${rest}`}e${exponent < 0 ? "-" : "+"}${power}`;
  }
  if (exponent < 0) return `${minus}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return minus + whole + (fraction === "" ? "" : `.${fraction}`);
}

/** JavaScript drops the sign of a zero. */
function sign(float: number): string {
  return Object.is(float, -0) ? "-" : "";
}
