/** The version of the package, as its manifest has it. Logs carry it. */
export const VERSION = "0.1.0";
