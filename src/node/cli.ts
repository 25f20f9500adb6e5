#!/usr/bin/env node
import { main } from "./main.ts";

// A promise that nobody settles would let the process end in the middle, without a word.
let hasEnded = false;
process.once("beforeExit", () => {
  if (hasEnded) return;
  process.stderr.write("hindcast: it waits for something that nobody does: a promise was never settled\n");
  process.exit(1);
});

void main(process.argv.slice(2)).then((exitCode) => {
  hasEnded = true;
  process.exitCode = exitCode;
});
