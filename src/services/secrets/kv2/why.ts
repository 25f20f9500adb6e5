import { argument, fact, textGiven } from "../../kit/why.ts";
import { gone, inMount, mountAsked, type SecretsExplainers, type SecretsMet, there } from "../explaining.ts";
import { mountFact } from "../mounts/why.ts";
import type { VersionedKvRefusals } from "./rejections.ts";

/** Why a store of versions refuses. */
export const versionedKvWhy: SecretsExplainers<VersionedKvRefusals> = {
  kv2_path_invalid: (met, { path }) => [
    fact("argument", `${path} begins with none of data, metadata, delete, undelete, destroy, subkeys and config`),
    mountFact(met, path.slice(0, path.indexOf("/"))),
  ],
  kv_downgrade: (met, { version }) => [
    fact("argument", `options.version is ${version}`),
    mountFact(met, mountAsked(met)),
  ],
  secret_data_missing: argument("data", "the data of the version"),
  versions_missing: argument("versions", "numbers of versions"),
  custom_metadata_invalid: (_, { reason }) => [fact("argument", `custom_metadata: ${reason}`)],
  cas_mismatch: (met, { cas, current }) => [
    fact("argument", `cas is ${cas}, and the current version is ${current}`),
    written(met, current),
  ],
  cas_missing: (met) => [
    fact("argument", "options.cas is not given"),
    there("configured", "cas_required is true", met.past.last("VersionedKvConfigured", inMount(met))),
  ],
  secret_version_gone: (met, { metadata }) => {
    const fits = ofPath(met, metadata.version);
    const destroyed = met.past.last("SecretVersionDestroyed", fits);
    if (destroyed !== undefined) return [there("version", `version ${metadata.version} is destroyed`, destroyed)];
    const end = met.past.last("SecretVersionDeleted", fits);
    const due = metadata.deletion_time === "" ? "" : ` at ${metadata.deletion_time}`;
    return end === undefined
      ? [fact("version", `version ${metadata.version} ended by itself${due}`), written(met, metadata.version)]
      : [gone("version", `version ${metadata.version}`, end)];
  },
};

function ofPath(met: SecretsMet, version: number) {
  const path = textGiven(met, "path");
  return (
    data: Parameters<ReturnType<typeof inMount>>[0] & { readonly path: string; readonly version: number },
  ): boolean => inMount(met)(data) && data.path === path && data.version === version;
}

function written(met: SecretsMet, version: number) {
  return there("version", `version ${version}`, met.past.last("SecretVersionWritten", ofPath(met, version)));
}
