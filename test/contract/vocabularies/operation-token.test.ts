import { expect, it } from "vitest";
import { createSimulator } from "../../../src/index.ts";

it("a DR operation token that is given out under a pad begins as clients know it, and is taken in either words", async () => {
  const sim = createSimulator({ seed: 7, vocabulary: "hashicorp", secrets: { clusters: ["east", "west"] } });
  const [east, west] = [sim.secrets.cluster("east"), sim.secrets.cluster("west")];
  const ask = async (path: string, body: object, cluster = west) => {
    const response = await sim.fetch(`${cluster.url}/v1/sys/replication/dr/${path}`, {
      method: "POST",
      headers: { "X-Vault-Token": cluster.rootToken },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  await ask("primary/enable", {}, east);
  const { wrap_info } = (await ask("primary/secondary-token", { id: "west" }, east)).body;
  expect((await ask("secondary/enable", { token: wrap_info.token })).status).toBeLessThan(300);
  sim.settle();
  const started = (await ask("secondary/generate-operation-token/attempt", {})).body;
  let last = started;
  for (const key of west.keyShares.slice(0, 3)) {
    last = (await ask("secondary/generate-operation-token/update", { key, nonce: started.nonce })).body;
  }
  const bytes = Buffer.from(last.encoded_token, "base64");
  const token = [...bytes].map((byte, index) => String.fromCharCode(byte ^ started.otp.charCodeAt(index))).join("");
  expect(token).toMatch(/^hvs\.\w{24}$/);
  const promoted = await ask("secondary/promote", { dr_operation_token: token });
  expect(promoted.status).toBe(200);
});
