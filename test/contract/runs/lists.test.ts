import { describe, expect, it } from "vitest";
import { get, many } from "./driver.ts";
import { outcome, policySet, runsWorld } from "./runs-world.ts";

const listed = () => {
  const world = runsWorld();
  const { evaluation } = world.evaluated([
    policySet([outcome("passed", "advisory")], { id: "passed-advisory" }),
    policySet([outcome("passed", "mandatory")], { id: "passed-mandatory" }),
    policySet([outcome("failed", "advisory")], { id: "failed-advisory" }),
    policySet([outcome("failed", "mandatory")], { id: "failed-mandatory" }),
    policySet([outcome("errored")], { id: "errored" }),
    policySet([], { id: "broken", error: "boom" }),
    policySet([outcome("passed", "advisory"), outcome("failed", "mandatory")], { id: "both" }),
    policySet([], { id: "empty" }),
  ]);
  const path = `/api/v2/policy-evaluations/${evaluation}/policy-set-outcomes`;
  return { path, ask: (query: string) => get(world.sim, `${path}?${query}`, world.tokens.reader) };
};

const ALL = [
  "passed-advisory",
  "passed-mandatory",
  "failed-advisory",
  "failed-mandatory",
  "errored",
  "broken",
  "both",
  "empty",
];

// decisions-policy-checks.md, 6.4.
describe("a filter of outcomes", () => {
  it.each<[query: string, ids: readonly string[]]>([
    ["", ALL],
    ["filter[0][status]=passed", ["passed-advisory", "passed-mandatory", "both"]],
    ["filter[0][status]=failed", ["failed-advisory", "failed-mandatory", "both"]],
    ["filter[0][status]=errored", ["errored", "broken"]],
    ["filter[0][status]=errored&filter[0][enforcementLevel]=mandatory", ["errored", "broken"]],
    ["filter[0][status]=passed&filter[0][enforcementLevel]=mandatory", ["passed-mandatory"]],
    ["filter[0][status]=failed&filter[0][enforcementLevel]=mandatory", ["failed-mandatory", "both"]],
    ["filter[0][status]=failed&filter[0][enforcement_level]=advisory", ["failed-advisory"]],
    [
      "filter[0][status]=failed&filter[0][enforcement_level]=advisory&filter[0][enforcementLevel]=mandatory",
      ["failed-mandatory", "both"],
    ],
    [
      "filter[9][status]=errored&filter[2][status]=passed",
      ["passed-advisory", "passed-mandatory", "errored", "broken", "both"],
    ],
    ["filter[0][status]=passed&filter[00][enforcementLevel]=advisory", ["passed-advisory", "both"]],
    ["filter[0][status]=passed&filter[1][status]=failed&filter[2][status]=errored", ALL.slice(0, -1)],
    ["filter[0][enforcementLevel]=mandatory", ALL],
    ["filter[0][enforcementLevel]=mandatory&filter[1][status]=errored", ["errored", "broken"]],
    ["filter[0][status]=passed&filter[0][status]=failed", ["failed-advisory", "failed-mandatory", "both"]],
    ["filter%5B0%5D%5Bstatus%5D=errored", ["errored", "broken"]],
    ["filters[0][status]=what", ALL],
  ])("%s chooses %j", async (query, ids) => {
    const answer = await listed().ask(query);
    expect(answer.status).toBe(200);
    expect(many(answer).map(({ id }) => id)).toEqual(ids);
    expect(answer.body.meta?.pagination["total-count"]).toBe(ids.length);
  });

  it.each([
    ["filter[0][status]=green", "filter[0][status]"],
    ["filter[0][status]=", "filter[0][status]"],
    ["filter[0][status]=passed,failed", "filter[0][status]"],
    ["filter[0][status]=Passed", "filter[0][status]"],
    ["filter[0][enforcementLevel]=", "filter[0][enforcementLevel]"],
    ["filter[0][enforcementLevel]=soft", "filter[0][enforcementLevel]"],
    ["filter[0][status]=errored&filter[0][enforcementLevel]=soft", "filter[0][enforcementLevel]"],
    [
      "filter[0][status]=failed&filter[0][enforcementLevel]=advisory&filter[0][enforcement_level]=x",
      "filter[0][enforcement_level]",
    ],
    ["filter[0][foo]=passed", "filter[0][foo]"],
    ["filter[x][status]=passed", "filter[x][status]"],
    ["filter[-1][status]=passed", "filter[-1][status]"],
    ["filter[][status]=passed", "filter[][status]"],
    ["filter[status]=passed", "filter[status]"],
    ["filter[0]=passed", "filter[0]"],
    ["filter=passed", "filter"],
    ["filter[0][status][x]=passed", "filter[0][status][x]"],
    ["filter%5B0%5D%5Bfoo%5D=passed", "filter[0][foo]"],
  ])("%s is refused", async (query, parameter) => {
    const { status, body } = await listed().ask(query);
    expect(status).toBe(400);
    expect(body.errors?.[0]).toMatchObject({ status: "400", title: "bad request", source: { parameter } });
    expect(body.errors?.[0]?.detail).toContain(parameter);
  });
});

// decisions-policy-checks.md, 7.
describe("a page", () => {
  it.each<[query: string, number: number, size: number, ids: readonly string[]]>([
    ["", 1, 20, ALL],
    ["page[size]=3", 1, 3, ALL.slice(0, 3)],
    ["page[size]=3&page[number]=2", 2, 3, ALL.slice(3, 6)],
    ["page[number]=3&page[size]=3", 3, 3, ALL.slice(6)],
    ["page%5Bnumber%5D=2&page%5Bsize%5D=5", 2, 5, ALL.slice(5)],
    ["page[number]=4&page[size]=3", 4, 3, []],
    ["page[size]=0", 1, 20, ALL],
    ["page[size]=-1", 1, 20, ALL],
    ["page[size]=1.5", 1, 20, ALL],
    ["page[size]=2x", 1, 20, ALL],
    ["page[size]=%2B2", 1, 20, ALL],
    ["page[size]=%202", 1, 20, ALL],
    ["page[size]=", 1, 20, ALL],
    ["page[size]=002", 1, 2, ALL.slice(0, 2)],
    ["page[size]=100", 1, 100, ALL],
    ["page[size]=101", 1, 100, ALL],
    ["page[size]=99999999999999999999", 1, 100, ALL],
    ["page[number]=0", 1, 20, ALL],
    ["page[number]=-2", 1, 20, ALL],
    ["page[number]=two", 1, 20, ALL],
    ["page[number]=", 1, 20, ALL],
    ["page[number]=2&page[number]=1", 1, 20, ALL],
    ["page[number]=99999999999999999999", Number.MAX_SAFE_INTEGER, 20, []],
  ])("asked for by %j is number %i of size %i", async (query, number, size, ids) => {
    const { path, ask } = listed();
    const answer = await ask(query);
    expect(many(answer).map(({ id }) => id)).toEqual(ids);
    const pages = Math.ceil(ALL.length / size);
    const prev = number >= 2 && number <= pages ? number - 1 : null;
    const next = number < pages ? number + 1 : null;
    expect(answer.body.meta).toEqual({
      pagination: {
        "current-page": number,
        "page-size": size,
        "prev-page": prev,
        "next-page": next,
        "total-pages": pages,
        "total-count": ALL.length,
      },
    });
    const link = (page: number | null) => page && `${path}?page%5Bnumber%5D=${page}&page%5Bsize%5D=${size}`;
    expect(answer.body.links).toEqual({
      self: link(number),
      first: link(1),
      prev: link(prev),
      next: link(next),
      last: link(pages),
    });
  });

  it("has links that lead through the whole list", async () => {
    const { ask, path } = listed();
    const seen: string[] = [];
    let next: string | null = `${path}?filter[1][status]=failed&page[size]=1&filter[0][status]=passed`;
    while (next !== null) {
      const answer = await ask(next.slice(next.indexOf("?") + 1));
      seen.push(...many(answer).map(({ id }) => id));
      next = answer.body.links?.["next"] ?? null;
      if (next !== null) {
        expect(next).toMatch(
          /\?filter%5B1%5D%5Bstatus%5D=failed&filter%5B0%5D%5Bstatus%5D=passed&page%5Bnumber%5D=\d&page%5Bsize%5D=1$/,
        );
      }
    }
    expect(seen).toEqual(["passed-advisory", "passed-mandatory", "failed-advisory", "failed-mandatory", "both"]);
  });
});
