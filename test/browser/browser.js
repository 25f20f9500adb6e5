import { existsSync } from "node:fs";

/** Where browsers are looked for after `CHROME_PATH`. */
export const BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The program of a browser that is installed here; undefined where there is none. */
export function browserHere() {
  return process.env.CHROME_PATH ?? BROWSERS.find((file) => existsSync(file));
}
