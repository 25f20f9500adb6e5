import { expect, test } from "vitest";
import { createSimulator } from "../../../src/index.ts";
import { underLoad } from "./load.ts";

test("many connections that are kept ask at once, and none is answered wrongly", { tags: "full" }, async () => {
  const { answered, failed } = await underLoad(createSimulator({ seed: 3 }), {
    connections: 50,
    requests: 3_000,
    reads: false,
  });
  expect(failed).toEqual([]);
  expect(answered).toBe(3_000);
});
