/** Names of roles and sets: ends of letter, digit or `_`; inside also `-`, `.` and `/` (decisions-directory.md, 1). */
export const DIRECTORY_NAME = /^\w([\w\-./]*\w)?$/;
