/** Our choice: the longest template, far above any LDIF that a role holds. */
export const LONGEST_TEMPLATE = 1_048_576;

/** Our choice: how deep parentheses and blocks may nest; the parser and the renderer call themselves for each level. */
export const DEEPEST_NESTING = 200;

/** Our choice: how many variables may be in scope at once, since each use of one looks for it among them. */
export const MOST_VARIABLES = 1_000;

/** Our choice: how many steps one rendering may take. A role's LDIF takes some dozen. */
export const MOST_STEPS = 100_000;

/** Our choice: how deep templates may call templates, so that one that calls itself ends in an error. */
export const DEEPEST_CALLS = 100;

/** Our choice: how many bytes one rendering may read and make in all its functions and its output. */
export const MOST_BYTES = 4_194_304;
