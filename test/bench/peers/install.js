// Puts what hindcast is measured beside where it can be imported: `npm ci` here when the lock file is another one than was installed,
// and a link to it beside the compiled comparison. The library itself needs none of it.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = new URL(".", import.meta.url);
const lock = readFileSync(new URL("package-lock.json", here), "utf8");
const installed = new URL("node_modules/.installed-by-lock", here);

if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) {
  console.error("test/bench/peers: npm ci");
  const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", fileURLToPath(here)];
  const { status } = spawnSync("npm", words, { stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(installed, lock);
}

const link = new URL("../../../dist-bench/test/bench/peers/node_modules", here);
rmSync(link, { force: true, recursive: true });
mkdirSync(new URL(".", link), { recursive: true });
symlinkSync(fileURLToPath(new URL("node_modules", here)), fileURLToPath(link), "junction");
