import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { serviceDocument } from "../../src/http/openapi/services.ts";
import { createSimulator, type Simulator, type SimulatorOptions, type Vocabulary } from "../../src/index.ts";
import { isObject } from "../../src/languages/objects.ts";
import { HASHICORP } from "../../src/languages/vocabulary/hashicorp.ts";
import type { Renames } from "../../src/languages/vocabulary/vocabulary.ts";
import { wordsOf } from "../../src/languages/vocabulary/worded.ts";
import type { Words } from "../../src/languages/vocabulary/words.ts";
import { runsModule } from "../../src/services/runs/module.ts";
import { renamedDocument } from "../../src/services/runs/words/wire.ts";
import { schedulerModule } from "../../src/services/scheduler/module.ts";
import { heardFields as heardByScheduler } from "../../src/services/scheduler/words/wire.ts";
import { secretsModule } from "../../src/services/secrets/module.ts";
import { secretsRegistry } from "../../src/services/secrets/registry.ts";
import { heardFields as heardBySecrets } from "../../src/services/secrets/words/heard.ts";
import type { PathContext } from "../../src/services/secrets/words/path.ts";
import { LiveSimulator } from "../../src/simulator/live-simulator.ts";

const MODULES = [runsModule, schedulerModule, secretsModule];
type Service = (typeof MODULES)[number];

/** A vocabulary in which every header, segment and field has another name: whatever a document forgets to rename is found by it. */
function everyWord(): Vocabulary {
  const other = (names: readonly string[], rename: (name: string) => string): Renames =>
    Object.fromEntries(names.map((name) => [name, rename(name)]));
  return Object.fromEntries(
    MODULES.map(({ name, words }) => {
      const { headers, segments, fields } = words.neutral();
      // What belongs to HTTP is no word of a service.
      const own = headers.filter((header) => header.startsWith("X-"));
      const tables = {
        headers: other(own, (header) => `${header}-Other`),
        segments: other(segments, (segment) => `${segment}-other`),
        fields: other(fields, (field) => `${field}-other`),
      };
      return [name, tables];
    }),
  );
}

const VOCABULARIES: readonly (readonly [string, Vocabulary])[] = [
  ["hashicorp", HASHICORP],
  ["a vocabulary with other names for everything", everyWord()],
];

interface OperationObject {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: { readonly [status: string]: { readonly content?: Media } };
}
type Media = { readonly [type: string]: { readonly schema: object } };

interface Documented {
  readonly paths: { readonly [path: string]: { readonly [method: string]: OperationObject } };
  readonly components: { readonly securitySchemes: { readonly [name: string]: { readonly name?: string } } };
}

const documentOf = (service: Service, words?: Words): Documented =>
  serviceDocument(service, "https://a.test", "1", words) as unknown as Documented;

function operationsIn({ paths }: Documented) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** A world in which every engine and method is mounted under its own name. */
function worldOf(vocabulary: Vocabulary): Simulator {
  const options: SimulatorOptions = { vocabulary, secrets: { license: "enterprise" } };
  const sim = createSimulator(options);
  const main = sim.secrets.cluster("main");
  const { auth } = main.as(main.rootToken);
  for (const type of ["userpass", "approle", "ldap", "orchestrator"]) auth.enable({ path: type, type });
  return sim;
}

/** The operation that a world has for a request. */
function askedFor(sim: Simulator, { http }: Service, method: string, path: string, type?: string): string | undefined {
  const state = LiveSimulator.insideOf(sim).hosts.present().state as never;
  const [[origin, place]] = [...(http.origins(state)[0] ?? [])] as [[string, never]];
  const url = new URL(origin + path);
  const headers = new Headers(type === undefined ? {} : { "Content-Type": type });
  return http.operationOf(state, place, { method, url, headers, body: new TextEncoder().encode("{}") });
}

/** What stands for captures that take only some names. */
const CHOICES: { readonly [capture: string]: string } = { "{type}": "secret", "{field}": "policies" };

const filled = (path: string): string => path.replace(/\{\w+\}/g, (capture) => CHOICES[capture] ?? "a1");

/** An object that has every member of a schema, with a text, or nothing, in each. */
function withAllMembers(schema: { readonly [keyword: string]: unknown }): unknown {
  const { properties } = schema;
  if (!isObject(properties)) return "x";
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, withAllMembers(isObject(member) ? member : {})]),
  );
}

describe.each(VOCABULARIES)("the documents in the words of %s", (_, vocabulary) => {
  const sim = worldOf(vocabulary);
  const words = wordsOf(sim.state) as Words;
  const ofVersions = worldOf(vocabulary);
  const main = ofVersions.secrets.cluster("main");
  main.as(main.rootToken).mounts.delete({ path: "kv" });
  main.mount("kv", { type: "kv-v2" });
  const worldFor = (operation: string): Simulator => (operation.startsWith("secrets.kv2.") ? ofVersions : sim);

  it.each(MODULES)("of $name are valid, and have the operations of the neutral one", async (service) => {
    const document = documentOf(service, words);
    expect(await new Validator().validate(document as never)).toMatchObject({ valid: true });
    const ids = (of: Documented): string[] => operationsIn(of).map(({ operation }) => operation.operationId);
    expect(ids(document)).toEqual(ids(documentOf(service)));
  });

  it.each(MODULES)("of $name have paths that the world routes to the operation", (service) => {
    const routed = operationsIn(documentOf(service, words)).map(({ path, method, operation }) => {
      const { operationId, parameters = [], requestBody } = operation;
      const needed = parameters.filter((one) => one.in === "query" && one.required);
      const query = needed.length === 0 ? "" : `?${needed.map(({ name }) => `${name}=true`).join("&")}`;
      const [type] = Object.keys(requestBody?.content ?? {});
      const found = askedFor(worldFor(operationId), service, method, filled(path) + query, type);
      return `${method} ${path}: ${found}`;
    });
    expect(routed).toEqual(
      operationsIn(documentOf(service, words)).map(
        ({ path, method, operation }) => `${method} ${path}: ${operation.operationId}`,
      ),
    );
  });

  it.each(MODULES)("of $name have the members that the world reads", (service) => {
    const neutral = new Map(
      operationsIn(documentOf(service)).map(({ operation }) => [operation.operationId, operation]),
    );
    const context = { world: sim.state, at: { cluster: "main" } } as unknown as PathContext;
    for (const { operation } of operationsIn(documentOf(service, words))) {
      const { operationId, requestBody } = operation;
      const [own, before] = [requestBody, neutral.get(operationId)?.requestBody].map((one) =>
        one === undefined ? "none" : withAllMembers(Object.values(one.content)[0]?.schema as never),
      );
      if (!isObject(own)) {
        expect([operationId, own]).toEqual([operationId, before]);
        continue;
      }
      const named = { name: operationId, operation: secretsRegistry.byName.get(operationId) as never };
      const heard = {
        runs: () => renamedDocument(words.runs as never, own, "neutral"),
        scheduler: () => heardByScheduler(words.scheduler as never, own),
        secrets: () => heardBySecrets(words.secrets as never, named, own as never, context),
      }[service.name]();
      expect([operationId, heard]).toEqual([operationId, before]);
    }
  });

  it.each(MODULES)("of $name have the parameters that the world reads", (service) => {
    const { own } = words[service.name]?.headers ?? { own: new Map() };
    const renamed = (name: string, place: string): string =>
      place === "header"
        ? (own.get(name.toLowerCase()) ?? name)
        : // The parts of a name are fields each: `page[number]`.
          name.replace(/[^[\]]+/g, (part) => words[service.name]?.fields.own.get(part) ?? part);
    const parametersOf = (document: Documented) =>
      operationsIn(document).flatMap(({ operation: { parameters = [] } }) => parameters);
    expect(parametersOf(documentOf(service, words)).map(({ name }) => name)).toEqual(
      parametersOf(documentOf(service)).map(({ name, in: place }) => (place === "path" ? name : renamed(name, place))),
    );
  });
});

describe("the documents in the words of real services", () => {
  const sim = createSimulator({ vocabulary: "hashicorp" });
  const words = wordsOf(sim.state) as Words;
  const document = documentOf(secretsModule, words);
  const written = document.paths["/v1/kubernetes/config"]?.["post"];

  it("name headers, mounts and fields as clients know them", () => {
    expect(document.components.securitySchemes["token"]?.name).toBe("X-Vault-Token");
    expect(documentOf(schedulerModule, words).components.securitySchemes["token"]?.name).toBe("X-Nomad-Token");
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(["/v1/sys/mounts", "/v1/kubernetes/config", "/v1/auth/kubernetes/login"]),
    );
    expect(written?.description).toContain("`/v1/kubernetes` is where the engine is mounted from the start");
    // Names of operations are the library's own.
    const neutral = /X-Secrets|X-Scheduler|orchestrator(?!\.\w+\.\w+"|\.(login|config|roles|credentials))/;
    const told = operationsIn(document).map(({ path, operation: { operationId: _, ...shown } }) => {
      const { tags, summary, ...wire } = shown as OperationObject & {
        readonly tags: unknown;
        readonly summary: string;
      };
      return JSON.stringify([path, wire]);
    });
    expect(told.filter((text) => neutral.test(text))).toEqual([]);
  });

  it("say what a client can do: what is written as a document says is read so", async () => {
    const { rootToken, url } = sim.secrets.cluster("main");
    const header = document.components.securitySchemes["token"]?.name ?? "";
    const schema = written?.requestBody?.content["application/json"]?.schema;
    expect(withAllMembers(schema as never)).toHaveProperty("kubernetes_host");
    const asked = (method: string, body?: string) =>
      sim.fetch(`${url}/v1/kubernetes/config`, {
        method,
        headers: { [header]: rootToken },
        ...(body === undefined ? {} : { body }),
      });
    const host = "https://10.0.0.1:6443";
    expect((await asked("POST", JSON.stringify({ kubernetes_host: host }))).status).toBe(204);
    expect((await (await asked("GET")).json()) as object).toMatchObject({ data: { kubernetes_host: host } });
  });

  it("are those of the contract for a service that a vocabulary does not name, and without one", () => {
    const some = wordsOf(createSimulator({ vocabulary: { secrets: HASHICORP.secrets ?? {} } }).state);
    expect(some).toBeDefined();
    for (const service of [runsModule, schedulerModule]) {
      expect(documentOf(service, some)).toEqual(documentOf(service));
    }
  });
});

it("enumerated values and members of answers are called by their words, in whatever schema", () => {
  const fields = { error: "fault", errors: "faults" };
  const { state } = createSimulator({ vocabulary: { secrets: { fields, values: { service: "lasting" } } } });
  const shaped = {
    ...secretsModule,
    openapi: {
      ...secretsModule.openapi,
      described: () => ({
        path: "/v1/a",
        answers: {
          200: {
            description: "",
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  required: ["errors"],
                  properties: {
                    token_type: { enum: ["service", "batch", 1] },
                    errors: { type: "object", additionalProperties: { const: "service" } },
                    keys: { items: { anyOf: [{ properties: { error: {} } }, true] }, description: 'holds "error"' },
                  },
                },
              },
            },
          },
        },
      }),
    },
    registry: { ...secretsRegistry, byName: new Map([...secretsRegistry.byName].slice(0, 1)) },
  };
  const { paths } = serviceDocument(shaped, "https://a.test", "1", wordsOf(state)) as unknown as Documented;
  const [operation] = Object.values(paths["/v1/a"] ?? {});
  expect(operation?.responses["200"]?.content?.["application/json"]?.schema).toEqual({
    type: "object",
    required: ["faults"],
    properties: {
      token_type: { enum: ["lasting", "batch", 1] },
      faults: { type: "object", additionalProperties: { const: "lasting" } },
      keys: { items: { anyOf: [{ properties: { fault: {} } }, true] }, description: 'holds "fault"' },
    },
  });
});
