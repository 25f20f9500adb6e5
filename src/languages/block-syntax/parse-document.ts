import type { Body } from "./ast.ts";
import { parseBlocks } from "./parse-blocks.ts";
import { parseBlocksFromJson } from "./parse-blocks-from-json.ts";

/**
 * Parses a document in either spelling: JSON when its first character that is not blank is `{`, else block syntax.
 *
 * The text is taken as it is; a service that also accepts base64 decodes it first.
 *
 * Source: decisions-secrets-core.md D.1; decisions-scheduler-acl.md section 8.
 *
 * @param labelledKeys the keys whose blocks bear a label, see `parseBlocksFromJson`
 * @throws LanguageError with line and column of the first mistake
 * @example
 * const rules = parseDocument(text, new Set(["namespace", "node_pool", "host_volume", "path"]));
 */
export function parseDocument(text: string, labelledKeys: ReadonlySet<string>): Body {
  return text.trimStart().startsWith("{") ? parseBlocksFromJson(text, labelledKeys) : parseBlocks(text);
}
