import { listen, openWorlds } from "hindcast/node";
import { expect, test } from "vitest";

test("each test has a world of its own, and none sees another", async () => {
  const worlds = await openWorlds({ options: { vocabulary: "hashicorp" } });
  const server = await listen(worlds, { port: 0 });

  // Once: what all tests begin with. Any language can do so: POST /hindcast/worlds.
  const base = await worlds.create({ name: "base" });
  const write = (world: typeof base, value: string) =>
    fetch(`${world.urls.secrets["main"]}/v1/kv/app/db`, {
      method: "POST",
      headers: { "X-Vault-Token": world.sim.secrets.cluster("main").rootToken },
      body: JSON.stringify({ value }),
    });
  await write(base, "prepared");

  // For each test: a fork, in less than a millisecond.
  const [one, other] = [await worlds.create({ fork: base.id }), await worlds.create({ fork: base.id })];
  await write(one, "changed");
  const values = [one, other].map(({ sim }) => {
    const main = sim.secrets.cluster("main");
    return main.as(main.rootToken).kv.read({ path: "app/db" }).data["value"];
  });
  expect(values).toEqual(["changed", "prepared"]);

  await server.close();
  await worlds.close();
});
