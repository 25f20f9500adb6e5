import { connect } from "node:net";
import { servedBehind } from "../../src/http/served.ts";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { listen } from "../../src/node/index.ts";
import { filledIn, type Variables } from "./placeholders.ts";
import {
  type Answer,
  type AskedAs,
  COMPARED_HEADERS,
  type ControlCall,
  type RecordedLine,
  type RecordedRequest,
} from "./recording.ts";

/** A request that was played, with what hindcast answered. */
export interface Played {
  readonly recorded: RecordedRequest;
  readonly ours: Heard;
  /** What was known by the next fresh service. */
  readonly variables: Variables;
}

/** An answer, with its body as it was sent, and who answered. */
export interface Heard extends Answer {
  readonly text: string;
  /** The operation; absent where no route fitted. */
  readonly operation: string | undefined;
}

/** Asks simulators all that was recorded, in that order. */
export async function play(lines: readonly RecordedLine[]): Promise<readonly Played[]> {
  const played: Played[] = [];
  let stage = new Stage();
  for (const line of lines) {
    if (line.kind === "request") {
      stage.sim.clock.advance(MS_BEFORE_EACH);
      played.push({ recorded: line, ours: await stage.ask(line), variables: stage.variables });
    } else if (line.kind === "wait") {
      stage.sim.clock.advance(line.waitMs);
    } else {
      if (line.control.start) stage = new Stage();
      for (const call of line.control.calls ?? []) await stage.call(call);
    }
  }
  return played;
}

const MS_BEFORE_EACH = 5;
const DIRECTORY = "ldap://127.0.0.1:13389";

/** A fresh service, and what its clients remember. */
class Stage {
  readonly sim: Simulator = createSimulator({ vocabulary: "hashicorp" });
  readonly #cluster = this.sim.secrets.cluster("main");
  readonly variables: Variables = new Map([
    ["root", this.#cluster.rootToken.replace(/^scs\./, "hvs.")],
    ["_ldapurl", DIRECTORY],
    ["api", this.#cluster.url],
  ]);

  async call(call: ControlCall): Promise<void> {
    if ("request" in call) {
      await this.ask(call.request);
      return;
    }
    const [name, ...owners] = call.call.split(".").reverse() as [string, ...string[]];
    const owner = owners.reduceRight<object>((holder, member) => Reflect.get(holder, member) as object, this.sim);
    Reflect.apply(Reflect.get(owner, name) as (...args: unknown[]) => void, owner, call.args);
  }

  async ask(asked: AskedAs): Promise<Heard> {
    const headers = this.#headersOf(asked);
    const path = filledIn(this.variables, asked.path);
    const body = this.#bodyOf(asked);
    const heard =
      asked.socket === undefined
        ? await this.#fetched(asked.method, path, headers, body)
        : await bySocket(this.sim, this.#cluster.url, asked.method, path, headers);
    for (const [name, place] of Object.entries(asked.save ?? {})) {
      const value = valueAt(heard.body, place);
      if (typeof value === "string" && value !== "") this.variables.set(name, value);
    }
    return heard;
  }

  async #fetched(method: string, path: string, headers: Headers, body: string | undefined): Promise<Heard> {
    const init = { method, headers, redirect: "manual", ...(body === undefined ? {} : { body }) } as const;
    const response = await this.sim.fetch(this.#cluster.url + path, init);
    return heardOf(response, await response.text(), servedBehind(response)?.operation);
  }

  #headersOf({ headers: given = {}, token, namespace, basic, body }: AskedAs): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(given)) headers.set(name, filledIn(this.variables, value));
    if (token !== undefined) headers.set("X-Vault-Token", this.variables.get(token) ?? `MISSING-${token}`);
    if (namespace !== undefined) headers.set("X-Vault-Namespace", filledIn(this.variables, namespace));
    if (basic !== undefined) {
      const [user, password] = basic.map((name) => this.variables.get(name) ?? `MISSING-${name}`);
      headers.set("Authorization", `Basic ${btoa(`${user}:${password}`)}`);
    }
    if (body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
    return headers;
  }

  #bodyOf({ body, bodyParts }: AskedAs): string | undefined {
    if (bodyParts !== undefined) return bodyParts.map(([text, count]) => text.repeat(count)).join("");
    if (body === undefined || typeof body === "string") return body && filledIn(this.variables, body);
    return JSON.stringify(body, (_, value: unknown) =>
      typeof value === "string" ? filledIn(this.variables, value) : value,
    );
  }
}

function heardOf(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  text: string,
  operation: string | undefined,
): Heard {
  const compared = COMPARED_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const body = text === "" ? {} : { body: bodyIn(text) };
  return { status, headers: Object.fromEntries(compared) as Answer["headers"], ...body, text, operation };
}

function bodyIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `data.kv/.accessor` of a body. */
function valueAt(body: unknown, place: string): unknown {
  return place.split(".").reduce<unknown>((value, member) => {
    return typeof value === "object" && value !== null ? Reflect.get(value, member) : undefined;
  }, body);
}

/** Sends what no `fetch` sends as it stands. */
async function bySocket(sim: Simulator, url: string, method: string, path: string, headers: Headers): Promise<Heard> {
  const listener = await listen(sim);
  try {
    const text = await exchanged(
      listener.port,
      [`${method} ${path} HTTP/1.1`, `Host: ${new URL(url).host}`, "Connection: close"]
        .concat([...headers].map(([name, value]) => `${name}: ${value}`))
        .join("\r\n"),
    );
    const end = text.indexOf("\r\n\r\n");
    const [line = "", ...fields] = text.slice(0, end).split("\r\n");
    const pairs = fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]);
    return heardOf({ status: Number(line.split(" ")[1]), headers: new Headers(pairs) }, text.slice(end + 4), undefined);
  } finally {
    await listener.close();
  }
}

function exchanged(port: number, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${head}\r\n\r\n`));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}
