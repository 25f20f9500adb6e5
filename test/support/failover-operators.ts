import type { Acting } from "./failover-acting.ts";

/** What operators do with roles; `n` even is disaster recovery, odd performance. */
export const operators = {
  primaryEnable: ({ on, other, n, door, kind }: Acting) =>
    door().replication[kind].primaryEnable(
      n < 6 ? {} : { primary_cluster_addr: n < 8 ? on.clusterAddress : other.clusterAddress },
    ),
  primaryDemote: ({ door, kind }: Acting) => door().replication[kind].primaryDemote(),
  primaryDisable: ({ door, kind }: Acting) => door().replication[kind].primaryDisable(),
  revokeSecondary: ({ door, n, kind, someId }: Acting) =>
    door().replication[kind].revokeSecondary({ id: n === 9 ? "nobody" : someId() }),
  issueToken: ({ activation }: Acting) => activation({ ttl: "5m" }),
  join: async ({ sim, other, n, door, kind, activation }: Acting) => {
    const { ignored, local } = sim.state.secrets[other.name] ?? {};
    const role = kind === "dr" ? ignored?.dr : local?.performance;
    if (role?.mode === "disabled") await door(other).replication[kind].primaryEnable();
    const how = n < 6 ? {} : { primary_api_addr: other.url, ca_file: "/etc/ca.pem" };
    await door().replication[kind].secondaryEnable({ token: await activation(), ...how });
  },
  joinEncrypted: async ({ door, kind, activation }: Acting) => {
    const { data } = await door().replication[kind].generatePublicKey();
    const token = await activation({ key: data.secondary_public_key });
    await door().replication[kind].secondaryEnable({ token });
  },
  joinTooLate: async ({ sim, door, kind, activation }: Acting) => {
    const token = await activation({ ttl: "1s" });
    sim.clock.advance("1s");
    await door().replication[kind].secondaryEnable({ token });
  },
  joinOtherKind: async ({ door, kind, activation }: Acting) => {
    const token = await activation({ of: kind === "dr" ? "performance" : "dr" });
    await door().replication[kind].secondaryEnable({ token });
  },
  attach: async ({ secondary, authority, activation }: Acting) => {
    await secondary().updatePrimary({ ...(await authority()), token: await activation() });
  },
  attachEncrypted: async ({ door, secondary, authority, kind, activation }: Acting) => {
    const { data } = await door().replication[kind].generatePublicKey();
    await secondary().updatePrimary({
      ...(await authority()),
      token: await activation({ key: data.secondary_public_key }),
    });
  },
  attachTwice: async ({ secondary, authority, activation }: Acting) => {
    const fields = { ...(await authority()), token: await activation() };
    await secondary().updatePrimary(fields);
    await secondary().updatePrimary(fields);
  },
  // The address that is asked is the secondary's own, or another one than the token's.
  attachElsewhere: async ({ on, other, n, secondary, authority, activation }: Acting) => {
    const primary_api_addr = n < 4 ? on.url : other.url;
    await secondary().updatePrimary({
      ...(await authority()),
      token: await activation(),
      primary_api_addr,
      ca_path: "/etc/ca",
    });
  },
  attachByAddress: async ({ on, other, n, secondary, authority }: Acting) => {
    const update_primary_addrs = [on.clusterAddress, "https://nowhere.test:8201", other.clusterAddress].slice(n % 3);
    await secondary().updatePrimary({ ...(await authority()), update_primary_addrs });
  },
  // Refused, and the token is not used up by it.
  attachBothWays: async ({ other, secondary, authority, activation }: Acting) => {
    const fields = { ...(await authority()), token: await activation() };
    try {
      await secondary().updatePrimary({ ...fields, update_primary_addrs: [other.clusterAddress] });
    } catch {
      await secondary().updatePrimary(fields);
    }
  },
  attachNoWay: async ({ secondary, authority }: Acting) => {
    await secondary().updatePrimary(await authority());
  },
  detach: async ({ secondary, authority }: Acting) => {
    await secondary().updatePrimary({ ...(await authority()), token: "" });
  },
  promote: async ({ on, other, n, secondary, authority }: Acting) => {
    const address = n < 6 ? {} : { primary_cluster_addr: n < 8 ? on.clusterAddress : other.clusterAddress };
    await secondary().promote({ ...(await authority()), ...address });
  },
  promoteByForce: async ({ secondary, authority }: Acting) => {
    await secondary().promote({ ...(await authority()), force: true });
  },
  secondaryDisable: async ({ secondary, authority }: Acting) => {
    await secondary().secondaryDisable(await authority());
  },
  reindex: async ({ as, n, authority }: Acting) => {
    const how = { diff: n > 4, force: n > 6, skip_flush: n % 4 === 2 };
    if (n % 2 === 0) await as().replication.dr.reindex({ ...(await authority()), ...how });
  },
  merkleCheck: async ({ as, n, authority }: Acting) => {
    if (n % 2 === 0) await as().replication.dr.merkleCheck(await authority());
  },
  operationTokenDeleted: async ({ as, n, authority }: Acting) => {
    if (n % 2 === 0) await as().replication.dr.operationToken.delete(await authority());
  },
  // Shares one by one: some twice, some of another cluster, and some attempts are left as they are.
  operationTokenShares: async ({ on, other, n, as }: Acting) => {
    const { operationToken } = as().replication.dr;
    if (n > 5) await operationToken.cancel();
    const running = await operationToken.attempt();
    const { nonce, required } = running.started ? running : await operationToken.start();
    const shares = n === 8 ? other.keyShares : on.keyShares;
    const share = (place: number): string => shares[(place + n) % shares.length] ?? "";
    for (let given = 0; given < 1 + ((n / 2) % required); given++) {
      await operationToken.update({ key: share(given), nonce });
    }
    if (n === 4) await operationToken.update({ key: share(0), nonce });
  },
  operationTokenByPgp: async ({ sim, on, n, as }: Acting) => {
    if (n % 2 === 1) return;
    const { operationToken } = as().replication.dr;
    await operationToken.cancel();
    const openpgp = await import("openpgp");
    const pair = await openpgp.generateKey({ userIDs: [{ name: "Ann" }], type: "ecc", format: "object" });
    const pgp_key = btoa(String.fromCharCode(...pair.publicKey.write()));
    const { nonce, required } = await operationToken.start({ pgp_key });
    let encoded = "";
    for (const key of on.keyShares.slice(0, required)) {
      encoded = (await operationToken.update({ key, nonce })).encoded_token;
    }
    const binaryMessage = Uint8Array.from([...atob(encoded)].map((letter) => letter.charCodeAt(0)));
    const message = await openpgp.readMessage({ binaryMessage });
    const { data } = await openpgp.decrypt({ message, decryptionKeys: pair.privateKey });
    const isHere = sim.state.secrets[on.name]?.ignored.drOperationTokens.has(String(data));
    if (isHere !== true) throw new Error("what was encrypted to a PGP key is no operation token");
    await as().replication.dr.merkleCheck({ dr_operation_token: String(data) });
  },
  pathsFilter: async ({ door, n, someId }: Acting) => {
    const { pathsFilter, mountFilter, dynamicFilter } = door().replication.performance;
    const id = someId();
    const paths = [["kv", "ldap"], ["team"], ["team/kv", "orchestrator"], []][n % 4] ?? [];
    await pathsFilter.write({ id, mode: n < 5 ? "allow" : "deny", paths });
    if (n % 3 === 0) await pathsFilter.read({ id });
    if (n % 3 === 1) await mountFilter.read({ id });
    if (n % 3 === 2) await dynamicFilter({ id });
  },
  mountFilter: ({ door, n, someId }: Acting) =>
    door().replication.performance.mountFilter.write({
      id: someId(),
      mode: n < 5 ? "whitelist" : "blacklist",
      paths: [`m${n % 3}`, "kv"],
    }),
  unfilter: ({ door, n, someId }: Acting) => {
    const { pathsFilter, mountFilter } = door().replication.performance;
    return n < 6 ? pathsFilter.delete({ id: someId() }) : mountFilter.delete({ id: someId() });
  },
  status: ({ all, as }: Acting) => {
    const { replication, health, seal } = as();
    return all(
      () => replication.status(),
      () => replication.dr.status(),
      () => replication.performance.status(),
      () => replication.dr.operationToken.attempt(),
      () => health.read(),
      () => seal.status(),
      () => seal.initialized(),
      () => seal.leader(),
    );
  },
  filterShown: async ({ sim, on, other, n, door }: Acting) => {
    const role = sim.state.secrets[on.name]?.local.performance;
    const id = (role?.mode === "secondary" ? role.secondaryId : "") || "nobody";
    await door(other).replication.performance.pathsFilter.write({ id, mode: "deny", paths: [`m${n % 3}`, "team"] });
    await door().replication.performance.secondaryDynamicFilter({ id });
  },
  activeNode: ({ sim, on, n }: Acting) => on.setActiveNode(n % (sim.state.secrets[on.name]?.ignored.nodes.count ?? 1)),
  sealed: ({ door }: Acting) => door().seal.seal(),
  unsealed: async ({ on, n, as }: Acting) => {
    for (const key of on.keyShares.slice(n % 2)) await as().seal.unseal({ key });
  },
  addCluster: ({ sim, n }: Acting) => {
    const name = ["d", "e"].find((each) => sim.state.secrets[each] === undefined);
    const license = n < 8 ? "enterprise" : "community";
    if (name !== undefined) sim.secrets.addCluster(name, { keyShares: 2, keyThreshold: 2, license });
  },
  snapshotByClient: async ({ sim, on, other, n, door }: Acting) => {
    await door().snapshots.save();
    const [oldest] = sim.stores.list(`client://${on.name}/`);
    if (n < 5 || oldest === undefined) return;
    const { snapshots } = door(n === 9 ? other : on);
    await (n < 8 ? snapshots.restore : snapshots.forceRestore)({ snapshot_url: oldest.url });
  },
  restoreSnapshot: ({ sim, on, n }: Acting) => {
    const stored = sim.stores.list("cloud1://bucket/");
    const { url } = stored[n % Math.max(stored.length, 1)] ?? {};
    if (url !== undefined) on.restoreSnapshot(url);
  },
};
