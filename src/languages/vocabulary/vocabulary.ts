/** What words become: neutral -> own. */
export type Renames = { readonly [neutral: string]: string };

/** The words of one service that a vocabulary renames; what it does not name stays as the contract has it. */
export interface ServiceVocabulary {
  /** Names of headers, in requests and in answers; in whatever case. */
  readonly headers?: Renames;
  /** Segments of paths that are the service's own: those of its routes, and the first one of a mount. */
  readonly segments?: Renames;
  /** Names of fields: members of bodies, parameters of queries, and names in what the service writes or signs for others. */
  readonly fields?: Renames;
  /** Enumerated values, wherever they may stand; `field=value` is the value of that field alone, which has its neutral name here. */
  readonly values?: Renames;
  /** What identifiers, URLs and pages begin with. */
  readonly prefixes?: Renames;
}

/**
 * A table of renames by service, applied at the wire, so that clients of a service which uses other words work unchanged. State, log and
 * typed calls keep the contract's words.
 *
 * Source: vocabularies.md; control-surface.md, "Simulator".
 *
 * @example
 * const vocabulary: Vocabulary = { secrets: { headers: { "X-Secrets-Token": "X-Acme-Token" }, segments: { ldap: "directory" } } };
 */
export interface Vocabulary {
  readonly runs?: ServiceVocabulary;
  readonly scheduler?: ServiceVocabulary;
  readonly secrets?: ServiceVocabulary;
}

export type ServiceName = keyof Vocabulary;

/** The kinds of words, in the order in which a mistake in them is told. */
export const SCOPES = ["headers", "segments", "fields", "values", "prefixes"] as const;
export type Scope = (typeof SCOPES)[number];
