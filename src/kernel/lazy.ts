/** What is made when it is first asked for, and is the same ever after: for constants that take long to make. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
