import { isObject } from "../../../languages/objects.ts";
import { renamed, renamedIdentifier, renamedValue } from "../../../languages/vocabulary/rename.ts";
import {
  free,
  identifier,
  keyed,
  membersOf,
  record,
  type Speech,
  sorted,
  type Turn,
  texts,
  textsOf,
  value,
  values,
} from "../../../languages/vocabulary/shape.ts";
import type { ServiceWords } from "../../../languages/vocabulary/words.ts";
import { renamedSnapshotUrl } from "../../../surroundings/stores/words.ts";
import { PAGES, type PathContext, renamedMount, renamedPath } from "./path.ts";

type PathTurn = Turn<PathContext>;

export const path: PathTurn = textsOf((text, { words, context, to }) => renamedPath(words, context, text, to));

/** The path of a mount, or of a namespace, or of what lies below one. */
export const mountPath: PathTurn = textsOf((text, { words, to }) => renamedMount(words, text, to));

/** A path, and a name that nobody chose behind it. */
export const lease: PathTurn = textsOf((text, { words, context, to }) => {
  const slash = text.lastIndexOf("/");
  return slash < 0 ? text : renamedPath(words, context, text.slice(0, slash), to) + text.slice(slash);
});

/** `<type>_` and eight digits (decisions-secrets-core.md, D.2 "Mount object"). Those of tokens have no such form. */
const accessor: PathTurn = textsOf((text, { words, to }) => {
  const [, auth = "", type, digits] = /^(auth_)?(.+)_([0-9a-f]{8})$/.exec(text) ?? [];
  if (type === undefined || digits === undefined) return text;
  return `${auth}${renamedValue(words, "type", type, to)}_${digits}`;
});

/** What the token of a login is called: by the path of its method first. */
export const displayName: PathTurn = textsOf((text, { words, to }) => {
  const [, method, rest] = /^([^-]+)(-.*)?$/.exec(text) ?? [];
  return method === undefined || method === "token" ? text : renamed(words.segments, method, to) + (rest ?? "");
});

/** The URL of a snapshot: its scheme, and what its file begins with, are words of the service (decisions-secrets-core.md, B.3). */
export const snapshotUrl: PathTurn = textsOf((text, { words, to }) => renamedSnapshotUrl(words, text, to));

/** A URL of a provider, or of its authorization page: the path is one of the namespace that answers (decisions-oidc.md, 8 and 9). */
export const providerUrl: PathTurn = textsOf((text, { words, context, to }) => {
  const [, origin, given] = /^([a-z]+:\/\/[^/]*)(\/.*)$/is.exec(text) ?? [];
  if (origin === undefined || given === undefined) return text;
  const neutral = to === "own" ? given : renamedIdentifier(words, given, to);
  const { namespace = "" } = context.at;
  const root = ROOTS.map((known) => known + namespace).find((known) => neutral.startsWith(known));
  if (root === undefined) return text;
  const shown = to === "own" ? renamedIdentifier(words, root, to) : root;
  return origin + shown + renamedPath(words, context, neutral.slice(root.length), to);
});

const ROOTS = ["/v1/", PAGES];

/** Labels of objects that are generated, as an object or as a list of `key=value` (decisions-orchestrator.md, 3). */
const labels: PathTurn = (content, speech) => {
  const { words, to } = speech;
  if (Array.isArray(content)) {
    return content.map((item: unknown) => {
      const [, name, worth] = typeof item === "string" ? (/^([^=]*)=(.*)$/s.exec(item) ?? []) : [];
      if (name === undefined || worth === undefined) return item;
      return labelled(words, [name, worth], to).join("=");
    });
  }
  if (!isObject(content)) return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, worth]) =>
      typeof worth === "string" ? labelled(words, [name, worth], to) : [renamed(words.fields, name, to), worth],
    ),
  );
};

/** A label in other words. */
function labelled(
  words: ServiceWords,
  [name, worth]: readonly [name: string, worth: string],
  to: "own" | "neutral",
): [name: string, worth: string] {
  const other = renamed(words.fields, name, to);
  return [other, renamedValue(words, to === "own" ? name : other, worth, to)];
}

/** What members hold, by their neutral names, in requests and in answers alike. All others are names of callers, numbers and times. */
const MEMBERS: { readonly [name: string]: PathTurn } = {
  lease_id: lease,
  path,
  creation_path: path,
  mount_path: mountPath,
  paths: mountPath,
  dynamic_filtered_mounts: mountPath,

  token: identifier,
  jti: identifier,
  client_token: identifier,
  borrower_client_token: identifier,
  dr_operation_token: identifier,
  access_token: identifier,
  client_secret: identifier,
  accessor,
  mount_accessor: accessor,
  mount_id: accessor,
  counts: keyed(accessor, free),

  last_snapshot_url: snapshotUrl,
  snapshot_url: snapshotUrl,
  issuer: providerUrl,
  authorization_endpoint: providerUrl,
  token_endpoint: providerUrl,
  userinfo_endpoint: providerUrl,
  jwks_uri: providerUrl,

  type: value,
  mount_type: value,
  token_type: value,
  client_type: value,
  schema: value,
  storage_type: value,
  file_prefix: value,
  mode: value,
  state: value,
  connection_status: value,
  replication_performance_mode: value,
  replication_dr_mode: value,
  tree_type: value,
  orchestrator_role_type: value,
  tls_min_version: value,
  tls_max_version: value,
  algorithm: value,
  grant_type: value,
  response_type: value,
  code_challenge_method: value,
  audiences: values,
  token_default_audiences: values,

  warnings: texts,
  errors: texts,
  error_description: texts,

  extra_labels: labels,
  extra_annotations: free,
  additional_metadata: free,
  metadata: free,
  custom_metadata: free,
  meta: free,
  options: free,
  policy: free,
  template: free,
  wrap_info: (content, speech, field) => shownRecord(content, speech, field),
  // By the names or the ids of what is listed.
  key_info: (content, speech, field) => byName(content, speech, field),
};

/** An object of the service as requests and answers have it. */
export const shownRecord: PathTurn = record(membersOf(MEMBERS));

/** The same, where some members hold something else. */
export function recordWith(members: { readonly [name: string]: PathTurn }): PathTurn {
  return record(membersOf({ ...MEMBERS, ...members }));
}

/** The fields that a neutral name is told by, for whoever asks which words there are. */
export const MEMBER_NAMES: readonly string[] = Object.keys(MEMBERS);

export const byMount: PathTurn = keyed(mountPath, shownRecord);
export const byName: PathTurn = keyed(free, shownRecord);

/** What a bearer may do, by path (decisions-secrets-core.md, D.1). */
export const byPath: PathTurn = (content, speech, field) => {
  if (!isObject(content)) return content;
  const { capabilities, ...paths } = content;
  const shown = keyed(path, sorted(value))(paths, speech, field) as object;
  return capabilities === undefined ? shown : { ...shown, ...capabilitiesIn(capabilities, speech) };
};

function capabilitiesIn(content: unknown, speech: Speech<PathContext>): object {
  return { [renamed(speech.words.fields, "capabilities", speech.to)]: sorted(value)(content, speech, "capabilities") };
}
