/** The constructor of dates for whom it is another time. What it makes are dates as everybody has them. */
export function dateAt(Original: DateConstructor, nowMs: () => number): DateConstructor {
  function ProgramDate(this: unknown, ...args: readonly unknown[]): unknown {
    // Called as a function it gives a text, and looks at no argument (ECMA-262, 21.4.2.1).
    if (new.target === undefined) return new Original(nowMs()).toString();
    return Reflect.construct(Original, args.length === 0 ? [nowMs()] : args, new.target);
  }
  const prototype = Object.create(Original.prototype, {
    constructor: { value: ProgramDate, writable: true, configurable: true },
  }) as Date;
  Object.defineProperties(ProgramDate, {
    name: { value: "Date" },
    length: { value: Original.length },
    prototype: { value: prototype, writable: false },
    now: { value: nowMs, writable: true, configurable: true },
    // Dates of the platform are dates of programs, too; what extends this constructor is told apart as usual.
    [Symbol.hasInstance]: {
      value(this: unknown, value: unknown) {
        if (this === ProgramDate) return value instanceof Original;
        return Function.prototype[Symbol.hasInstance].call(this as never, value);
      },
    },
  });
  return Object.setPrototypeOf(ProgramDate, Original) as DateConstructor;
}

/** The part of `performance` that knows the time; all else of it is the platform's. */
export function performanceAt(original: Performance, now: () => number, originMs: () => number): Performance {
  return new Proxy(original, {
    get: (of, name): unknown => {
      if (name === "now") return now;
      if (name === "timeOrigin") return originMs();
      const value: unknown = Reflect.get(of, name);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
}

/** The class of signals, with a time limit of its own. */
export function abortSignalWith(original: typeof AbortSignal, timeout: typeof AbortSignal.timeout): typeof AbortSignal {
  return new Proxy(original, {
    get: (of, name): unknown => (name === "timeout" ? timeout : Reflect.get(of, name)),
  });
}
