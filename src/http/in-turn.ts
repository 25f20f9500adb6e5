/** What is decided in a world when all that was asked before has been. */
const lasts = new WeakMap<object, Promise<unknown>>();

/**
 * Decides a request when its turn has come: at once, unless one that was asked earlier is still prepared. How long that takes depends on
 * what the process has loaded, and the order of commits must not (amendments.md, A4).
 *
 * Our choice: typed calls cannot wait, and pass.
 *
 * @param world whose order it is
 * @param holds whether others wait until the answer is there, where it takes waiting: a blocked read waits for what others do
 */
export function inTurn<T>(world: object, holds: boolean, decide: () => T | Promise<T>): T | Promise<T> {
  const last = lasts.get(world);
  if (last === undefined) {
    const answer = decide();
    if (holds && answer instanceof Promise) hold(world, answer);
    return answer;
  }
  const begun = last.then(() => ({ answer: decide() }));
  const answer = begun.then((made) => made.answer);
  hold(world, holds ? answer : begun);
  return answer;
}

function hold(world: object, until: Promise<unknown>): void {
  const done = (): void => {
    if (lasts.get(world) === last) lasts.delete(world);
  };
  const last: Promise<unknown> = until.then(done, done);
  lasts.set(world, last);
}
