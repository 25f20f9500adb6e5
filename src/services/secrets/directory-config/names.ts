/**
 * Names of roles and sets: ends of letter, digit or `_`; inside also `-`, `.` and `/` (decisions-directory.md, 1).
 *
 * Our choice: two slashes in a row are no part of a name, because no path over HTTP leads to such a one.
 */
export const DIRECTORY_NAME = /^(?!.*\/\/)\w([\w\-./]*\w)?$/;

/** The prefix of a listing of such names: a slash at its end is optional. */
export const DIRECTORY_PREFIX = /^(?!.*\/\/)\w([\w\-./]*\w)?\/?$/;
