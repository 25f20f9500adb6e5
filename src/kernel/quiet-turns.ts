/**
 * Gives the event loop turns until one after another, `turns` in a row, brings no request.
 *
 * A turn is a message of a channel: it lets everything that waits for a promise go on, and is no timer, so fake timers do
 * not hold it up.
 */
export async function untilQuiet(asked: () => number, turns: number): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  try {
    for (let quiet = 0; quiet < turns; ) {
      const before = asked();
      await new Promise<void>((resolve) => {
        port1.onmessage = () => resolve();
        port2.postMessage(null);
      });
      quiet = asked() === before ? quiet + 1 : 0;
    }
  } finally {
    port1.close();
  }
}
