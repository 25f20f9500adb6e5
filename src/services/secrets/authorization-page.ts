import type { Plain } from "../../kernel/plain.ts";
import type { Speech } from "../../languages/vocabulary/shape.ts";
import type { Answered } from "./door.ts";
import type { NamedOperation } from "./registry.ts";
import type { PathContext } from "./words/path.ts";
import { shapeOf } from "./words/shapes.ts";

// The page on which a user agrees to log in, with nobody to ask: decisions-oidc.md, 9. It is a way to render what `authorize` answers.

type Input = { readonly [name: string]: Plain };

/** Whether a path of a page is that of the authorization page. */
export function isAuthorizationPage(named: NamedOperation | undefined, wrongVerb: boolean, path: string): boolean {
  if (named !== undefined) return named.name === "secrets.oidc.authorize";
  return !wrongVerb && /^identity\/oidc\/provider\/[^/]+\/authorize$/.test(path);
}

/** Errors that are shown to the user, because there is nowhere to send them yet: rows 1 to 3 of decisions-oidc.md, 10. */
function isShown(answered: Answered, fields: Input): boolean {
  if (answered.ok) return false;
  const { code, data } = answered.refusal;
  if (!("endpoint" in data)) return true;
  return code === "invalid_client_id" || code === "invalid_redirect_uri" || textIn(fields, "redirect_uri") === "";
}

/**
 * The answer of the authorization page: it sends the user back to the client (decisions-oidc.md, 9).
 *
 * @param speech what it says is put into
 */
export function redirecting(answered: Answered, fields: Input, speech: Speech<PathContext> | undefined): Answered {
  if (isShown(answered, fields)) return answered;
  const back = new URLSearchParams();
  const all = answered.ok ? { code: "", ...(answered.body as object), state: fields["state"] } : answered.raw;
  const told = Object.fromEntries(TOLD.map((name) => [name, (all as Input | undefined)?.[name]]));
  const spoken = speech === undefined ? told : (shapeOf("secrets.oidc.authorize").data(told, speech, "") as object);
  for (const [name, value] of Object.entries(spoken)) {
    if (typeof value === "string" && value !== "") back.set(name, value);
  }
  const location = withQuery(textIn(fields, "redirect_uri"), back);
  const { status: _, headers, ...others } = answered;
  if (!others.ok)
    return {
      status: 302,
      headers: { ...headers, Location: location },
      ok: true,
      body: undefined,
      commit: others.commit,
    };
  return { ...others, status: 302, headers: { ...headers, Location: location }, body: undefined };
}

const TOLD = ["code", "error", "error_description", "state"];

/** An address with more in its query. Redirect addresses are not checked as such, so this is text work. */
function withQuery(address: string, added: URLSearchParams): string {
  const hash = address.indexOf("#");
  const [before, fragment] = hash < 0 ? [address, ""] : [address.slice(0, hash), address.slice(hash)];
  const joint = !before.includes("?") ? "?" : before.endsWith("?") || before.endsWith("&") ? "" : "&";
  return headerText(`${before}${joint}${added}${fragment}`);
}

/** A text as a header can carry it: what is no visible ASCII is written in percents. */
function headerText(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, (characters) => {
    let escaped = "";
    for (const byte of new TextEncoder().encode(characters))
      escaped += `%${byte.toString(16).padStart(2, "0").toUpperCase()}`;
    return escaped;
  });
}

function textIn(fields: Input, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}
