import type { ByteString } from "./byte-string.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

const MS_PER_DAY = 86_400_000;

/** The parts of a layout, the longest of those that begin alike first. `Jan` and `Mon` are none before a small letter. */
const PART =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|_(?=2006)|_2|__2|3|4|5|PM|pm|-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07|[.,](?:0+|9+)(?!\d)/g;

/**
 * An instant in UTC by a layout that shows how the reference time Mon Jan 2 15:04:05 MST 2006 is to be written. What is
 * no part of that time stands as it is.
 *
 * Source: decisions-directory.md section 11 (`timestamp`), and the real engine for parts that it does not list (`-07`,
 * `002`, fractions of other lengths).
 *
 * @example
 * formatInstant(Date.UTC(2026, 2, 9), "2006-01-02") // "2026-03-09"
 */
export function formatInstant(ms: number, layout: ByteString): ByteString {
  const at = new Date(ms);
  return layout.replace(PART, (part) => formatPart(at, part)) as ByteString;
}

function formatPart(at: Date, part: string): string {
  const hour12 = at.getUTCHours() % 12 || 12;
  switch (part) {
    case "January":
      return MONTHS[at.getUTCMonth()] ?? "";
    case "Jan":
      return (MONTHS[at.getUTCMonth()] ?? "").slice(0, 3);
    case "Monday":
      return WEEKDAYS[at.getUTCDay()] ?? "";
    case "Mon":
      return (WEEKDAYS[at.getUTCDay()] ?? "").slice(0, 3);
    case "MST":
      return "UTC";
    case "01":
      return padded(at.getUTCMonth() + 1, 2);
    case "02":
      return padded(at.getUTCDate(), 2);
    case "03":
      return padded(hour12, 2);
    case "04":
      return padded(at.getUTCMinutes(), 2);
    case "05":
      return padded(at.getUTCSeconds(), 2);
    case "06":
      return padded(at.getUTCFullYear() % 100, 2);
    case "002":
      return padded(dayOfYear(at), 3);
    case "__2":
      return `${dayOfYear(at)}`.padStart(3, " ");
    case "_2":
      return `${at.getUTCDate()}`.padStart(2, " ");
    case "15":
      return padded(at.getUTCHours(), 2);
    case "1":
      return `${at.getUTCMonth() + 1}`;
    case "2006":
      return padded(at.getUTCFullYear(), 4);
    case "2":
      return `${at.getUTCDate()}`;
    case "3":
      return `${hour12}`;
    case "4":
      return `${at.getUTCMinutes()}`;
    case "5":
      return `${at.getUTCSeconds()}`;
    case "PM":
      return at.getUTCHours() >= 12 ? "PM" : "AM";
    case "pm":
      return at.getUTCHours() >= 12 ? "pm" : "am";
    default:
      return formatOther(at, part);
  }
}

function formatOther(at: Date, part: string): string {
  if (part.startsWith("Z")) return "Z";
  if (part.startsWith("-")) return part.replace("-", "+").replace("7", "0");
  return /^[.,]/.test(part) ? fraction(at, part) : part;
}

/** `.000` shows as many digits as it has, `.999` none that are zeros at the end. There are nine to show. */
function fraction(at: Date, part: string): string {
  const nanoseconds = padded(at.getUTCMilliseconds(), 3).padEnd(9, "0");
  const digits = nanoseconds.slice(0, part.length - 1);
  if (part.charAt(1) === "0") return part.charAt(0) + digits;
  const significant = digits.replace(/0+$/, "");
  return significant === "" ? "" : part.charAt(0) + significant;
}

function dayOfYear(at: Date): number {
  return Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / MS_PER_DAY) + 1;
}

function padded(number: number, digits: number): string {
  return `${number}`.padStart(digits, "0");
}
