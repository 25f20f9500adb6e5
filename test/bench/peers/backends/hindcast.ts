import { createSimulator } from "hindcast";
import { type Backend, FIRST } from "./backend.ts";

/** Nothing is written by hand but the policy of the client's token. */
export function hindcastBackend(paths: readonly string[]): Backend {
  const sim = createSimulator({ seed: 7 });
  const { url, rootToken, as, writePolicy, createToken } = sim.secrets.cluster("main");
  const { kv } = as(rootToken);
  for (const path of paths) kv.write({ path, ...FIRST });
  writePolicy("app", 'path "kv/*" { capabilities = ["create", "read", "update", "list"] }');
  const { token } = createToken({ policies: ["app"], ttl: "700h" });
  return { url, token, fetch: sim.fetch };
}
