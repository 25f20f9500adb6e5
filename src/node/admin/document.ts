import { type OpenApiDocument, openApiDocument } from "../../http/openapi/document.ts";
import { answer, type Described } from "../../services/kit/openapi.ts";
import type { Simulator } from "../../simulator/types.ts";
import { VERSION } from "../../simulator/version.ts";
import { controlPaths, HANDLE_FORM } from "./control-calls.ts";
import type { RouteShape } from "./route.ts";
import { SHAPES, shape } from "./shapes.ts";

const JSON_TYPE = "application/json";

const REFUSED = answer("refused", JSON_TYPE, shape("Error"));

/**
 * The OpenAPI 3.1 document of the admin path: its routes, and every call of the control surface.
 *
 * @param base where calls are: the path of a world among others
 */
export function adminDocument(sim: Simulator, url: string, routes: readonly RouteShape[], base = ""): OpenApiDocument {
  const head = {
    title: "hindcast",
    version: VERSION,
    description: "Control of a running simulator: its clock, its history, its faults.",
    url,
    security: { secret: { type: "http", scheme: "bearer" } },
    schemas: SHAPES,
  };
  return openApiDocument(head, [
    ...routes.map(described),
    ...controlPaths(sim).map((path) => describedCall(path, base)),
  ]);
}

function described({
  method,
  path,
  id,
  summary,
  answers = {},
  query = {},
  body,
  required = [],
  type = JSON_TYPE,
  status = 200,
}: RouteShape): Described {
  const words = path
    .replace("/worlds/{world}/", "")
    .split(/\W+/)
    .filter((word) => word !== "");
  return {
    name: id,
    tag: words[0] ?? "index",
    method: method.toLowerCase() as Lowercase<typeof method>,
    path,
    summary,
    parameters: [
      ...captures(path),
      ...Object.entries(query).map(([name, description]) => {
        return { name, in: "query", description, schema: { type: "string" } } as const;
      }),
    ],
    body:
      body === undefined
        ? undefined
        : {
            mediaType: JSON_TYPE,
            required: required.length > 0,
            schema: { type: "object", properties: body, additionalProperties: false, required },
          },
    answers: {
      [status]:
        status === 204
          ? { description: "done" }
          : answer("done", type, type === JSON_TYPE ? answers : { type: "string" }),
      "4XX": REFUSED,
    },
  };
}

function describedCall(path: string, base: string): Described {
  const words = path.replace(/\/\{\w+\}/, "").split("/");
  return {
    name: ["control", ...words.map(capital)].join(""),
    tag: "control",
    method: "post",
    path: `${base}/control/${path}`,
    summary: `sim.${path.replace(/\/(\w+)\/\{\w+\}/, ".$1(...)").replaceAll("/", ".")}`,
    parameters: captures(`${base}/${path}`),
    body: {
      mediaType: JSON_TYPE,
      required: false,
      schema: {
        description: `The only argument, or an array of all; a handle is ${HANDLE_FORM}.`,
      },
    },
    answers: { 200: answer("what the call returned", JSON_TYPE), "4XX": REFUSED },
  };
}

function captures(path: string): Described["parameters"] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name: name as string, in: "path", required: true, schema: { type: "string" } };
  });
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
