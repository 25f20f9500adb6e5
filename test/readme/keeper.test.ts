import { test } from "hindcast/vitest";
import { describe, expect, vi } from "vitest";

// The code under test renews its token when two thirds of the time are over, with the timers and the fetch that it finds.
async function keep(url: string, token: string, renewed: Date[]): Promise<void> {
  const answer = await fetch(`${url}/v1/auth/token/renew-self`, {
    method: "POST",
    headers: { "X-Secrets-Token": token },
  });
  const { auth } = (await answer.json()) as { auth: { lease_duration: number } };
  renewed.push(new Date());
  setTimeout(() => void keep(url, token, renewed), (auth.lease_duration * 1_000 * 2) / 3);
}

describe("the keeper", () => {
  test.override({ simTimers: true });

  test("renews a token with a period of an hour every 40 minutes", async ({ sim }) => {
    const service = sim.secrets.cluster("main");
    const { token } = service.createToken({ policies: ["default"], period: "1h" });
    vi.stubGlobal("fetch", sim.fetch);

    const renewed: Date[] = [];
    void keep(service.url, token, renewed);
    await sim.clock.run("1d");
    expect(renewed).toHaveLength(37);
    expect(renewed[1]).toEqual(new Date("2026-01-01T00:40:00.000Z"));
    expect(service.as(token).tokens.lookupSelf().data.ttl).toBe(3_600);
  });
});
