import { createSimulator } from "hindcast";
import { expect, test } from "vitest";

// The code under test takes its fetch as an option, as most clients do.
class Loans {
  readonly #options: { url: string; token: string; fetch: typeof fetch };

  constructor(options: { url: string; token: string; fetch: typeof fetch }) {
    this.#options = options;
  }

  async borrow(set: string): Promise<{ service_account_name: string; password: string }> {
    const { url, token, fetch } = this.#options;
    const response = await fetch(`${url}/v1/ldap/library/${set}/check-out`, {
      method: "POST",
      headers: { "X-Secrets-Token": token, "Content-Type": "application/json" },
      body: JSON.stringify({ ttl: "10m" }),
    });
    if (response.status === 400) throw new Error("all accounts are lent");
    return ((await response.json()) as { data: { service_account_name: string; password: string } }).data;
  }
}

test("the client says so when nothing is left to borrow", async () => {
  const sim = createSimulator({ seed: 42, secrets: { clusters: ["east"] } });
  const east = sim.secrets.cluster("east");
  const admin = east.as(east.rootToken);
  sim.directory.addEntry("cn=svc-1,dc=example,dc=com", { cn: "svc-1" });
  admin.ldapConfig.write({ binddn: "cn=engine,dc=example,dc=com", bindpass: "secret" });
  admin.library.write({ set_name: "ops", service_account_names: "svc-1" });

  east.writePolicy("lender", 'path "ldap/library/*" { capabilities = ["update"] }');
  const { token } = east.createToken({ policies: ["lender"], ttl: "1h" });
  const loans = new Loans({ url: east.url, token, fetch: sim.fetch });

  expect(await loans.borrow("ops")).toMatchObject({ service_account_name: "svc-1" });
  await expect(loans.borrow("ops")).rejects.toThrow("all accounts are lent");
});
