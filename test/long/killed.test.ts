import { expect, test } from "vitest";
import { builtCommandLine } from "../node/command-line/support.ts";
import { killAgainAndAgain } from "../node/living-log/killing.ts";

const commandLine = builtCommandLine();

test("killed 200 times under load, it has every write that was answered", async () => {
  const { answered, torn } = await killAgainAndAgain(commandLine, 200, (round) => 1 + ((round * 67) % 240));
  console.log(`${answered} writes were answered; ${torn} times a line was torn`);
  expect(answered).toBeGreaterThan(200);
});
