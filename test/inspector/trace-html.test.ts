import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { createSimulator, LogError } from "hindcast";
import { traceHtml } from "hindcast/inspect";
import { describe, expect, test } from "vitest";
import { bytesOfBase85 } from "../../src/inspector/base85.ts";

/** What an element of a page holds, as bytes. */
function held(html: string, id: string): Buffer {
  return Buffer.from(bytesOfBase85(new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1] ?? ""));
}

function sumOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

describe("a page of a run", () => {
  const sim = createSimulator({ seed: 7, secrets: { clusters: ["east"] } });
  sim.secrets.cluster("east").createNamespace("team");

  test("holds the log of a simulator, and that of a text", async () => {
    const log = sim.log.toNdjson();
    for (const what of [sim, log]) expect(gunzipSync(held(await traceHtml(what), "log")).toString()).toBe(log);
  });

  test("holds another run beside it", async () => {
    const other = createSimulator({ seed: 8 });
    for (const against of [other, other.log.toNdjson()]) {
      const html = await traceHtml(sim, { against });
      expect(gunzipSync(held(html, "log")).toString()).toBe(sim.log.toNdjson());
      expect(gunzipSync(held(html, "other")).toString()).toBe(other.log.toNdjson());
    }
  });

  test("lets no script run but its own, and asks nobody for anything", async () => {
    const html = await traceHtml(sim);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    const boot = /<script>([\s\S]*)<\/script><\/body>/.exec(html)?.[1] ?? "";
    const page = gunzipSync(held(html, "page")).toString();
    expect(policy).toContain(`default-src 'none'; script-src ${sumOf(boot)} ${sumOf(page)};`);
    expect(html.match(/<script/g)).toHaveLength(6);
  });

  test("holds the licences of the packages in it", async () => {
    const licenses = gunzipSync(held(await traceHtml(sim), "licenses")).toString();
    for (const name of ["preact", "xstate", "immer", "lzma1", "@noble/hashes"])
      expect(licenses).toContain(`## ${name} - `);
  });

  test("shows titles and failures of others as text", async () => {
    const evil = "</title></script><script>alert(1)</script>";
    const html = await traceHtml(sim, { title: evil, failure: { message: evil } });
    expect(html).not.toContain("<script>alert");
    expect(JSON.parse(held(html, "told").toString())).toEqual({ title: evil, failure: { message: evil }, timers: [] });
  });

  test("is made of a torn log when that is asked for", async () => {
    const torn = sim.log.toNdjson().slice(0, -20);
    await expect(traceHtml(torn)).rejects.toThrow(LogError);
    const html = await traceHtml(torn, { acceptPrefix: true });
    expect(gunzipSync(held(html, "log")).toString()).toContain("createNamespace");
  });

  test.each([
    [() => traceHtml(7 as never), "traceHtml: 7 is neither a simulator nor the text of a log"],
    [() => traceHtml(sim, { title: 7 as never }), "traceHtml: title is 7: it is a text"],
    [() => traceHtml(sim, { failure: {} as never }), "traceHtml: failure is an object: it has a message"],
  ])("refuses %s", async (making, message) => {
    await expect(making()).rejects.toThrow(new TypeError(message));
  });
});
