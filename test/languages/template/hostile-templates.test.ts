import { describe, expect, it } from "vitest";
import { DEEPEST_NESTING, LONGEST_TEMPLATE, MOST_BYTES } from "../../../src/languages/template/limits.ts";
import { eachTakesAtMost } from "../../support/processor-time.ts";
import { renderedBy } from "./rendered.ts";

const FIELDS = { RoleName: "dev" };
const MEGABYTE = 1_048_576;

const filled = (unit: string, head = "", tail = "") =>
  head + unit.repeat(Math.floor((MEGABYTE - head.length - tail.length) / unit.length)) + tail;

const callingTwice = (n: number) => `{{define "${n}"}}{{template "${n + 1}"}}{{template "${n + 1}"}}{{end}}`;

const TEMPLATES: Readonly<Record<string, readonly [template: string, stage: "ok" | "parse" | "render"]>> = {
  text: [filled("a"), "ok"],
  "closing braces": [filled("}"), "ok"],
  "opening braces": [filled("{"), "parse"],
  "opened actions": [filled("{{if 1}}"), "parse"],
  "nested parentheses": [filled("(", "{{"), "parse"],
  "an unclosed text": [filled("a", '{{"'), "parse"],
  "an unclosed raw text": [filled("a", "{{`"), "parse"],
  "an unclosed comment": [filled("*", "{{/*"), "parse"],
  backslashes: [filled("\\", '{{"'), "parse"],
  "one long name": [filled("a", "{{"), "parse"],
  "one long field": [filled("a", "{{.", "}}"), "render"],
  "one long name beyond the basic plane": [filled("\u{10400}", "{{"), "parse"],
  "one long number": [filled("1", "{{", "}}"), "parse"],
  "one long float": [filled("1", "{{1.", "}}"), "parse"],
  "one long hexadecimal number": [filled("f", "{{0x", "}}"), "parse"],
  "one long exponent": [filled("1", "{{1e", "}}"), "parse"],
  spaces: [filled(" ", "{{1", "}}"), "ok"],
  "trimmed spaces": [filled(" ", "a", "{{- 1 -}} b"), "ok"],
  "trim markers": [filled("{{- /**/ -}} "), "ok"],
  "spaces that nothing trims": [filled(" {{1}}"), "render"],
  "commands in a pipeline": [filled("|print", "{{1", "}}"), "render"],
  arguments: [filled(" 1", "{{print", "}}"), "ok"],
  "else ifs": [`{{if 0}}${"{{else if 0}}".repeat(20_000)}{{end}}`, "parse"],
  "fields of fields": [filled(".a", "{{", "}}"), "render"],
  variables: [filled("{{$x := 1}}"), "parse"],
  assignments: [`{{$x := 1}}${"{{$x = 1}}".repeat(900)}`, "ok"],
  definitions: [filled('{{define "a"}}{{end}}'), "ok"],
  "lone surrogates": [filled("\ud800"), "ok"],
  NULs: [filled("\0"), "ok"],
  "a template that calls itself": ['{{define "a"}}{{template "a"}}{{end}}{{template "a"}}', "render"],
  "the template that calls itself": ['{{template "template"}}', "render"],
  "templates that call each other twice": [
    `${Array.from({ length: 60 }, (_, n) => callingTwice(n)).join("")}{{define "60"}}{{end}}{{template "0"}}`,
    "render",
  ],
  "an endless range": ["{{range 9223372036854775807}}{{end}}", "render"],
  "a range that prints": ["{{range 1000000}}aaaaaaaaaa{{end}}", "render"],
  "ranges in ranges": ["{{range 1000}}{{range 1000}}{{range 1000}}{{end}}{{end}}{{end}}", "render"],
  "a text that doubles": [`{{$x := "aaaaaaaa"}}${'{{$x = printf "%s%s" $x $x}}'.repeat(40)}{{len $x}}`, "render"],
  "a text that grows by replacing": [
    `{{$x := "aaaaaaaa"}}${'{{$x = replace "a" "aaaaaaaa" $x}}'.repeat(20)}{{len $x}}`,
    "render",
  ],
  "wide numbers": [`${'{{printf "%1000000d" 1}}'.repeat(100)}`, "render"],
  "precise numbers": [`${'{{printf "%.1000000f" 1.5}}'.repeat(100)}`, "render"],
  "widths beyond all bounds": ['{{printf "%99999999999999d" 1}}', "ok"],
  "starred widths": ['{{printf "%*d" 9223372036854775807 1}}', "ok"],
  "a long random text": ["{{random 9223372036854775807}}", "render"],
  "a long text that nearly stands at each place": [
    `{{$a := printf "%100000s" ""}}{{$b := printf "%sb%s" $a $a}}{{replace $b "" (printf "%500000s" "") | len}}`,
    "ok",
  ],
  percents: [`{{printf "${"%".repeat(500_000)}"}}`, "render"],
  "quotes of bytes": [`{{printf "%q" "${"\\xff".repeat(200_000)}"}}`, "ok"],
  "escapes of a script": [`{{js "${"<".repeat(200_000)}"}}`, "ok"],
};

describe("a hostile template", () => {
  eachTakesAtMost(10);

  it.each(Object.entries(TEMPLATES))("%s: is rendered or refused", { tags: "full" }, (_, [template, stage]) => {
    const rendered = renderedBy(template, FIELDS, 0);
    expect(rendered.stage).toBe(stage);
    expect(rendered.stage === "ok" ? rendered.output.length : 0).toBeLessThanOrEqual(MOST_BYTES);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  // 400 kB, read again and again: what a function reads is counted as what it makes is, so that the eleventh is too much.
  it.each([
    "truncate 1 $x",
    "truncate_sha256 9 $x",
    "truncate_sha256 999999 $x",
    "sha256 $x",
    "base64 $x",
    "uppercase $x",
    "lowercase $x",
    "utf16le $x",
    'replace "b" "" $x',
    'replace $x "" "b"',
    "timestamp $x",
    "printf $x",
    "html $x",
    "js $x",
    "urlquery $x",
    "eq $x $y",
    "ne $x $y",
    "lt $x $y",
    "le $x $y",
    "gt $x $y",
    "ge $x $y",
    "print $x",
    "println $x",
    'printf "%.1x" $x $x',
    'printf (printf "%%[%s" $x)',
  ])("may not let {{%s}} read without end", (called) => {
    const long = '{{$x := printf "%400000s" "a"}}{{$y := printf "%s" $x}}';
    const read = (times: number) => renderedBy(`${long}{{range ${times}}}{{$z := ${called}}}{{end}}`, FIELDS, 0).stage;
    expect(read(0)).toBe("ok");
    expect(read(11)).toBe("render");
  });

  it("may nest as deep as it is said, and no deeper", () => {
    const nested = (depth: number) => `{{${"(".repeat(depth)}1${")".repeat(depth)}}}`;
    expect(renderedBy(nested(DEEPEST_NESTING), FIELDS, 0)).toEqual({ stage: "ok", output: "1" });
    expect(renderedBy(nested(DEEPEST_NESTING + 1), FIELDS, 0)).toEqual({ stage: "parse" });
  });

  it("may be as long as it is said, and no longer", () => {
    expect(renderedBy("a".repeat(LONGEST_TEMPLATE), FIELDS, 0).stage).toBe("ok");
    expect(renderedBy("a".repeat(LONGEST_TEMPLATE + 1), FIELDS, 0).stage).toBe("parse");
  });
});
