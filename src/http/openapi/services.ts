import type { ServiceModule } from "../../services/kit/module.ts";
import { describedOperation } from "../../services/kit/openapi.ts";
import { type OpenApiDocument, openApiDocument } from "./document.ts";

/**
 * The OpenAPI 3.1 document of a service, made from its operations table.
 *
 * @param url where the service answers
 * @param version that of this library
 */
export function serviceDocument(
  { registry, openapi: { described, ...head } }: Pick<ServiceModule<never>, "registry" | "openapi">,
  url: string,
  version: string,
): OpenApiDocument {
  const description = "Simulated by hindcast. `x-hindcast-evidence` tells how far an answer can be trusted.";
  const operations = [...registry.byName].map(([name, operation]) =>
    describedOperation(name, operation, described(operation as never, name)),
  );
  return openApiDocument({ ...head, version, description, url }, operations);
}
