import { isObject } from "../../../languages/objects.ts";
import type { FieldValues } from "../../kit/operation.ts";
import { type Fields, flag, integer, longInteger, seconds, text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { DEFAULT_FILE_PREFIX, DEFAULT_RETAIN, type SnapshotConfig, type SnapshotStorage } from "./configuration.ts";

// Source of all rules in this file: decisions-secrets-core.md, B.1 "Validation".

export const SNAPSHOT_FIELDS = {
  interval: seconds,
  retain: integer,
  path_prefix: text,
  file_prefix: text,
  storage_type: text,
  local_max_space: longInteger,
  cloud1_bucket: text,
  cloud1_region: text,
  cloud1_access_key_id: text,
  cloud1_secret_access_key: text,
  cloud1_session_token: text,
  cloud1_endpoint: text,
  cloud1_disable_tls: flag,
  cloud1_force_path_style: flag,
  cloud1_enable_kms: flag,
  cloud1_server_side_encryption: flag,
  cloud1_kms_key: text,
  cloud2_bucket: text,
  cloud2_service_account_key: text,
  cloud2_endpoint: text,
  cloud2_disable_tls: flag,
  cloud3_container_name: text,
  cloud3_account_name: text,
  cloud3_account_key: text,
  cloud3_blob_environment: text,
  cloud3_endpoint: text,
} satisfies Fields;

type Given = FieldValues<typeof SNAPSHOT_FIELDS>;

/** A configuration from the fields of a request: what is not there is its default, whatever was configured before. */
export function readConfig(given: Given): SnapshotConfig {
  const { interval, retain = DEFAULT_RETAIN, path_prefix: pathPrefix = "", file_prefix: filePrefix = "" } = given;
  if (interval === undefined) return invalid("interval", "is required");
  // Our choice: the schedule counts whole seconds, so less than one is none.
  if (interval === 0) return invalid("interval", "must be at least a second");
  if (retain < 1) return invalid("retain", "must be at least 1");
  if (pathPrefix === "") return invalid("path_prefix", "is required");
  const endsInSlash = given.storage_type === "cloud2-bucket" || given.storage_type === "cloud3-blob";
  if (endsInSlash && !pathPrefix.endsWith("/")) return invalid("path_prefix", "must end with a slash");
  if (filePrefix.includes("/")) return invalid("file_prefix", "must not contain a slash");
  return {
    intervalSeconds: interval,
    retain,
    pathPrefix,
    filePrefix: filePrefix === "" ? DEFAULT_FILE_PREFIX : filePrefix,
    ...storageOf(given),
  };
}

function storageOf(given: Given): Pick<SnapshotConfig, "storage" | "credentials"> {
  switch (given.storage_type ?? "") {
    case "local":
      return { storage: localStorage(given), credentials: {} };
    case "cloud1-bucket":
      return {
        storage: firstCloud(given),
        credentials: givenOf(given, ["cloud1_access_key_id", "cloud1_secret_access_key", "cloud1_session_token"]),
      };
    case "cloud2-bucket":
      return { storage: secondCloud(given), credentials: givenOf(given, ["cloud2_service_account_key"]) };
    case "cloud3-blob":
      return { storage: thirdCloud(given), credentials: givenOf(given, ["cloud3_account_key"]) };
    case "":
      return invalid("storage_type", "is required");
    default:
      return invalid("storage_type", "must be local, cloud1-bucket, cloud2-bucket or cloud3-blob");
  }
}

function localStorage({ local_max_space: maxSpaceBytes }: Given): SnapshotStorage {
  if (maxSpaceBytes === undefined) return invalid("local_max_space", "is required");
  if (maxSpaceBytes <= 0) return invalid("local_max_space", "must be above 0");
  return { type: "local", maxSpaceBytes };
}

function firstCloud(given: Given): SnapshotStorage {
  const bucket = required(given, "cloud1_bucket");
  const region = required(given, "cloud1_region");
  const enableKms = given.cloud1_enable_kms ?? false;
  const serverSideEncryption = given.cloud1_server_side_encryption ?? false;
  const kmsKey = given.cloud1_kms_key ?? "";
  if (enableKms && serverSideEncryption) {
    return invalid("cloud1_server_side_encryption", "cannot be combined with cloud1_enable_kms");
  }
  if (kmsKey !== "" && !enableKms) return invalid("cloud1_kms_key", "needs cloud1_enable_kms");
  const hasId = isGiven(given.cloud1_access_key_id);
  if (hasId !== isGiven(given.cloud1_secret_access_key)) {
    const [missing, other] = hasId
      ? ["cloud1_secret_access_key", "cloud1_access_key_id"]
      : ["cloud1_access_key_id", "cloud1_secret_access_key"];
    return invalid(missing as keyof Given, `is required with ${other}`);
  }
  return {
    type: "cloud1-bucket",
    bucket,
    region,
    endpoint: given.cloud1_endpoint ?? "",
    disableTls: given.cloud1_disable_tls ?? false,
    forcePathStyle: given.cloud1_force_path_style ?? false,
    enableKms,
    serverSideEncryption,
    kmsKey,
  };
}

function secondCloud(given: Given): SnapshotStorage {
  const bucket = required(given, "cloud2_bucket");
  const key = given.cloud2_service_account_key;
  if (isGiven(key) && !isJsonObject(key)) return invalid("cloud2_service_account_key", "must be a JSON object");
  return {
    type: "cloud2-bucket",
    bucket,
    endpoint: given.cloud2_endpoint ?? "",
    disableTls: given.cloud2_disable_tls ?? false,
  };
}

function thirdCloud(given: Given): SnapshotStorage {
  return {
    type: "cloud3-blob",
    container: required(given, "cloud3_container_name"),
    accountName: given.cloud3_account_name ?? "",
    environment: given.cloud3_blob_environment ?? "",
    endpoint: given.cloud3_endpoint ?? "",
  };
}

function required(given: Given, field: "cloud1_bucket" | "cloud1_region" | "cloud2_bucket" | "cloud3_container_name") {
  const value = given[field];
  return isGiven(value) ? value : invalid(field, "is required");
}

/** An empty text is what an absent one is. */
function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

type Credential =
  | "cloud1_access_key_id"
  | "cloud1_secret_access_key"
  | "cloud1_session_token"
  | "cloud2_service_account_key"
  | "cloud3_account_key";

function givenOf(given: Given, names: readonly Credential[]): { readonly [field: string]: string } {
  const credentials: Record<string, string> = {};
  for (const name of names) {
    const value = given[name];
    if (isGiven(value)) credentials[name] = value;
  }
  return credentials;
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function invalid(field: keyof Given, reason: string): never {
  return refuse("snapshot_config_invalid", { field, reason });
}
