import { describe, expect, it } from "vitest";
import type { Asked } from "../../src/http/asked.ts";
import { redirected, redirectOf } from "../../src/http/redirect.ts";

// No service redirects to another cluster yet: what the Fetch standard asks for is tried on the parts.

const asked = (method: string): Asked => ({
  method,
  url: new URL("https://one.test/v1/a"),
  headers: new Headers({ authorization: "Bearer t", "content-type": "application/json", "x-secrets-token": "t" }),
  body: new TextEncoder().encode("{}"),
  redirect: "follow",
});

const led = (method: string, status: number, to = "https://two.test/v1/a") => {
  const { method: next, url, headers, body } = redirected(asked(method), status, new URL(to));
  return { next, url: url.href, headers: [...headers.keys()], bytes: body.length };
};

describe("a redirect", () => {
  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "DELETE", "GET"],
    [301, "DELETE", "DELETE"],
    [302, "LIST", "LIST"],
    [303, "HEAD", "HEAD"],
    [307, "POST", "POST"],
    [308, "PUT", "PUT"],
  ])("of %i makes of %s a %s", (status, method, next) => {
    expect(led(method, status).next).toBe(next);
  });

  it("keeps the body with the method, and drops what describes it without", () => {
    expect(led("POST", 307)).toMatchObject({ bytes: 2, headers: ["content-type", "x-secrets-token"] });
    expect(led("POST", 302)).toMatchObject({ bytes: 0, headers: ["x-secrets-token"] });
  });

  it("takes the authorization along within its origin only", () => {
    expect(led("GET", 307, "https://one.test/v1/b").headers).toContain("authorization");
    expect(led("GET", 307).headers).not.toContain("authorization");
  });

  it("is a status that redirects, with a place to go to", () => {
    const headers = { location: "https://two.test/" };
    expect(redirectOf(new Response(null, { status: 307, headers }))).toBe("https://two.test/");
    expect(redirectOf(new Response(null, { status: 307 }))).toBeUndefined();
    expect(redirectOf(new Response(null, { status: 304, headers }))).toBeUndefined();
    expect(redirectOf(new Response(null, { status: 200, headers }))).toBeUndefined();
  });
});
