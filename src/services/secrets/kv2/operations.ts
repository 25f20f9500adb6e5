import { command, type SecretsDecision, type SecretsReading, view, withOthers } from "../declare.ts";
import { integer } from "../fields.ts";
import { keysBelow, refuseRelative, VALUE_PATH, VALUE_PREFIX } from "../kv/paths.ts";
import { objectOf } from "../kv/state.ts";
import { childrenOf, listing } from "../listing.ts";
import { type MountPath, mountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped, storedBeside, warned } from "../reply.ts";
import {
  changeVersions,
  deleteCurrent,
  patchMetadata,
  patchVersion,
  settingsWith,
  storeAt,
  writeMetadata,
  writeVersion,
} from "./decide.ts";
import { CONFIG, METADATA, METADATA_PATCH, READ, VERSIONS, WRITTEN } from "./fields.ts";
import { metadataShown, readVersion, settingsShown, subkeysOf } from "./views.ts";

const ENGINE = { engine: "kv2", evidence: "observed", names: VALUE_PATH } as const;

const CHANGING = { ...ENGINE, fields: VERSIONS } as const;

/** Values with versions (README.md beside this file). */
export const versionedKvOperations = {
  read: view({
    route: "GET /v1/:mount/data/**:path",
    ...ENGINE,
    fields: READ,
    view: (reading, { mount, path, version }) => {
      const { data, metadata } = readVersion(reading, secretAt(reading, mount, path), version, "data");
      return storedBeside(data, { metadata });
    },
  }),
  write: command({
    route: "POST /v1/:mount/data/**:path",
    ...ENGINE,
    keepsData: true,
    fields: WRITTEN,
    exists: (reading, { mount, path }) => secretAt(reading, mount, path) !== undefined,
    decide: (decision, { mount, path, data, options }) => {
      refuseRelative(path);
      if (data === undefined) return refuse("secret_data_missing", {});
      return enveloped(writeVersion(decision, mountPlace(decision.caller, mount), path, data, options?.cas));
    },
  }),
  patch: command({
    route: "PATCH /v1/:mount/data/**:path",
    ...ENGINE,
    keepsData: true,
    fields: WRITTEN,
    decide: (decision, { mount, path, data, options }) => {
      refuseRelative(path);
      if (data === undefined) return refuse("secret_data_missing", {});
      return enveloped(patchVersion(decision, mountPlace(decision.caller, mount), path, data, options?.cas));
    },
  }),
  delete: withOthers(
    command({
      route: "DELETE /v1/:mount/data/**:path",
      ...ENGINE,
      decide: (decision, { mount, path }) => {
        refuseRelative(path);
        deleteCurrent(decision, mountPlace(decision.caller, mount), path);
        return done();
      },
    }),
    { Versions: command({ route: "POST /v1/:mount/delete/**:path", ...CHANGING, decide: changing("delete") }) },
    ({ versions }) => (versions === undefined ? undefined : "Versions"),
  ),
  undelete: command({ route: "POST /v1/:mount/undelete/**:path", ...CHANGING, decide: changing("undelete") }),
  destroy: command({ route: "POST /v1/:mount/destroy/**:path", ...CHANGING, decide: changing("destroy") }),
  subkeys: view({
    route: "GET /v1/:mount/subkeys/**:path",
    ...ENGINE,
    fields: { ...READ, depth: integer },
    view: (reading, { mount, path, version, depth }) => {
      const { data, metadata } = readVersion(reading, secretAt(reading, mount, path), version, "subkeys");
      return enveloped({ subkeys: subkeysOf(objectOf(data), depth), metadata });
    },
  }),
  metadata: {
    list: view({
      route: "LIST /v1/:mount/metadata/**:prefix",
      ...ENGINE,
      names: VALUE_PREFIX,
      view: (reading, { mount, prefix }) =>
        listing(childrenOf(storeAt(reading, mountPlace(reading.caller, mount)).secrets, keysBelow(prefix))),
    }),
    read: view({
      route: "GET /v1/:mount/metadata/**:path",
      ...ENGINE,
      view: (reading, { mount, path }) =>
        enveloped(metadataShown(secretAt(reading, mount, path) ?? refuse("not_found", {}))),
    }),
    write: command({
      route: "POST /v1/:mount/metadata/**:path",
      ...ENGINE,
      fields: METADATA,
      exists: (reading, { mount, path }) => secretAt(reading, mount, path) !== undefined,
      decide: (decision, { mount, path, ...fields }) => {
        refuseRelative(path);
        return warned(writeMetadata(decision, mountPlace(decision.caller, mount), path, fields));
      },
    }),
    patch: command({
      route: "PATCH /v1/:mount/metadata/**:path",
      ...ENGINE,
      fields: METADATA_PATCH,
      decide: (decision, { mount, path, ...fields }) => {
        refuseRelative(path);
        return warned(patchMetadata(decision, mountPlace(decision.caller, mount), path, fields));
      },
    }),
    delete: command({
      route: "DELETE /v1/:mount/metadata/**:path",
      ...ENGINE,
      decide: (decision, { mount, path }) => {
        const at = mountPlace(decision.caller, mount);
        if (storeAt(decision, at).secrets.has(path)) {
          decision.record({ type: "SecretMetadataDeleted", data: { at, path } });
        }
        return done();
      },
    }),
  },
  config: {
    read: view({
      route: "GET /v1/:mount/config",
      ...ENGINE,
      view: (reading, { mount }) =>
        enveloped(settingsShown(storeAt(reading, mountPlace(reading.caller, mount)).config)),
    }),
    write: command({
      route: "POST /v1/:mount/config",
      ...ENGINE,
      fields: CONFIG,
      decide: (decision, { mount, ...fields }) => {
        if (Object.keys(fields).length === 0) return done();
        const at = mountPlace(decision.caller, mount);
        const config = settingsWith(storeAt(decision, at).config, fields);
        decision.record({ type: "VersionedKvConfigured", data: { at, config } });
        return done();
      },
    }),
  },
};

/** What changes the versions that are listed. */
function changing(move: "delete" | "undelete" | "destroy") {
  return (decision: SecretsDecision, { mount, path, versions }: ListedVersions) => {
    changeVersions(decision, mountPlace(decision.caller, mount), path, move, versions);
    return done();
  };
}

interface ListedVersions {
  readonly mount: MountPath;
  readonly path: string;
  readonly versions?: readonly number[];
}

function secretAt(reading: SecretsReading, mount: MountPath, path: string) {
  return storeAt(reading, mountPlace(reading.caller, mount)).secrets.get(path);
}
