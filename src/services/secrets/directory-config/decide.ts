import { parentDn } from "../../../languages/ldif/dn.ts";
import { type DirectorySchema, passwordAttributes } from "../../../surroundings/directory/passwords.ts";
import { bindEntry, type DirectoryName, directoryName } from "../../../surroundings/directory/session.ts";
import type { SecretsDecision } from "../declare.ts";
import type { MountPlace } from "../place.ts";
import { failKeepingFacts, refuse } from "../rejections.ts";
import { directoryAt } from "../world.ts";
import { bindNameOf, rotateOwnPassword } from "./rotate.ts";
import { type DirectoryConfig, TLS_VERSIONS, type TlsVersion } from "./state.ts";

/** What a configuration is written with: absent members keep their value, but for `length`. */
export interface WrittenConfig {
  readonly binddn?: string | undefined;
  readonly bindpass?: string | undefined;
  readonly url?: string | undefined;
  readonly userdn?: string | undefined;
  readonly userattr?: string | undefined;
  readonly upndomain?: string | undefined;
  readonly schema?: string | undefined;
  readonly passwordPolicy?: string | undefined;
  readonly length?: number | undefined;
  readonly starttls?: boolean | undefined;
  readonly insecureTls?: boolean | undefined;
  readonly certificate?: string | undefined;
  readonly clientTlsCert?: string | undefined;
  readonly clientTlsKey?: string | undefined;
  readonly tlsMinVersion?: string | undefined;
  readonly tlsMaxVersion?: string | undefined;
  readonly requestTimeoutSeconds?: number | undefined;
  readonly connectionTimeoutSeconds?: number | undefined;
  readonly skipStaticRoleImportRotation?: boolean | undefined;
}

const DEFAULT_PASSWORD_LENGTH = 64;

/** What a new configuration has where nothing is given. */
const DEFAULTS = {
  binddn: "",
  bindpass: "",
  url: "ldap://127.0.0.1",
  userdn: "",
  upndomain: "",
  schema: "open-dir",
  passwordPolicy: "",
  starttls: false,
  insecureTls: false,
  certificate: "",
  clientTlsCert: "",
  clientTlsKey: "",
  tlsMinVersion: "tls12",
  tlsMaxVersion: "tls12",
  requestTimeoutSeconds: 90,
  connectionTimeoutSeconds: 30,
  skipStaticRoleImportRotation: false,
} as const;

const DEFAULT_USER_ATTRIBUTE: Readonly<Record<DirectorySchema, string>> = {
  "open-dir": "cn",
  ad: "userPrincipalName",
  racf: "racfid",
};

/**
 * Writes an engine's configuration: what is sent changes, the rest stays. The first check that fails ends it, and nothing is
 * stored. The directory is not contacted.
 *
 * Source: decisions-directory.md, 3; the checks are in the order of its table.
 */
export function writeConfig(decision: SecretsDecision, at: MountPlace, written: WrittenConfig): void {
  const stored = directoryAt(decision.state, at)?.config;
  const merged = { ...DEFAULTS, ...stored, ...defined(written) };
  refuseCertificates(merged);
  const { tlsMinVersion, tlsMaxVersion } = tlsVersions(merged);
  if (merged.url === "") refuse("url_missing", {});
  if (merged.binddn === "" || merged.bindpass === "") refuse("bind_account_missing", {});
  const schema = schemaOf(merged.schema);
  if (written.length !== undefined && merged.passwordPolicy !== "") refuse("length_and_policy", {});
  const config: DirectoryConfig = {
    ...merged,
    url: merged.url.toLowerCase(),
    userattr: written.userattr ?? stored?.userattr ?? DEFAULT_USER_ATTRIBUTE[schema],
    schema,
    tlsMinVersion,
    tlsMaxVersion,
    // 0 is unset, too.
    length: written.length || DEFAULT_PASSWORD_LENGTH,
  };
  if (stored === undefined) makeBindAccount(decision, config);
  makeContainers(decision, config.binddn);
  decision.record({ type: "DirectoryConfigured", data: { at, config } });
}

function defined<T extends object>(written: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function refuseCertificates(config: {
  readonly certificate: string;
  readonly clientTlsCert: string;
  readonly clientTlsKey: string;
}): void {
  if (config.certificate !== "" && !isPemCertificate(config.certificate)) refuse("certificate_invalid", {});
  if ((config.clientTlsCert === "") !== (config.clientTlsKey === "")) refuse("client_certificate_incomplete", {});
  if (config.clientTlsCert === "") return;
  const isPair =
    isPemCertificate(config.clientTlsCert) && KEY_LABELS.some((label) => isPem(config.clientTlsKey, label));
  if (!isPair) refuse("client_certificate_invalid", {});
}

/** Kinds of private keys. Our choice: whether one belongs to its certificate is not looked at (amendments.md, S43). */
const KEY_LABELS = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"];

function isPemCertificate(text: string): boolean {
  return isPem(text, "CERTIFICATE");
}

function isPem(text: string, label: string): boolean {
  const opening = `-----BEGIN ${label}-----`;
  const begin = text.indexOf(opening);
  const end = text.indexOf(`-----END ${label}-----`, begin);
  if (begin < 0 || end < 0) return false;
  const content = text.slice(begin + opening.length, end);
  return content.trim() !== "" && /^[A-Za-z0-9+/=\s]*$/.test(content);
}

function tlsVersions(config: { readonly tlsMinVersion: string; readonly tlsMaxVersion: string }): {
  readonly tlsMinVersion: TlsVersion;
  readonly tlsMaxVersion: TlsVersion;
} {
  const tlsMinVersion = TLS_VERSIONS.find((version) => version === config.tlsMinVersion);
  if (tlsMinVersion === undefined) return refuse("tls_version_unknown", { field: "tls_min_version" });
  const tlsMaxVersion = TLS_VERSIONS.find((version) => version === config.tlsMaxVersion);
  if (tlsMaxVersion === undefined) return refuse("tls_version_unknown", { field: "tls_max_version" });
  if (TLS_VERSIONS.indexOf(tlsMaxVersion) < TLS_VERSIONS.indexOf(tlsMinVersion)) refuse("tls_versions_crossed", {});
  return { tlsMinVersion, tlsMaxVersion };
}

function schemaOf(schema: string): DirectorySchema {
  if (schema === "open-dir" || schema === "ad" || schema === "racf") return schema;
  return refuse("schema_invalid", { schema });
}

/**
 * Makes the entry that the engine binds as, if the directory has none: decisions-directory.md, 2.
 *
 * Our choice: a `binddn` that is no DN, as `ad` allows with `upndomain`, is found by its user principal name, and made as
 * an entry of that common name.
 */
function makeBindAccount(decision: SecretsDecision, config: DirectoryConfig): void {
  const name = directoryName(bindNameOf(config));
  const bySpelling = directoryName(config.binddn);
  const { directory } = decision.state;
  if (bindEntry(directory, name) !== undefined || bindEntry(directory, bySpelling) !== undefined) return;
  const dn = isEntryName(bySpelling) ? config.binddn : `cn=${escapedValue(config.binddn)}`;
  const made = directoryName(dn);
  // Longer than a DN can be: no entry has such a name, so nobody binds by it.
  if (made.dn === undefined) return;
  // A DN with a domain behind it reads as a DN, too.
  const principal =
    isEntryName(name) && name.text === config.binddn ? [] : [{ name: "userPrincipalName", values: [name.text] }];
  const attributes = [...principal, ...passwordAttributes(config.schema, config.bindpass)];
  decision.record({ type: "DirectoryEntryAdded", data: { entry: made.dn, dn, attributes } });
}

/** Every ancestor of a configured `binddn` can be searched from, for good: decisions-directory.md, 2. */
function makeContainers(decision: SecretsDecision, binddn: string): void {
  const { dn } = directoryName(binddn);
  const above = dn === undefined ? undefined : parentDn(dn);
  if (above === undefined || above === "" || decision.state.directory.containers.has(above)) return;
  decision.record({ type: "DirectorySuffixAdded", data: { entry: above } });
}

/** Blank text is a DN as well, that of the root above all entries. */
function isEntryName({ dn }: DirectoryName): boolean {
  return dn !== undefined && dn !== "";
}

/** A value of a name with everything escaped that separates names or cannot stand in one (RFC 4514, 2.4). */
function escapedValue(value: string): string {
  return value.replace(/[\\,+"<>;=#]/g, (character) => `\\${character}`).replaceAll("\0", "\\00");
}

/** Gives the bind account a new password, by its DN, and keeps it (decisions-directory.md, 6). */
export function rotateBindPassword(decision: SecretsDecision, at: MountPlace): void {
  if (directoryAt(decision.state, at)?.config === undefined) refuse("bind_config_missing", {});
  const rotated = rotateOwnPassword(decision, at);
  const password = rotated.ok ? rotated.password : failKeepingFacts("bind_rotation_failed", { reason: rotated.reason });
  decision.record({ type: "BindPasswordRotated", data: { at, password } });
}

/** Forgets the configuration; sets and leases stay, and what needs it fails until it is written again. */
export function deleteConfig(decision: SecretsDecision, at: MountPlace): void {
  if (directoryAt(decision.state, at)?.config === undefined) return;
  decision.record({ type: "DirectoryConfigurationDeleted", data: { at } });
}
