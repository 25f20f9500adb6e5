import { expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../../../src/index.ts";
import { reach } from "../../transports.ts";
import { decoded } from "./dr-secondary.ts";

// decisions-replication.md, 6.2 and 6.4: what an operator's script does, with nothing but HTTP and the key shares.

type Body = { readonly [name: string]: unknown };

/** What a script has: addresses, a token, the shares of the first primary. */
function operator(sim: Simulator) {
  const urlOf = (name: string): string => sim.secrets.cluster(name).url;
  const ask = async (
    cluster: string,
    method: string,
    path: string,
    { token = "", body = undefined as object | undefined } = {},
  ) => {
    const response = await reach(sim)(`${urlOf(cluster)}/v1/${path}`, {
      method,
      headers: token === "" ? {} : { "X-Secrets-Token": token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Body };
  };
  const status = async (cluster: string): Promise<Body> =>
    (await ask(cluster, "GET", "sys/replication/dr/status")).body["data"] as Body;
  const health = async (cluster: string): Promise<number> => (await ask(cluster, "GET", "sys/health")).status;
  const operationToken = async (cluster: string, shares: readonly string[]): Promise<string> => {
    const path = "sys/replication/dr/secondary/generate-operation-token";
    const { nonce, otp, required } = (await ask(cluster, "POST", `${path}/attempt`, { body: {} })).body;
    let last: Body = {};
    for (const key of shares.slice(0, Number(required))) {
      last = (await ask(cluster, "POST", `${path}/update`, { body: { key, nonce } })).body;
    }
    expect(last).toMatchObject({ complete: true, progress: required });
    return decoded(String(last["encoded_token"]), String(otp));
  };
  const activation = async (cluster: string, id: string, token: string): Promise<string> => {
    const { body } = await ask(cluster, "POST", "sys/replication/dr/primary/secondary-token", { token, body: { id } });
    return (body["wrap_info"] as { token: string }).token;
  };
  return { ask, status, health, operationToken, activation };
}

test("a planned failover and the failback", async () => {
  const sim = createSimulator({ seed: 3, secrets: { clusters: ["east", "west"] } });
  const { ask, status, health, operationToken, activation } = operator(sim);
  const { rootToken: token, keyShares: shares } = sim.secrets.cluster("east");
  const { rootToken: westToken } = sim.secrets.cluster("west");

  expect(await ask("east", "POST", "sys/replication/dr/primary/enable", { token })).toMatchObject({
    status: 200,
    body: { data: null, warnings: [expect.stringContaining("enabled")] },
  });
  const joining = { token: await activation("east", "west", token) };
  expect(
    await ask("west", "POST", "sys/replication/dr/secondary/enable", { token: westToken, body: joining }),
  ).toMatchObject({
    status: 200,
    body: { data: null, warnings: [expect.stringContaining("secondary information")] },
  });
  const { cluster_id } = await status("east");
  const { body: made } = await ask("east", "POST", "auth/token/create", {
    token,
    body: { policies: ["root"], ttl: "10h" },
  });
  const { client_token: client } = made["auth"] as { client_token: string };
  await ask("east", "POST", "kv/app", { token: client, body: { v: 1 } });

  /** One direction: steps 1 to 8 of 6.2, as they stand there. */
  const failOver = async (from: string, to: string): Promise<void> => {
    const [lead, follow] = [await status(from), await status(to)];
    expect(follow).toMatchObject({ last_remote_wal: lead["last_wal"], merkle_root: lead["merkle_root"], cluster_id });
    expect(await health(to)).toBe(472);

    expect(await ask(from, "POST", "sys/replication/dr/primary/demote", { token })).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringContaining("demoted")] },
    });
    expect(await status(from)).toMatchObject({ mode: "secondary", secondary_id: "", state: "idle", cluster_id });
    expect(await health(from)).toBe(472);
    // Easily missed 10.
    for (const header of [token, "scs.wrong", ""]) {
      expect(await ask(from, "GET", "kv/app", { token: header })).toMatchObject({
        status: 400,
        body: { errors: [expect.stringContaining("path disabled in replication DR secondary mode")] },
      });
    }

    const promoting = { dr_operation_token: await operationToken(to, shares) };
    expect(await ask(to, "POST", "sys/replication/dr/secondary/promote", { body: promoting })).toMatchObject({
      status: 200,
      body: { progress: 0, required: 1, complete: false, data: { progress: 0, required: 1, complete: false } },
    });
    expect(await status(to)).toMatchObject({ mode: "primary", cluster_id, known_secondaries: [], secondaries: [] });
    expect(await health(to)).toBe(200);
    // The token went with the role that it served.
    expect(await ask(to, "POST", "sys/replication/dr/secondary/promote", { token, body: promoting })).toMatchObject({
      status: 400,
    });

    const attaching = {
      token: await activation(to, from, token),
      dr_operation_token: await operationToken(from, shares),
    };
    expect(await ask(from, "POST", "sys/replication/dr/secondary/update-primary", { body: attaching })).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringContaining("updated")] },
    });
    expect(await status(from)).toMatchObject({ state: "stream-wals", secondary_id: from, cluster_id });
    const ending = { dr_operation_token: attaching.dr_operation_token };
    const path = "sys/replication/dr/secondary/operation-token/delete";
    expect(await ask(from, "POST", path, { body: ending })).toMatchObject({ status: 204 });
    expect(await ask(from, "POST", path, { body: ending })).toMatchObject({ status: 403 });
  };

  await failOver("east", "west");
  expect(await ask("west", "GET", "kv/app", { token: client })).toMatchObject({
    status: 200,
    body: { data: { v: 1 } },
  });
  await ask("west", "POST", "kv/app", { token: client, body: { v: 2 } });
  sim.clock.advance("1m");
  await failOver("west", "east");
  expect(await ask("east", "GET", "kv/app", { token: client })).toMatchObject({
    status: 200,
    body: { data: { v: 2 } },
  });
  expect(await ask("east", "GET", "auth/token/lookup-self", { token: client })).toMatchObject({ status: 200 });
});
