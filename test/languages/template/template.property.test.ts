import fc from "fast-check";
import { describe, expect } from "vitest";
import { MOST_BYTES } from "../../../src/languages/template/limits.ts";
import { property } from "../../support/property.ts";
import { runs } from "../../support/runs.ts";
import { mutatedTemplate } from "./mutations.ts";
import { renderedBy } from "./rendered.ts";
import vectors from "./vectors.json" with { type: "json" };

describe("whatever a template says", () => {
  property([mutatedTemplate], runs(3_000))("it is rendered or refused by an error of its own", (template) => {
    const rendered = renderedBy(template, vectors.fields, vectors.now);
    if (rendered.stage === "ok") expect(rendered.output.length).toBeLessThanOrEqual(MOST_BYTES);
    expect(["ok", "parse", "render"]).toContain(rendered.stage);
  });

  property([mutatedTemplate], runs(1_000))("rendering it again gives the same", (template) => {
    const once = renderedBy(template, vectors.fields, vectors.now);
    expect(renderedBy(template, vectors.fields, vectors.now)).toEqual(once);
  });

  const plain = fc.string({
    unit: fc.constantFrom("a", "b", ",", "=", "\n", " ", "é", "\u{1F600}", "{", "}"),
    maxLength: 12,
  });
  const safe = plain.filter((text) => !text.includes("{"));

  property([fc.array(fc.tuple(safe, fc.constantFrom("One", "Two")), { maxLength: 6 }), safe, plain, plain])(
    "it holds nothing but its own text and the values of its fields",
    (parts, tail, One, Two) => {
      const values = { One, Two };
      const template = parts.map(([text, name]) => `${text}{{ .${name} }}`).join("") + tail;
      const output = parts.map(([text, name]) => text + values[name]).join("") + tail;
      expect(renderedBy(template, values, 0)).toEqual({ stage: "ok", output });
    },
  );
});
