import { isCancel, select } from "@clack/prompts";
import { CommandError, EXIT } from "../exit.ts";
import { allScenarios } from "./find.ts";

/** Asks which scenario is to be played. @returns its name, or its file where two have one name */
export async function chooseScenario(): Promise<string> {
  const { found } = await allScenarios();
  const options = found.map(({ scenario, origin, file }) => ({
    value: origin === "own" ? `${file}#${scenario.name}` : scenario.name,
    label: scenario.name,
    hint: scenario.title,
  }));
  const answer = await select({ message: "Which story?", options });
  if (isCancel(answer)) throw new CommandError(EXIT.interrupted, "nothing was chosen");
  return answer;
}
