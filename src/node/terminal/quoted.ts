/** A word as a shell takes it. */
export function quotedWord(word: string): string {
  return /^[\w./:@#-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
