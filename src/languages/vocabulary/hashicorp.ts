import type { Renames, Vocabulary } from "./vocabulary.ts";

// Source of all rows: vocabularies.md.

/** The words that clients in the wild speak. */
export const HASHICORP: Vocabulary = {
  secrets: {
    headers: {
      "X-Secrets-Token": "X-Vault-Token",
      "X-Secrets-Namespace": "X-Vault-Namespace",
      "X-Secrets-Wrap-TTL": "X-Vault-Wrap-TTL",
      "X-Secrets-Wrap-Format": "X-Vault-Wrap-Format",
      // Accepted and ignored.
      "X-Secrets-Request": "X-Vault-Request",
    },
    segments: { orchestrator: "kubernetes" },
    fields: {
      ...inPlaceOf("orchestrator", "kubernetes", [
        "orchestrator_host",
        "orchestrator_ca_cert",
        "orchestrator_role_name",
        "orchestrator_role_type",
        "orchestrator_namespace",
        "allowed_orchestrator_namespaces",
        "allowed_orchestrator_namespace_selector",
      ]),
      "app.orchestrator.io/managed-by": "app.kubernetes.io/managed-by",
      "app.orchestrator.io/created-by": "app.kubernetes.io/created-by",
      "orchestrator.io": "kubernetes.io",
      // amendments.md, S20.
      last_secrets_rotation: "last_vault_rotation",
      cloud1_bucket: "aws_s3_bucket",
      cloud1_region: "aws_s3_region",
      cloud1_access_key_id: "aws_access_key_id",
      cloud1_secret_access_key: "aws_secret_access_key",
      cloud1_session_token: "aws_session_token",
      cloud1_endpoint: "aws_s3_endpoint",
      cloud1_disable_tls: "aws_s3_disable_tls",
      cloud1_force_path_style: "aws_s3_force_path_style",
      cloud1_enable_kms: "aws_s3_enable_kms",
      cloud1_server_side_encryption: "aws_s3_server_side_encryption",
      cloud1_kms_key: "aws_s3_kms_key",
      cloud2_bucket: "google_gcs_bucket",
      cloud2_service_account_key: "google_service_account_key",
      cloud2_endpoint: "google_endpoint",
      cloud2_disable_tls: "google_disable_tls",
      ...inPlaceOf("cloud3", "azure", [
        "cloud3_container_name",
        "cloud3_account_name",
        "cloud3_account_key",
        "cloud3_blob_environment",
        "cloud3_endpoint",
      ]),
    },
    values: {
      orchestrator: "kubernetes",
      "app.orchestrator.io/managed-by=secrets": "HashiCorp-Vault",
      "app.orchestrator.io/created-by=secrets-engine-orchestrator": "vault-plugin-secrets-kubernetes",
      "https://orchestrator.default.svc.cluster.local": "https://kubernetes.default.svc.cluster.local",
      "cloud1-bucket": "aws-s3",
      "cloud2-bucket": "google-gcs",
      "cloud3-blob": "azure-blob",
      "open-dir": "openldap",
      "secrets-snapshot": "vault-snapshot",
    },
    prefixes: {
      "scs.": "hvs.",
      "b.": "hvb.",
      oidc_secret_: "hvo_secret_",
      "cloud1://": "s3://",
      "cloud2://": "gs://",
      "cloud3://": "azblob://",
      "/ui/secrets/": "/ui/vault/",
    },
  },
  scheduler: {
    headers: {
      "X-Scheduler-Token": "X-Nomad-Token",
      "X-Scheduler-Index": "X-Nomad-Index",
      "X-Scheduler-KnownLeader": "X-Nomad-KnownLeader",
      "X-Scheduler-LastContact": "X-Nomad-LastContact",
      "X-Scheduler-NextToken": "X-Nomad-NextToken",
    },
    values: { "kind-a-override": "sentinel-override" },
  },
  // `filter[n][enforcement_level]` needs no row: the contract takes it besides its own spelling.
  runs: {
    fields: { engine: "sentinel", "duration-ms": "duration" },
    values: { "kind-a": "sentinel", "kind-b": "opa" },
  },
};

function inPlaceOf(neutral: string, own: string, names: readonly string[]): Renames {
  return Object.fromEntries(names.map((name) => [name, name.replace(neutral, own)]));
}
