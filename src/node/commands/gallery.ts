import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escaped, indexOfPages } from "../../inspector/index-of-pages.ts";
import { messageOf } from "../../scenario/message.ts";
import { runScenario } from "../../scenario/run.ts";
import { defineCommand, JSON_OPTION } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { allScenarios } from "../scenarios/find.ts";
import { harmless } from "../terminal/columns.ts";
import { counted } from "../terminal/counted.ts";
import { progressOfWork } from "../terminal/progress.ts";

/** Pages of all scenarios. */
export const gallery = defineCommand({
  name: "gallery",
  about: "Plays every scenario, your own and those that come with hindcast, and makes a page of each, with an index.",
  args: {
    out: { type: "string", description: "the folder of the pages; gallery unless told", valueHint: "folder" },
    ...JSON_OPTION,
  },
  run: async ({ out = "gallery", json }, { print, printJson }) => {
    try {
      await mkdir(out, { recursive: true });
    } catch (error) {
      throw usageError(`there can be no folder ${out}: ${messageOf(error)}`);
    }
    const { traceHtml } = await import("../../inspector/index.ts");
    const { found, unreadable } = await allScenarios();
    // One's own come first: the first of a name is the one that is run by it.
    const stories = new Map(found.map(({ scenario }) => [scenario.name, scenario] as const).reverse());
    const progress = progressOfWork();
    const pages: { name: string; title: string; page: string; ok: boolean }[] = [];
    for (const [name, scenario] of [...stories].sort(([one], [other]) => (one < other ? -1 : 1))) {
      progress.on(`playing ${name}`);
      const { sim, steps, ok } = await runScenario(scenario).finally(progress.off);
      const failure = ok ? {} : { failure: { message: `${steps.at(-1)?.title}: ${messageOf(steps.at(-1)?.error)}` } };
      const page = `${encodeURIComponent(name)}.html`;
      await writeFile(join(out, page), await traceHtml(sim, { title: `${name}: ${scenario.title}`, ...failure }));
      pages.push({ name, title: scenario.title, page, ok });
    }
    const listed = pages.map(({ name, title, page, ok }) => ({
      href: encodeURIComponent(page),
      title: escaped(title),
      text: escaped(ok ? name : `${name}: it failed`),
    }));
    const index = join(out, "index.html");
    await writeFile(index, indexOfPages("hindcast: scenarios", counted(pages.length, "scenario"), listed));
    for (const { why } of unreadable) process.stderr.write(`hindcast: ${why}\n`);
    if (json) printJson({ index, pages });
    else print([harmless(index)]);
    return pages.every(({ ok }) => ok) ? EXIT.held : EXIT.failed;
  },
});
