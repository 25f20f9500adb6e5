import { describe, expect, it } from "vitest";
import { renderedBy } from "./rendered.ts";
import vectors from "./vectors.json" with { type: "json" };

describe("what the real engine made of a template", () => {
  it.each(vectors.cases.map((vector) => [vector.template, vector.stage, vector.output] as const))(
    "%j: %s",
    (template, stage, output) => {
      expect(renderedBy(template, vectors.fields, vectors.now)).toEqual(stage === "ok" ? { stage, output } : { stage });
    },
  );
});
