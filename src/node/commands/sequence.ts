import { clockFace } from "../../scenario/clock-face.ts";
import { defineCommand, LOG_OPTIONS } from "../command.ts";
import { EXIT } from "../exit.ts";
import { logOptions, openLog } from "../logs/read-log.ts";
import { STRETCH_OPTIONS, stretchOf } from "../logs/stretch.ts";
import { sequenceOf } from "../sequence/steps.ts";
import { sequenceLines } from "../sequence/text.ts";

/** Who did what to whom, as lines of life. */
export const sequence = defineCommand({
  name: "sequence",
  about:
    "Draws programs, clusters, regions and the run service as lines of life, with requests, shipments, deadlines and faults between them.",
  args: {
    ...LOG_OPTIONS,
    ...STRETCH_OPTIONS,
    svg: { type: "boolean", description: "an SVG picture instead of text" },
  },
  run: async (args, { allColumns, style, print, printJson, write }) => {
    const stretch = await stretchOf(args);
    const { file, sim } = await openLog(args.log, logOptions(args));
    const drawn = sequenceOf(sim, stretch);
    if (args.json) {
      const steps = drawn.steps.map(({ atMs, ...step }) => ({ at: clockFace(atMs), ...step }));
      printJson({ ...drawn, steps });
    } else if (args.svg === true) {
      write((await import("../sequence/svg.ts")).sequenceSvg(drawn, file));
    } else {
      print(sequenceLines(drawn, allColumns, style));
    }
    return EXIT.held;
  },
});
