import type { SecretsClient, Simulator, SimulatorOptions } from "../../src/index.ts";
import { createSimulator } from "./checked.ts";

// A login, and what it takes: a client, somebody to log in, and the requests that both make.

export const REDIRECT = "https://app.test/callback";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface Sent {
  /** The service token. */
  readonly token?: string | undefined;
  readonly json?: object;
  readonly form?: Readonly<Record<string, string>> | URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Registered {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
}

export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly expires_in: number;
  readonly token_type: string;
}

/** A world with an entity `ann`, a token of hers, and the means to log in. */
export class LoginWorld {
  readonly sim: Simulator;
  readonly url: string;
  readonly root: string;
  readonly admin: SecretsClient;
  readonly ann: string;
  readonly annsToken: string;

  constructor(seed: number | string = 5, options: SimulatorOptions = {}) {
    this.sim = createSimulator({ seed, ...options });
    const main = this.sim.secrets.cluster("main");
    this.url = main.url;
    this.root = main.rootToken;
    this.admin = main.as(main.rootToken);
    this.ann = main.createEntity({ name: "ann", metadata: { team: "ops" } }).id;
    this.annsToken = this.tokenOf(this.ann);
  }

  get oidc(): SecretsClient["oidc"] {
    return this.admin.oidc;
  }

  tokenOf(entityId: string, namespace?: string): string {
    const options = { policies: [], entityId, ...(namespace === undefined ? {} : { namespace }) };
    return this.sim.secrets.cluster("main").createToken(options).token;
  }

  /** Asks by method and path below `/v1/`; without a token unless one is given. */
  async ask(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const body = sent.form === undefined ? sent.json : new URLSearchParams(sent.form);
    const response = await this.sim.fetch(path.startsWith("http") ? path : `${this.url}/v1/${path}`, {
      method,
      headers: {
        ...(sent.token === undefined ? {} : { "X-Secrets-Token": sent.token }),
        ...(sent.form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        ...sent.headers,
      },
      ...(body === undefined ? {} : { body: body instanceof URLSearchParams ? body.toString() : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
  }

  /** Asks as root for a path of the OIDC configuration. */
  async configure(method: string, path: string, json?: object): Promise<Answer> {
    return this.ask(method, `identity/oidc/${path}`, { token: this.root, ...(json === undefined ? {} : { json }) });
  }

  /** Registers a client that lets everybody in, unless its fields say otherwise. */
  register(name = "app", fields: object = {}): Registered {
    this.oidc.clients.write({ name, redirect_uris: [REDIRECT], assignments: ["allow_all"], ...fields });
    return this.oidc.clients.read({ name }).data;
  }

  /** What a client sends a user with. */
  request(client: Registered, fields: object = {}): Record<string, string> {
    return {
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      response_type: "code",
      scope: "openid",
      ...fields,
    };
  }

  async authorize(client: Registered, fields: object = {}, token = this.annsToken, provider = "default") {
    const query = new URLSearchParams(this.request(client, fields));
    return this.ask("GET", `identity/oidc/provider/${provider}/authorize?${query}`, { token });
  }

  async code(client: Registered, fields: object = {}, token = this.annsToken, provider = "default"): Promise<string> {
    const { status, body } = await this.authorize(client, fields, token, provider);
    if (status !== 200) throw new Error(`authorize: ${status} ${JSON.stringify(body)}`);
    return body["code"] as string;
  }

  /** Shows a code at the token endpoint; a field that is "" is not sent. */
  async exchange(client: Registered, code: string, fields: object = {}, provider = "default"): Promise<Answer> {
    const all = {
      grant_type: "authorization_code",
      code,
      redirect_uri: REDIRECT,
      client_id: client.client_id,
      client_secret: client.client_secret ?? "",
      ...fields,
    };
    const form = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")) as Record<string, string>;
    return this.ask("POST", `identity/oidc/provider/${provider}/token`, { form });
  }

  async login(client: Registered, fields: object = {}, token = this.annsToken, provider = "default"): Promise<Tokens> {
    const { status, body } = await this.exchange(
      client,
      await this.code(client, fields, token, provider),
      {},
      provider,
    );
    if (status !== 200) throw new Error(`token: ${status} ${JSON.stringify(body)}`);
    return body as unknown as Tokens;
  }

  async userinfo(accessToken: string, provider = "default"): Promise<Answer> {
    const headers = { Authorization: `Bearer ${accessToken}` };
    return this.ask("GET", `identity/oidc/provider/${provider}/userinfo`, { headers });
  }

  async keys(provider = "default"): Promise<Record<string, unknown>[]> {
    const { body } = await this.ask("GET", `identity/oidc/provider/${provider}/.well-known/keys`);
    return body["keys"] as Record<string, unknown>[];
  }
}

/** The parts of a compact JWS, unverified. */
export function decoded(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  const [header = "", claims = ""] = token
    .split(".")
    .slice(0, 2)
    .map((part) => Buffer.from(part, "base64url").toString());
  return { header: JSON.parse(header), claims: JSON.parse(claims) };
}
