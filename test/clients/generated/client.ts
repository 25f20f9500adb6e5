import createClient from "openapi-fetch";
import type { paths } from "./admin.js";

// Works a served world with types that are made from its document: argv holds the URL of the admin path and its secret.
declare const process: { readonly argv: readonly string[] };
const [, , url = "", secret = ""] = process.argv;

const admin = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${secret}` } });

function ok<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

function same(what: string, got: unknown, wanted: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(got)}`);
}

const { id, urls, rootTokens } = ok(await admin.POST("/worlds", { body: { name: "generated" } }));
const params = { path: { world: id } };
const token: string | undefined = rootTokens["main"];
const written = await fetch(`${urls.secrets["main"]}/v1/kv/a`, {
  method: "POST",
  headers: { "X-Vault-Token": token ?? "" },
  body: JSON.stringify({ value: 1 }),
});
same("a write", written.status, 204);

const moved = ok(await admin.PUT("/worlds/{world}/clock", { params, body: { advance: "1h" } }));
const now: string = moved.now;
same("the clock", now.slice(11, 13), "01");

const journal = ok(await admin.GET("/worlds/{world}/journal", { params }));
same("the journal", [journal.length, journal[0]?.kind, journal[0]?.request?.method], [2, "request", "POST"]);

await admin.POST("/worlds/{world}/control/secrets/cluster/{cluster}/seal", {
  params: { path: { world: id, cluster: "main" } },
});
same("a sealed cluster", (await fetch(`${urls.secrets["main"]}/v1/sys/health`)).status, 503);

const { error } = await admin.POST("/worlds", { body: { fork: "nobody" } });
const message: string | undefined = error?.error.message;
same("a refusal", message?.startsWith("there is no world nobody"), true);
console.log("typescript: as the document says");
