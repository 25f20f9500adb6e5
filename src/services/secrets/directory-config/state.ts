import type { EpochMs } from "../../../kernel/brand.ts";
import type { Flat } from "../../../kernel/draft.ts";
import type { FlatEvolvers } from "../../../kernel/evolvers.ts";
import type { DirectorySchema } from "../../../surroundings/directory/passwords.ts";
import type { InMount } from "../place.ts";

/** How an engine uses the directory (decisions-directory.md, 3). */
export interface DirectoryConfig {
  readonly binddn: string;
  readonly bindpass: string;
  /** The one before the last rotation: for a while it is tried as well. */
  readonly previousBindpass?: string;
  /** Lower-case; several are separated by commas. */
  readonly url: string;
  readonly userdn: string;
  readonly userattr: string;
  readonly upndomain: string;
  readonly schema: DirectorySchema;
  readonly passwordPolicy: string;
  /** In force unless there is a password policy. */
  readonly length: number;
  readonly starttls: boolean;
  readonly insecureTls: boolean;
  readonly certificate: string;
  readonly clientTlsCert: string;
  readonly clientTlsKey: string;
  readonly tlsMinVersion: TlsVersion;
  readonly tlsMaxVersion: TlsVersion;
  readonly requestTimeoutSeconds: number;
  readonly connectionTimeoutSeconds: number;
  readonly skipStaticRoleImportRotation: boolean;
  readonly lastBindPasswordRotationMs?: EpochMs;
}

/** Oldest first. */
export const TLS_VERSIONS = ["tls10", "tls11", "tls12", "tls13"] as const;
export type TlsVersion = (typeof TLS_VERSIONS)[number];

export interface DirectoryConfigSlice {
  readonly config?: DirectoryConfig;
}

/** The facts of a directory engine's configuration. */
export interface DirectoryConfigEvents {
  DirectoryConfigured: InMount & { readonly config: DirectoryConfig };
  DirectoryConfigurationDeleted: InMount;
  /** The bind account has a new password, which nobody can read. */
  BindPasswordRotated: InMount & { readonly password: string };
}

export const directoryConfigEvolvers: FlatEvolvers<DirectoryConfigSlice, DirectoryConfigEvents> = {
  DirectoryConfigured: (mount: Flat<DirectoryConfigSlice>, { config }) => {
    mount.config = config;
  },
  BindPasswordRotated: (mount: Flat<DirectoryConfigSlice>, { password }, { atMs }) => {
    const { config } = mount;
    if (config === undefined) return;
    mount.config = {
      ...config,
      bindpass: password,
      previousBindpass: config.bindpass,
      lastBindPasswordRotationMs: atMs,
    };
  },
  DirectoryConfigurationDeleted: (mount: Flat<DirectoryConfigSlice>) => {
    delete mount.config;
  },
};
