import type { Plain } from "../../../../kernel/plain.ts";
import { decrypted } from "../../../../languages/jws/encrypted.ts";
import type { SecretsReading } from "../../declare.ts";
import { clusterOf } from "../../world.ts";
import { readClaims } from "../../wrapping/jwt.ts";
import { clusterAtApi } from "../addresses.ts";
import { roleOf } from "../roles.ts";
import { activationNamed, type ReplicationKind } from "../state.ts";
import { type OpenClaims, readOpenClaims } from "./claims.ts";
import { secondaryKeyOf } from "./public-key.ts";
import { isGenuine } from "./render.ts";

/** What was found out about an activation token before the decision; nothing about one that is as it should be. */
export type PreparedToken = { readonly opened: OpenClaims } | { readonly fault: "unreadable" | "forged" };

type Asked = Omit<SecretsReading, "draw">;
type Input = { readonly [name: string]: Plain | undefined };

/** Opens a token that is encrypted, and checks the signature of one that is not. */
export function prepareToken(
  kind: ReplicationKind,
): (asked: Asked, input: Input) => Promise<Plain | undefined> | undefined {
  return (asked, { token, primary_api_addr }) => {
    if (typeof token !== "string" || token === "") return undefined;
    if (token.split(".").length === 5) return opened(asked, kind, token);
    const claims = readClaims(asked, token);
    if (claims === undefined) return undefined;
    const address = typeof primary_api_addr === "string" && primary_api_addr !== "" ? primary_api_addr : claims.addr;
    return checked(asked, kind, token, { jti: claims.jti, address });
  };
}

async function opened(asked: Asked, kind: ReplicationKind, token: string): Promise<PreparedToken> {
  const key = secondaryKeyOf(clusterOf(asked.state, asked.caller.cluster), kind);
  const text = key === undefined ? undefined : await decrypted(token, key.seed);
  const claims = text === undefined ? undefined : readOpenClaims(asked, text);
  return claims === undefined ? { fault: "unreadable" } : { opened: claims };
}

/** One that nobody made is none, whatever its signature: that is found out without it. */
async function checked(
  { state }: Asked,
  kind: ReplicationKind,
  token: string,
  { jti, address }: { readonly jti: string; readonly address: string },
): Promise<PreparedToken | undefined> {
  const primary = clusterAtApi(state, address);
  if (primary === undefined) return undefined;
  const cluster = clusterOf(state, primary);
  const [, activation] = activationNamed(roleOf(cluster, kind), jti) ?? [];
  if (activation === undefined) return undefined;
  return isGenuine(token, activation, cluster.ignored.seal) ? undefined : { fault: "forged" };
}
