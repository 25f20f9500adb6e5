// Lists in each package-lock.json every platform's edition of the native tools, whatever registry wrote the lock file.
// A mirror may carry the editions of some platforms only. npm then leaves the others out of the lock file that it writes,
// and `npm ci` of npm 11 refuses that file as out of step with package.json.
//
//   npm run lock        writes what is missing; run it after each `npm install` of a package
//   npm run check:lock  fails when something is missing, or when an entry names the registry it came from

import { readFileSync, writeFileSync } from "node:fs";

const files = ["package-lock.json", "test/bench/peers/package-lock.json", "test/browser/package-lock.json"];

for (const file of files) {
  const url = new URL(`../../${file}`, import.meta.url);
  const lock = JSON.parse(readFileSync(url, "utf8"));
  const missing = new Map(Object.entries(lock.packages).flatMap((entry) => missingEditions(lock, entry)));
  const located = Object.keys(lock.packages).filter((path) => lock.packages[path].resolved !== undefined);

  if (process.argv.includes("--check")) {
    for (const path of missing.keys()) console.error(`${file} lacks ${path}: npm run lock`);
    for (const path of located) console.error(`${file} says where ${path} came from: npm run lock`);
    if (missing.size + located.length > 0) process.exitCode = 1;
  } else {
    for (const path of located) delete lock.packages[path].resolved;
    const all = [...Object.entries(lock.packages), ...missing];
    lock.packages = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, "en")));
    writeFileSync(url, `${JSON.stringify(lock, null, 2)}\n`);
    console.log(`${file}: ${missing.size} editions added, ${located.length} addresses removed`);
  }
}

/** Entries for the optional dependencies of a locked package that nothing in the lock file answers to. */
function missingEditions(lock, [path, parent]) {
  return Object.entries(parent.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(lock, name, path))
    .map(([name, version]) => [`node_modules/${name}`, edition(name, version, parent)]);
}

/** Node's own search: the folder of the package, then the folders around it. */
function isLocked(lock, name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (lock.packages[`${at}${at && "/"}node_modules/${name}`]) return true;
    if (at === "") return false;
  }
}

/** `@oxlint/binding-linux-arm64-musl` says for itself where it runs. */
function edition(name, version, parent) {
  const platform = /(?:^|[/-])(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(\w+))?$/.exec(name);
  if (!platform || !/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`cannot tell the platform of ${name}@${version}`);
  const [, os, cpu, abi] = platform;
  return {
    version,
    cpu: [cpu],
    ...(parent.dev ? { dev: true } : {}),
    ...(os === "linux" && abi ? { libc: [abi.startsWith("musl") ? "musl" : "glibc"] } : {}),
    license: parent.license,
    optional: true,
    os: [os],
  };
}
