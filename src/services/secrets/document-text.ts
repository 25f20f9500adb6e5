/** A text that is standard base64 as a whole, decoded; any other text as it is (decisions-secrets-core.md, D.1). */
export function documentText(text: string): string {
  const compact = text.replace(/[\r\n]/g, "");
  if (compact === "" || compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return text;
  const bytes = Uint8Array.from(atob(compact), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // No text comes out of it, so it was none to begin with.
    return text;
  }
}
