import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen, openWorlds, type Worlds, type WorldsListener } from "../../../src/node/index.ts";
import { ask, put, type Told } from "../worlds/client.ts";

let worlds: Worlds;
let server: WorldsListener;
let world: Told;
// biome-ignore lint/suspicious/noExplicitAny: a document, looked into by tests
let documents: { readonly [name: string]: any };

beforeAll(async () => {
  worlds = await openWorlds({ options: { secrets: { clusters: ["main", "west"] } } });
  server = await listen(worlds, { port: 0 });
  const admin = { url: `${server.url}/hindcast`, secret: server.adminSecret };
  world = (await ask(admin, "POST", "/worlds", { name: "described" })).body as Told;
  documents = {
    server: (await ask(admin, "GET", "/openapi/admin.json")).body,
    world: (await ask(world.admin, "GET", "/openapi/admin.json")).body,
  };
});

afterAll(async () => {
  await server.close();
  await worlds.close();
});

test.each(["server", "world"])(
  "that of a %s is valid, and names each operation as a function can be named",
  async (name) => {
    const document = documents[name];
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([errors ?? [], valid]).toEqual([[], true]);
    const ids = Object.values<Record<string, { operationId: string }>>(document.paths)
      .flatMap((item) => Object.values(item))
      .map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(ids).toHaveLength(new Set(ids).size);
    expect(ids.length).toBeGreaterThan(80);
  },
);

test("that of a server holds what each world has, below its path", () => {
  const below = Object.keys(documents["world"].paths).map((path) => `/worlds/{world}${path === "/" ? "" : path}`);
  expect(Object.keys(documents["server"].paths)).toEqual(expect.arrayContaining(below));
});

test("what is answered has the form that the document says", async () => {
  await put(world, "a", 1);
  await ask(world.admin, "POST", "/mark", { name: "one" });
  await ask(world.admin, "POST", "/notes", { data: { leader: "main" }, program: "shop" });
  await ask(world.admin, "POST", "/control/faults/requests", { program: "shop", effect: { kind: "hang" } });
  await fetch(`${world.urls.secrets["main"]}/v1/kv/a`, { headers: { "X-Secrets-Token": "scs.none" } });
  await fetch(`${world.urls.secrets["main"]}/v1/no/route`);
  await ask(world.admin, "POST", "/control/secrets/cluster/main/createToken", { policies: ["default"], ttl: "1h" });
  const path = encodeURIComponent('secrets.main.replicated.mounts["kv/"]');
  const { body: journal } = await ask(world.admin, "GET", "/journal");
  const refused = journal.find((entry: { refusal?: object }) => entry.refusal !== undefined).n;
  const asked: readonly (readonly [method: string, template: string, path?: string, body?: object])[] = [
    ["get", "/"],
    ["get", "/openapi/{document}", "/openapi/secrets.json"],
    ["get", "/operations"],
    ["get", "/clock"],
    ["put", "/clock", "/clock", { advance: "1h" }],
    ["post", "/clock/advance", "/clock/advance", { duration: "1h" }],
    ["post", "/clock/advanceTo", "/clock/advanceTo", { instant: "2026-02-01T00:00:00Z" }],
    ["post", "/clock/next"],
    ["post", "/clock/run", "/clock/run", { duration: "1s" }],
    ["post", "/clock/follow", "/clock/follow", {}],
    ["post", "/clock/stop"],
    ["post", "/settle"],
    ["get", "/journal"],
    ["get", "/programs"],
    ["get", "/why/{n}", `/why/${refused}`],
    ["get", "/request-faults"],
    ["get", "/log/commits"],
    ["get", "/log/events"],
    ["get", "/state-hash"],
    ["get", "/marks"],
    ["post", "/mark", "/mark", { name: "two" }],
    ["get", "/diff", "/diff?from=one"],
    ["get", "/blame", `/blame?path=${path}`],
    ["get", "/history", `/history?path=${path}`],
    ["get", "/explain/{position}", "/explain/3"],
    ["get", "/rehearse"],
    ["post", "/rewrite", "/rewrite", { edits: [] }],
    ["get", "/scenarios"],
    ["post", "/scenarios/{name}", "/scenarios/library-loan", {}],
    ["post", "/fork", "/fork", { at: "one" }],
    ["post", "/reset", "/reset", { to: "one" }],
  ];
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  ajv.addSchema({ ...documents["world"], $id: "document" });
  for (const [method, template, at = template, body] of asked) {
    const { status, body: answered } = await ask(world.admin, method.toUpperCase(), at, body);
    const pointer = `/paths/${template.replaceAll("~", "~0").replaceAll("/", "~1")}/${method}/responses/${status}`;
    const validate = ajv.compile({ $ref: `document#${encodeURI(pointer)}/content/application~1json/schema` });
    expect([at, validate(answered), validate.errors]).toEqual([at, true, null]);
  }
});
