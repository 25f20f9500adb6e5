import { rfc3339 } from "../../../languages/instant.ts";
import { command, view } from "../declare.ts";
import { flag, seconds, text, upTo } from "../fields.ts";
import { mountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, enveloped } from "../reply.ts";
import { directoryAt } from "../world.ts";
import { deleteConfig, rotateBindPassword, writeConfig } from "./decide.ts";
import type { DirectoryConfig } from "./state.ts";

/** The configuration of a directory engine (decisions-directory.md, 3). */
export const directoryConfigOperations = {
  read: view({
    route: "GET /v1/:mount/config",
    evidence: "chosen",
    view: ({ state, caller }, { mount }) => {
      const config = directoryAt(state, mountPlace(caller, mount))?.config;
      return config === undefined ? refuse("not_found", {}) : enveloped(shown(config));
    },
  }),
  write: command({
    route: "POST /v1/:mount/config",
    evidence: "chosen",
    fields: {
      binddn: text,
      bindpass: text,
      url: text,
      userdn: text,
      userattr: text,
      upndomain: text,
      schema: text,
      password_policy: text,
      // Our choice: longer passwords than anybody wants are refused, so that none takes long to make.
      length: upTo(4096),
      starttls: flag,
      insecure_tls: flag,
      certificate: text,
      client_tls_cert: text,
      client_tls_key: text,
      tls_min_version: text,
      tls_max_version: text,
      request_timeout: seconds,
      connection_timeout: seconds,
      skip_static_role_import_rotation: flag,
    },
    exists: ({ state, caller }, { mount }) => directoryAt(state, mountPlace(caller, mount))?.config !== undefined,
    decide: (decision, { mount, ...fields }) => {
      writeConfig(decision, mountPlace(decision.caller, mount), {
        binddn: fields.binddn,
        bindpass: fields.bindpass,
        url: fields.url,
        userdn: fields.userdn,
        userattr: fields.userattr,
        upndomain: fields.upndomain,
        schema: fields.schema,
        passwordPolicy: fields.password_policy,
        length: fields.length,
        starttls: fields.starttls,
        insecureTls: fields.insecure_tls,
        certificate: fields.certificate,
        clientTlsCert: fields.client_tls_cert,
        clientTlsKey: fields.client_tls_key,
        tlsMinVersion: fields.tls_min_version,
        tlsMaxVersion: fields.tls_max_version,
        requestTimeoutSeconds: fields.request_timeout,
        connectionTimeoutSeconds: fields.connection_timeout,
        skipStaticRoleImportRotation: fields.skip_static_role_import_rotation,
      });
      return done();
    },
  }),
  rotateRoot: command({
    route: "POST /v1/:mount/rotate-root",
    evidence: "observed",
    decide: (decision, { mount }) => {
      rotateBindPassword(decision, mountPlace(decision.caller, mount));
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/:mount/config",
    evidence: "observed",
    decide: (decision, { mount }) => {
      deleteConfig(decision, mountPlace(decision.caller, mount));
      return done();
    },
  }),
};

/** What a configuration shows of a read: never a password or a client key. */
function shown(config: DirectoryConfig): ConfigShown {
  return {
    binddn: config.binddn,
    url: config.url,
    userdn: config.userdn,
    userattr: config.userattr,
    upndomain: config.upndomain,
    schema: config.schema,
    starttls: config.starttls,
    insecure_tls: config.insecureTls,
    certificate: config.certificate,
    tls_min_version: config.tlsMinVersion,
    tls_max_version: config.tlsMaxVersion,
    case_sensitive_names: false,
    request_timeout: config.requestTimeoutSeconds,
    connection_timeout: config.connectionTimeoutSeconds,
    skip_static_role_import_rotation: config.skipStaticRoleImportRotation,
    ...(config.passwordPolicy === "" ? { length: config.length } : { password_policy: config.passwordPolicy }),
    ...(config.lastBindPasswordRotationMs === undefined
      ? {}
      : { last_bind_password_rotation: rfc3339(config.lastBindPasswordRotationMs) }),
  };
}

export interface ConfigShown {
  binddn: string;
  url: string;
  userdn: string;
  userattr: string;
  upndomain: string;
  schema: string;
  starttls: boolean;
  insecure_tls: boolean;
  certificate: string;
  tls_min_version: string;
  tls_max_version: string;
  case_sensitive_names: boolean;
  request_timeout: number;
  connection_timeout: number;
  skip_static_role_import_rotation: boolean;
  password_policy?: string;
  length?: number;
  last_bind_password_rotation?: string;
}
