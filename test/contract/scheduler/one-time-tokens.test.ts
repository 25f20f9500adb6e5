import { describe, expect, it } from "vitest";
import { doors } from "./driver.ts";
import { regionsWorld } from "./regions-world.ts";

// src/services/scheduler/one-time-tokens/README.md.

describe.each(doors())("through %s", (_name, open) => {
  const world = () => {
    const made = regionsWorld();
    const door = open(made.sim, "eu");
    const create = async (token: string | undefined) => {
      const { body } = await door.call("oneTimeTokens.create", token);
      return body.OneTimeToken.OneTimeSecretID as string;
    };
    const exchange = (OneTimeSecretID: string, token?: string, region?: string) =>
      door.call("oneTimeTokens.exchange", token, { OneTimeSecretID }, {}, region);
    return { ...made, door, create, exchange };
  };

  it("stands for a token once", async () => {
    const { sim, door, client, exchange } = world();
    const { secret, accessor } = client(["p"]);
    const { body } = await door.call("oneTimeTokens.create", secret);
    const index = body.Index as number;
    const { OneTimeSecretID, ...shown } = body.OneTimeToken;
    expect(shown).toEqual({
      AccessorID: accessor,
      ExpiresAt: new Date(sim.clock.now() + 600_000).toISOString().replace("Z", "000000Z"),
      CreateIndex: index,
      ModifyIndex: index,
    });
    // Whoever asks: a token that is none is not looked at.
    const given = await exchange(OneTimeSecretID.toUpperCase(), "none");
    expect(given.body).toMatchObject({ Index: index + 1, Token: { AccessorID: accessor, SecretID: secret } });
    expect(await exchange(OneTimeSecretID)).toMatchObject({ status: 403, code: "one_time_token_unknown" });
  });

  it("needs a token, and a second one takes the place of the first", async () => {
    const { door, root, create, exchange } = world();
    expect(await door.call("oneTimeTokens.create", undefined)).toMatchObject({
      status: 403,
      code: "permission_denied",
    });
    const [first, second] = [await create(root), await create(root)];
    expect(await exchange(first)).toMatchObject({ status: 403, code: "one_time_token_unknown" });
    expect(await exchange(second)).toMatchObject({ status: 200 });
  });

  it("ends after ten minutes, with its token, and is known in its region only", async () => {
    const { sim, door, root, client, create, exchange } = world();
    const late = await create(root);
    sim.clock.advance("9m59.999s");
    const { secret, accessor } = client(["p"]);
    const orphan = await create(secret);
    await door.call("tokens.delete", root, { accessor_id: accessor });
    expect(await exchange(orphan)).toMatchObject({ status: 403, code: "one_time_token_orphaned" });
    expect(await exchange(late, undefined, "us")).toMatchObject({ status: 403, code: "one_time_token_unknown" });
    sim.clock.advance("1ms");
    expect(await exchange(late)).toMatchObject({ status: 403, code: "one_time_token_expired" });
    expect(await exchange("")).toMatchObject({ status: 403 });
  });

  it("tells the policies of whoever asks, and a policy may be named self", async () => {
    const { door, root, policy, client } = world();
    for (const name of ["mine", "self", "theirs"]) policy(name);
    const names = async (token: string | undefined) =>
      ((await door.call("policies.self", token)).body as { Name: string }[]).map(({ Name }) => Name);
    expect(await names(client(["mine", "gone"]).secret)).toEqual(["mine"]);
    expect(await names(root)).toEqual(["mine", "self", "theirs"]);
    expect(await names(undefined)).toEqual([]);
    expect(await door.call("policies.delete", root, { policy_name: "self" })).toMatchObject({ status: 200 });
    expect(await names(root)).toEqual(["mine", "theirs"]);
  });
});
