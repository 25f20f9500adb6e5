declare const brand: unique symbol;

/** A type that is its own at compile time and plain `T` at run time: ids and instants do not mix. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** An instant, in milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = Brand<number, "EpochMs">;

/** The position of a commit in the log: the first commit has 1, a new simulator stands at 0. */
export type LogPosition = Brand<number, "LogPosition">;

/** Tells the compiler that a number is an instant. */
export const epochMs = (ms: number): EpochMs => ms as EpochMs;

/** The instant so many seconds after another. */
export const secondsAfter = (ms: EpochMs, seconds: number): EpochMs => epochMs(ms + seconds * 1000);

/** Tells the compiler that a number is a log position. */
export const logPosition = (position: number): LogPosition => position as LogPosition;
