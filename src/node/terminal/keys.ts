/** A key that somebody pressed: `\r`, `b`, `\u0003`. */
export type Key = string;

/**
 * Waits for one key. The terminal gives it at once, without an echo, and is as it was when it came.
 *
 * @param ask tells which keys there are, once the terminal waits for them
 * @returns undefined when the terminal is gone
 */
export function nextKey(ask: () => void): Promise<Key | undefined> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const end = (key: Key | undefined): void => {
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdin.setRawMode(false);
      stdin.pause();
      resolve(key);
    };
    const onData = (data: Buffer): void => {
      const [first, rest] = firstKey(data.toString("utf8"));
      // Who presses faster than the story goes on loses no key.
      if (rest !== "") stdin.unshift(Buffer.from(rest, "utf8"));
      end(first);
    };
    const onEnd = (): void => end(undefined);
    stdin.setRawMode(true);
    stdin.on("data", onData);
    stdin.on("end", onEnd);
    stdin.resume();
    ask();
  });
}

/** The first key of what came, and the rest: keys such as the arrows are several characters. */
function firstKey(text: string): [first: string, rest: string] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys are what it is about
  const [first = text.slice(0, 1)] = /^\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])/.exec(text) ?? [];
  return [first, text.slice(first.length)];
}
