import fc from "fast-check";
import reference from "./reference.json" with { type: "json" };
import vectors from "./vectors.json" with { type: "json" };

const TEMPLATES: readonly string[] = [
  ...vectors.cases.map((vector) => vector.template),
  ...reference.cases.map(([template]) => template as string),
];

const PIECES = [
  ...Array.from("{}|()\"`'$.:=,- \n/*%\\09aé\0"),
  "{{",
  "}}",
  "{{-",
  "-}}",
  "{{end}}",
  "{{range 3}}",
  "{{if 1}}",
  "{{else}}",
  '{{define "u"}}',
  '{{template "u" .}}',
  "$x := ",
  " | print",
  '"%[2]*.*d"',
  "9223372036854775807",
  ".__proto__",
];

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat(6),
  put: fc.oneof(
    fc.constantFrom(...PIECES),
    fc.constantFrom(...TEMPLATES).map((template) => template.slice(0, 12)),
    fc.string({ unit: "grapheme", maxLength: 4 }),
  ),
});

/** A template of the vectors with some places changed. */
export const mutatedTemplate = fc
  .tuple(fc.constantFrom(...TEMPLATES), fc.array(edit, { minLength: 1, maxLength: 5 }))
  .map(([template, edits]) => edits.reduce(applied, template));

function applied(template: string, { at, cut, put }: { at: number; cut: number; put: string }): string {
  const offset = Math.floor(at * template.length);
  return template.slice(0, offset) + put + template.slice(offset + cut);
}
