import { expect, test } from "vitest";
import { fitted, fittedPath, wrapped } from "../../../src/node/terminal/columns.ts";

test("text is cut at its end", () => {
  expect(fitted("0123456789", 10)).toBe("0123456789");
  expect(fitted("0123456789", 9)).toBe("012345...");
});

test("a path is cut at its beginning, between two steps", () => {
  const path = 'secrets.main.local.leases["a/b"].status';
  expect(fittedPath(path, path.length)).toBe(path);
  expect(fittedPath(path, path.length - 1)).toBe('...main.local.leases["a/b"].status');
  expect(fittedPath(path, 20)).toBe('...["a/b"].status');
  // Where no step fits, its end has to do.
  expect(fittedPath('leases["a/rather/long/key"]', 12)).toBe('...ong/key"]');
});

test("words are wrapped below their head", () => {
  expect(wrapped("one two three", "ok ", 11)).toEqual(["ok one two", "   three"]);
  expect(wrapped("", "ok ", 11)).toEqual(["ok "]);
  expect(wrapped("unbreakable word", "ok ", 8)).toEqual(["ok unbre", "   akabl", "   e", "   word"]);
});
