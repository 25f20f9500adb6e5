import { describe, expect } from "vitest";
import { mutatedTemplate } from "../languages/template/mutations.ts";
import { renderedBy } from "../languages/template/rendered.ts";
import vectors from "../languages/template/vectors.json" with { type: "json" };
import { processorSeconds } from "../support/processor-time.ts";
import { property } from "../support/property.ts";

describe("a hundred thousand mutated templates", () => {
  property([mutatedTemplate], { numRuns: 100_000 })("are rendered or refused, and nothing else happens", (template) => {
    const before = processorSeconds();
    expect(["ok", "parse", "render"]).toContain(renderedBy(template, vectors.fields, vectors.now).stage);
    expect(processorSeconds() - before).toBeLessThan(2);
  });
});
