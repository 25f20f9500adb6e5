import { createSimulator, type ShownObject, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import type { Fields } from "../driver.ts";

/** Rules of a generated role. */
export const RULES = JSON.stringify({ rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }] });

export const MODES: { readonly [mode in 1 | 2 | 3]: Fields } = {
  1: { service_account_name: "app" },
  2: { orchestrator_role_name: "reader" },
  3: { generated_role_rules: RULES },
};

/** What `creds` gives. */
export interface Credentials {
  readonly lease: string;
  readonly seconds: number;
  readonly warnings: readonly string[];
  readonly name: string;
  readonly jwt: string;
}

/** An orchestrator with a namespace, an engine that may use it, and what tests ask besides the door that they look through. */
export interface OrchestratorTestWorld {
  readonly sim: Simulator;
  /** The root token. */
  readonly root: string;
  /** Writes a role as root, by default one that is allowed everywhere. */
  role(name: string, fields: Fields): Promise<void>;
  /** Asks for credentials in `shop`, as root or as a token. */
  creds(role: string, fields?: Fields, token?: string): Promise<Credentials>;
  /** Objects that were generated, as kinds, in the order of their keys. */
  generated(): readonly ShownObject[];
  kinds(): readonly string[];
}

export function orchestratorWorld(
  more: { readonly configured?: boolean; readonly options?: SimulatorOptions } = {},
): OrchestratorTestWorld {
  const sim = createSimulator({ seed: 7, ...more.options });
  const cluster = sim.secrets.cluster("main");
  const root = cluster.rootToken;
  sim.orchestrator.addNamespace("shop", { labels: { team: "sales", tier: "front" } });
  sim.orchestrator.addServiceAccount("shop", "app");
  if (more.configured ?? true) cluster.as(root).orchestrator.config.write({ orchestrator_host: "https://api.test" });
  const generated = (): readonly ShownObject[] =>
    sim.orchestrator.objects().filter(({ labels }) => "app.orchestrator.io/managed-by" in labels);
  return {
    sim,
    root,
    role: async (name, fields) => {
      await cluster.as(root).orchestrator.roles.write({ name, allowed_orchestrator_namespaces: "*", ...fields });
    },
    creds: async (role, fields = {}, token = root) => {
      const asked = { role, orchestrator_namespace: "shop", ...fields };
      const { lease_id, lease_duration, warnings, data } = await cluster.as(token).orchestrator.creds(asked);
      return {
        lease: lease_id,
        seconds: lease_duration,
        warnings: warnings ?? [],
        name: data.service_account_name,
        jwt: data.service_account_token,
      };
    },
    generated,
    kinds: () => generated().map(({ kind }) => kind),
  };
}

/** The claims of a token, as anybody reads them. */
export function claimsIn(
  jwt: string,
): { readonly [name: string]: unknown } & { readonly exp: number; readonly iat: number } {
  const [, payload = ""] = jwt.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as never;
}
