import type { Words } from "../../languages/vocabulary/words.ts";
import type { ServiceModule } from "../../services/kit/module.ts";
import { describedOperation } from "../../services/kit/openapi.ts";
import { type OpenApiDocument, openApiDocument } from "./document.ts";
import { wordedOperation, wordedScheme } from "./worded.ts";

/**
 * The OpenAPI 3.1 document of a service, made from its operations table.
 *
 * @param url where the service answers
 * @param version that of this library
 * @param spoken the words of the world in which it answers (`wordsOf(sim.state)`); without them those of the contract
 */
export function serviceDocument(
  { name: service, registry, openapi, words: naming }: Described,
  url: string,
  version: string,
  spoken?: Words,
): OpenApiDocument {
  const { described, title, security, otherSecurity = {} } = openapi;
  const words = spoken?.[service as keyof Words];
  const schemes = (given: typeof security): typeof security =>
    words === undefined
      ? given
      : Object.fromEntries(Object.entries(given).map(([name, scheme]) => [name, wordedScheme(words, scheme)]));
  const description = "Simulated by hindcast. `x-hindcast-evidence` tells how far an answer can be trusted.";
  const head = { title, security: schemes(security), otherSecurity: schemes(otherSecurity) };
  const operations = [...registry.byName].map(([name, operation]) => {
    const neutral = describedOperation(name, operation, described(operation as never, name));
    return words === undefined ? neutral : wordedOperation(words, naming, neutral);
  });
  return openApiDocument({ ...head, version, description, url }, operations);
}

type Described = Pick<ServiceModule<never>, "name" | "registry" | "openapi" | "words">;
