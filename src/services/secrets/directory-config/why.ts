import { argument, argumentsTogether, type Fact, fact } from "../../kit/why.ts";
import { directoryFacts } from "../auth/why.ts";
import { gone, inMount, mountAsked, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { directoryAt } from "../world.ts";
import type { DirectoryConfigRefusals } from "./rejections.ts";

/** The configuration of the engine that was asked, or what became of it. */
export function configFact(met: SecretsMet): Fact {
  const mount = mountAsked(met);
  const config = directoryAt(met.state, { ...met.caller, mount })?.config;
  if (config === undefined) {
    return gone(
      "configured",
      `configuration of ${mount}`,
      met.past.last("DirectoryConfigurationDeleted", inMount(met)),
    );
  }
  const written = met.past.last("DirectoryConfigured", inMount(met));
  return there("configured", `${mount} asks ${config.url} as ${config.binddn}`, written);
}

/** Why a configuration of a directory engine is refused. */
export const directoryConfigWhy: SecretsExplainers<DirectoryConfigRefusals> = {
  certificate_invalid: argument("certificate", "a certificate as PEM"),
  client_certificate_invalid: argumentsTogether(["client_tls_cert", "client_tls_key"], "a certificate and its key"),
  client_certificate_incomplete: argumentsTogether(["client_tls_cert", "client_tls_key"], "both or none"),
  tls_version_unknown: (met, { field }) => argument(field, "tls10, tls11, tls12 or tls13")(met, {}),
  tls_versions_crossed: argumentsTogether(["tls_min_version", "tls_max_version"], "a minimum below the maximum"),
  url_missing: argument("url", "where the directory answers"),
  bind_account_missing: argumentsTogether(["binddn", "bindpass"], "who asks the directory"),
  schema_invalid: (_, { schema }) => [fact("argument", `schema is ${JSON.stringify(schema)}: openldap, ad or racf`)],
  length_and_policy: argumentsTogether(["length", "password_policy"], "only one of them"),
  bind_config_missing: (met) => [configFact(met)],
  bind_rotation_failed: (met, { reason }) => [fact("directory", reason), ...directoryFacts(met), configFact(met)],
};
