import fc from "fast-check";
import { expect, test } from "vitest";
import { receivedUrl } from "../../../src/node/listener/received-url.ts";
import type { UrlRead } from "../../../src/services/kit/http.ts";
import { property } from "../../support/property.ts";

const ORIGIN = "https://secrets-main.test";

const read = ({ href, origin, pathname, search, searchParams }: UrlRead): object => ({
  href,
  origin,
  pathname,
  search,
  parameters: [...searchParams],
});

const segment = fc.oneof(
  fc.string({ unit: "grapheme-ascii", maxLength: 6 }),
  fc.constantFrom(
    "v1",
    "a_b~c-d",
    ".",
    "..",
    "...",
    ".a",
    "a.",
    "",
    "%2e%2E",
    "%41",
    "é",
    "\\",
    "?a=b&a=c",
    "#x",
    "@",
    ":80",
  ),
);

property([fc.array(segment, { minLength: 1, maxLength: 6 })])(
  "whatever was asked, it reads as a URL does, but that nothing leads up in it",
  (path) => {
    const target = `/${path.join("/")}`;
    const sent = target.split(/[?#]/, 1)[0] ?? "";
    fc.pre(!/\\|\/(\.|%2e){1,2}(\/|$)/i.test(sent));
    expect(read(receivedUrl(ORIGIN, target))).toEqual(read(new URL(ORIGIN + target) as UrlRead));
  },
);

test.each([
  ["/v1/kv/../sys?a=b", "/v1/kv/../sys"],
  ["/v1/kv/%2E%2e/sys#x", "/v1/kv/%2E%2e/sys"],
  ["/v1/./kv", "/v1/./kv"],
  ["/v1\\..\\kv", "/v1%5C..%5Ckv"],
])("%s is not rewritten", (target, pathname) => {
  expect(receivedUrl(ORIGIN, target).pathname).toBe(pathname);
});

test("a plain target is not taken apart", () => {
  expect(receivedUrl(ORIGIN, "/v1/kv/app/db-1.json")).not.toBeInstanceOf(URL);
  expect(receivedUrl(ORIGIN, "/v1/kv/a?list=true")).toBeInstanceOf(URL);
});
