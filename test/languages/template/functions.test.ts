import { describe, expect, it } from "vitest";
import { NAME_FUNCTIONS } from "../../../src/languages/template/functions.ts";
import { renderedBy } from "./rendered.ts";

const NOW = "2026-12-31T23:59:59.007Z";

function output(template: string, fields = {}): string {
  const rendered = renderedBy(template, fields, NOW);
  if (rendered.stage !== "ok") throw new Error(`${template} is refused: ${rendered.stage}`);
  return rendered.output;
}

describe("a template function", () => {
  it("random draws letters and digits, as many as asked for, from the stream at hand", () => {
    expect(output("{{random 40}}")).toMatch(/^[0-9A-Za-z]{40}$/);
    expect(output("{{random 0}}")).toBe("");
    expect(output("{{random 1e1}}")).toHaveLength(10);
    expect(output("{{random 12}}")).toBe(output("{{random 12}}"));
    expect(output("{{random 12}}{{random 12}}")).toMatch(/^(.{12})(?!\1)/);
  });

  it.each([
    "{{random -1}}",
    '{{random (print "a")}}',
    "{{random}}",
    "{{random 1 2}}",
    "{{random 1e12}}",
    '{{random "10"}}',
  ])("%s fails when rendered", (template) => {
    expect(renderedBy(template, {}, NOW)).toEqual({ stage: "render" });
  });

  it("uuid draws five groups of hexadecimal digits", () => {
    expect(output("{{uuid}}")).toMatch(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
  });

  it("unix_time and its milliseconds are texts of the virtual time", () => {
    expect(output("{{unix_time}} {{unix_time_millis}}")).toBe("1798761599 1798761599007");
    expect(output('{{printf "%T" unix_time}}')).toBe("string");
  });

  it.each([
    ["2006-01-02T15:04:05Z", "2026-12-31T23:59:59Z"],
    ["06 01 1 Jan January", "26 12 12 Dec December"],
    ["02 2 _2 Mon Monday", "31 31 31 Thu Thursday"],
    ["15 03 3 04 4 05 5 PM pm", "23 11 11 59 59 59 59 PM pm"],
    ["MST -0700 -07:00 Z0700 Z07:00", "UTC +0000 +00:00 Z Z"],
    ["05.000 05.999 05.000000", "59.007 59.007 59.007000"],
    ["Janet May", "Janet May"],
    ["002 __2", "365 365"],
  ])("timestamp %j", (layout, shown) => {
    expect(output(`{{timestamp ${JSON.stringify(layout)}}}`)).toBe(shown);
  });

  it("timestamp drops a fraction of nines that is zero", () => {
    const rendered = renderedBy('{{timestamp "05.999"}}', {}, "2026-01-01T00:00:01Z");
    expect(rendered).toEqual({ stage: "ok", output: "01" });
  });

  it("truncate and truncate_sha256 count characters, len counts bytes (easily missed, 29)", () => {
    expect(output('{{truncate 2 "éèê"}}')).toBe("éè");
    expect(output('{{len "éèê"}}')).toBe("6");
    expect(output('{{truncate_sha256 9 "ééééééééé"}}')).toBe("ééééééééé");
    expect(output('{{"myreallylongprefix-foobar" | truncate_sha256 15}}')).toBe("myrealle6da86ec");
  });

  it("replace finds a long text as it finds a short one", () => {
    const replaced = (from: string, text: string) =>
      output("{{replace .From .To .Text}}", { From: from, To: "-", Text: text });
    for (const unit of ["ab", "aab", "a", "éa"]) {
      for (const long of [
        unit.repeat(40),
        `${unit.repeat(40)}x`,
        `x${unit.repeat(40)}`,
        `${unit.repeat(20)}x${unit.repeat(20)}`,
      ]) {
        for (const text of [unit.repeat(200), `${long}${long}${unit}`, `${unit.repeat(39)}${long}x${long}`]) {
          expect(replaced(long, text)).toBe(text.split(long).join("-"));
        }
      }
    }
  });

  it("utf16le belongs to LDIF templates only", () => {
    expect(output('{{"aé" | utf16le | base64}}')).toBe("YQDpAA==");
    expect(renderedBy('{{"a" | utf16le}}', {}, NOW, NAME_FUNCTIONS)).toEqual({ stage: "parse" });
    expect(renderedBy('{{"a" | uppercase}}', {}, NOW, NAME_FUNCTIONS)).toEqual({ stage: "ok", output: "A" });
  });
});

describe("a template that is called without an argument", () => {
  it.each([
    ["{{.}}", "<no value>"],
    ["{{.RoleName}}", "<no value>"],
    ["{{.RoleName.Nope}} {{$.RoleName}}", "<no value> <no value>"],
    ["{{if .RoleName}}y{{else}}n{{end}}", "n"],
    ["{{print .RoleName}}", "<nil>"],
  ])("shows %s as %s", (body, shown) => {
    expect(output(`{{define "u"}}${body}{{end}}{{template "u"}}`, { RoleName: "dev" })).toBe(shown);
  });

  it("has no text to give to a function", () => {
    const template = '{{define "u"}}{{uppercase .RoleName}}{{end}}{{template "u"}}';
    expect(renderedBy(template, { RoleName: "dev" }, NOW)).toEqual({ stage: "render" });
  });
});

describe("a field", () => {
  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "length", "valueOf", "Nope"])(
    "%s that was not given is an error when rendered",
    (name) => {
      expect(renderedBy(`{{.${name}}}`, { RoleName: "dev" }, NOW)).toEqual({ stage: "render" });
      expect(renderedBy(`{{.RoleName.${name}}}`, { RoleName: "dev" }, NOW)).toEqual({ stage: "render" });
      expect(renderedBy(`{{.Seconds.${name}}}`, { Seconds: 5 }, NOW)).toEqual({ stage: "render" });
      expect(renderedBy(`{{index . "${name}"}}`, { RoleName: "dev" }, NOW)).toEqual({ stage: "render" });
    },
  );

  it("is inserted as it is", () => {
    expect(output("cn={{.Name}}", { Name: "a,b=c\n{{.Name}}<>" })).toBe("cn=a,b=c\n{{.Name}}<>");
  });

  it("that is a number is an int64", () => {
    expect(output('{{printf "%T %d" .Seconds .Seconds}}', { Seconds: 1_773_039_904 })).toBe("int64 1773039904");
  });
});
