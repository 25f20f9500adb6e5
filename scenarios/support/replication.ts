import type { ClusterHandle, Simulator } from "../../src/index.ts";

// What operators of replicated clusters do again and again, with nothing but what a cluster answers and the key shares.

export type Kind = "dr" | "performance";

/** An activation token for a secondary, from a primary, by whoever may ask for one. */
export async function activationToken(
  kind: Kind,
  primary: ClusterHandle,
  operator: string,
  id: string,
): Promise<string> {
  const { wrap_info } = await primary.as(operator).replication[kind].secondaryToken({ id });
  if (wrap_info === null) throw new Error(`${primary.name} made a token for ${id} that is not wrapped`);
  return wrap_info.token;
}

/** Makes two clusters that stand alone, or a primary and one that does, a primary and its secondary. */
export async function join(kind: Kind, primary: ClusterHandle, secondary: ClusterHandle): Promise<void> {
  const lead = primary.as(primary.rootToken).replication[kind];
  if (lead.status().data.mode === "disabled") lead.primaryEnable();
  const token = await activationToken(kind, primary, primary.rootToken, secondary.name);
  await secondary.as(secondary.rootToken).replication[kind].secondaryEnable({ token });
}

/** The cast of a story about east: its operator, and the holders of its key shares. */
export function castOfEast(sim: Simulator) {
  const { rootToken, keyShares } = sim.secrets.cluster("east");
  return { operator: rootToken, shares: keyShares };
}

/** How most stories of disasters begin: west becomes the secondary of east. */
export async function westFollowsEast(sim: Simulator) {
  const { east, west } = clustersOf(sim, "east", "west");
  await join("dr", east, west);
  return { east, west };
}

/** A token for what an operator does on a disaster-recovery secondary: the holders of the key shares make it together. */
export async function operationToken(secondary: ClusterHandle, shares: readonly string[]): Promise<string> {
  const { operationToken: generation } = secondary.as().replication.dr;
  const { nonce, otp = "", required } = await generation.start();
  let encoded = "";
  for (const key of shares.slice(0, required)) {
    encoded = (await generation.update({ key, nonce })).encoded_token;
  }
  return decoded(encoded, otp);
}

/** What comes encoded is the token, XORed with the one-time password. */
export function decoded(encoded: string, otp: string): string {
  const bytes = [...atob(encoded)].map((character, index) => character.charCodeAt(0) ^ otp.charCodeAt(index));
  return String.fromCharCode(...bytes);
}

/** Promotes a disaster-recovery secondary. */
export async function promote(secondary: ClusterHandle, shares: readonly string[]): Promise<void> {
  const dr_operation_token = await operationToken(secondary, shares);
  secondary.as().replication.dr.promote({ dr_operation_token });
}

/** Attaches a disaster-recovery secondary to a primary, and gives back what that took: nothing is wiped. */
export async function attach(
  secondary: ClusterHandle,
  primary: ClusterHandle,
  operator: string,
  shares: readonly string[],
): Promise<void> {
  const token = await activationToken("dr", primary, operator, secondary.name);
  const dr_operation_token = await operationToken(secondary, shares);
  const { dr } = secondary.as().replication;
  await dr.updatePrimary({ token, dr_operation_token });
  dr.operationToken.delete({ dr_operation_token });
}

/** What a primary says of itself. */
export function primaryStatus(cluster: ClusterHandle, kind: Kind) {
  const { data } = cluster.as().replication[kind].status();
  if (data.mode !== "primary") throw new Error(`expected ${cluster.name} to be a primary, but it is ${data.mode}`);
  return data;
}

/** What a secondary says of itself. */
export function secondaryStatus(cluster: ClusterHandle, kind: Kind) {
  const { data } = cluster.as().replication[kind].status();
  if (data.mode !== "secondary") throw new Error(`expected ${cluster.name} to be a secondary, but it is ${data.mode}`);
  return data;
}

/** A token that may do anything on a cluster, as its key shares would make one: those of other clusters are worth nothing there. */
export function rootOf(cluster: ClusterHandle): string {
  return cluster.createToken({ policies: ["root"] }).token;
}

/** The handles of clusters by name. */
export function clustersOf<N extends string>(sim: Pick<Simulator, "secrets">, ...names: N[]): Record<N, ClusterHandle> {
  const handles = names.map((name) => [name, sim.secrets.cluster(name)] as const);
  return Object.fromEntries(handles) as Record<N, ClusterHandle>;
}

/** What stands at a path of the kv mount, for the bearer of a token. */
export function kept(cluster: ClusterHandle, token: string, path: string): unknown {
  return cluster.as(token).kv.read({ path }).data;
}

/** How often a cluster was emptied to become a secondary. */
export function timesWiped(sim: Simulator, name: string): number {
  const joined = sim.log.events().filter(({ type }) => type === "ReplicationSecondaryEnabled");
  return joined.filter(({ data }) => (data as { readonly cluster: string }).cluster === name).length;
}

/** What was sent with the last call of a name, as the log has it. */
export function lastInput(sim: Simulator, command: string): Readonly<Record<string, unknown>> {
  const commit = sim.log.commits().findLast(({ command: { name } }) => name === command);
  if (commit === undefined) throw new Error(`nobody called ${command}`);
  return commit.command.input as Readonly<Record<string, unknown>>;
}
