import { expect, it } from "vitest";
import { counted } from "../../../src/node/terminal/counted.ts";

it.each([
  [0, "0 commits"],
  [1, "1 commit"],
  [1_200, "1,200 commits"],
])("%d is told as %s", (count, told) => {
  expect(counted(count, "commit")).toBe(told);
});
