import { describe, expect, it } from "vitest";
import { HASHICORP } from "../../../src/languages/vocabulary/hashicorp.ts";
import { readTables } from "../../../src/languages/vocabulary/read.ts";
import { renamed, renamedIdentifier, renamedText, renamedValue } from "../../../src/languages/vocabulary/rename.ts";
import { SCOPES } from "../../../src/languages/vocabulary/vocabulary.ts";
import { type ServiceWords, wordsOfVocabulary } from "../../../src/languages/vocabulary/words.ts";
import { SERVICE_NAMES as SERVICES } from "../../../src/simulator/options.ts";
import { readVocabulary } from "../../support/world.ts";

// vocabularies.md, row by row, as the table there has them.

const SERVICE_ROWS = {
  secrets: {
    headers:
      "X-Secrets-Token X-Vault-Token, X-Secrets-Namespace X-Vault-Namespace, X-Secrets-Wrap-TTL X-Vault-Wrap-TTL, X-Secrets-Wrap-Format X-Vault-Wrap-Format, X-Secrets-Request X-Vault-Request",
    segments: "orchestrator kubernetes",
    fields: `orchestrator_host kubernetes_host, orchestrator_ca_cert kubernetes_ca_cert, orchestrator_role_name kubernetes_role_name,
      orchestrator_role_type kubernetes_role_type, orchestrator_namespace kubernetes_namespace,
      allowed_orchestrator_namespaces allowed_kubernetes_namespaces,
      allowed_orchestrator_namespace_selector allowed_kubernetes_namespace_selector,
      app.orchestrator.io/managed-by app.kubernetes.io/managed-by, app.orchestrator.io/created-by app.kubernetes.io/created-by,
      orchestrator.io kubernetes.io,
      last_secrets_rotation last_vault_rotation,
      cloud1_bucket aws_s3_bucket, cloud1_region aws_s3_region, cloud1_access_key_id aws_access_key_id,
      cloud1_secret_access_key aws_secret_access_key, cloud1_session_token aws_session_token, cloud1_endpoint aws_s3_endpoint,
      cloud1_disable_tls aws_s3_disable_tls, cloud1_force_path_style aws_s3_force_path_style, cloud1_enable_kms aws_s3_enable_kms,
      cloud1_server_side_encryption aws_s3_server_side_encryption, cloud1_kms_key aws_s3_kms_key,
      cloud2_bucket google_gcs_bucket, cloud2_service_account_key google_service_account_key, cloud2_endpoint google_endpoint,
      cloud2_disable_tls google_disable_tls,
      cloud3_container_name azure_container_name, cloud3_account_name azure_account_name, cloud3_account_key azure_account_key,
      cloud3_blob_environment azure_blob_environment, cloud3_endpoint azure_endpoint`,
    values: `orchestrator kubernetes, app.orchestrator.io/managed-by=secrets HashiCorp-Vault,
      app.orchestrator.io/created-by=secrets-engine-orchestrator vault-plugin-secrets-kubernetes,
      https://orchestrator.default.svc.cluster.local https://kubernetes.default.svc.cluster.local,
      cloud1-bucket aws-s3, cloud2-bucket google-gcs, cloud3-blob azure-blob, open-dir openldap, secrets-snapshot vault-snapshot`,
    prefixes:
      "scs. hvs., b. hvb., oidc_secret_ hvo_secret_, cloud1:// s3://, cloud2:// gs://, cloud3:// azblob://, /ui/secrets/ /ui/vault/",
  },
  scheduler: {
    headers: `X-Scheduler-Token X-Nomad-Token, X-Scheduler-Index X-Nomad-Index, X-Scheduler-KnownLeader X-Nomad-KnownLeader,
      X-Scheduler-LastContact X-Nomad-LastContact, X-Scheduler-NextToken X-Nomad-NextToken`,
    segments: "",
    fields: "",
    values: "kind-a-override sentinel-override",
    prefixes: "",
  },
  runs: {
    headers: "",
    segments: "",
    fields: "engine sentinel, duration-ms duration",
    values: "kind-a sentinel, kind-b opa",
    prefixes: "",
  },
} as const;

type Row = readonly [service: (typeof SERVICES)[number], scope: (typeof SCOPES)[number], neutral: string, own: string];

const ROWS: readonly Row[] = SERVICES.flatMap((service) =>
  SCOPES.flatMap((scope) =>
    SERVICE_ROWS[service][scope]
      .split(",")
      .filter((row) => row.trim() !== "")
      .map((row): Row => {
        const [neutral = "", own = ""] = row.trim().split(/\s+/);
        return [service, scope, neutral, own];
      }),
  ),
);

const words = wordsOfVocabulary(HASHICORP, () => undefined);

describe("the vocabulary hashicorp", () => {
  it.each(ROWS)("%s, %s: %s is %s, and back", (service, scope, neutral, own) => {
    const known = words[service] as ServiceWords;
    const equals = neutral.lastIndexOf("=");
    const [field, value] = equals < 0 ? ["type", neutral] : [neutral.slice(0, equals), neutral.slice(equals + 1)];
    const each = (to: "own" | "neutral", word: string): string => {
      switch (scope) {
        case "headers":
          return renamed(known.headers, word.toLowerCase(), to);
        case "prefixes":
          return renamedIdentifier(known, `${word}abc`, to).slice(0, -3);
        case "values":
          return renamedValue(known, field, word, to);
        default:
          return renamed(known[scope], word, to);
      }
    };
    expect(each("own", value)).toBe(own);
    expect(each("neutral", own)).toBe(value);
  });

  it("has these rows and no others", () => {
    const listed = SERVICES.flatMap((service) =>
      SCOPES.flatMap((scope) =>
        Object.entries(HASHICORP[service]?.[scope] ?? {}).map(([neutral, own]): Row => [service, scope, neutral, own]),
      ),
    );
    expect(listed).toEqual(ROWS);
  });

  it("is well formed and unambiguous, as a table of one's own has to be", () => {
    expect(readVocabulary("vocabulary", HASHICORP)).toEqual(HASHICORP);
    expect(readTables("vocabulary", structuredClone(HASHICORP), SERVICES)).toEqual(HASHICORP);
  });

  it.each(ROWS.filter(([, scope, neutral]) => (scope === "fields" || scope === "values") && !neutral.includes("=")))(
    "%s, %s: an error text says %s as %s",
    (service, _, neutral, own) => {
      const known = words[service] as ServiceWords;
      expect(renamedText(known, `'${neutral}' is missing`, { quoted: true })).toBe(`'${own}' is missing`);
      expect(renamedText(known, `x${neutral} ${neutral}_y`, { quoted: true })).toBe(`x${neutral} ${neutral}_y`);
    },
  );
});
