import { describe, expect, it } from "vitest";
import reference from "./reference.json" with { type: "json" };
import { renderedBy } from "./rendered.ts";
import vectors from "./vectors.json" with { type: "json" };

describe("what Go's own package makes of a template", () => {
  it.each(reference.cases as [string, string | { refused: "parse" | "render" }][])("%j", (template, made) => {
    const expected = typeof made === "string" ? { stage: "ok", output: made } : { stage: made.refused };
    expect(renderedBy(template, vectors.fields, vectors.now)).toEqual(
      // There the fields are a Go struct with a type name of its own.
      expected,
    );
  });
});
