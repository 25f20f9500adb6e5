// Puts what drives the browser where the tests find it: `npm ci` here when the lock file is another one than was installed. Then it looks
// for a browser, and says how to get one.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BROWSERS, browserHere } from "./browser.js";

const here = new URL(".", import.meta.url);
const lock = readFileSync(new URL("package-lock.json", here), "utf8");
const installed = new URL("node_modules/.installed-by-lock", here);

if (browserHere() === undefined) {
  console.error(`no browser is at ${BROWSERS.join(", ")}`);
  console.error("apt-get install chromium, or set CHROME_PATH to the program of a Chromium or Chrome");
  process.exit(1);
}

if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) {
  console.error("test/browser: npm ci");
  const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", fileURLToPath(here)];
  const { status } = spawnSync("npm", words, { stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(installed, lock);
}
