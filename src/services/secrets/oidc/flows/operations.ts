import { signedToken } from "../../../../languages/jws/sign.ts";
import { command, promised, type SecretsDecision, view, withOthers } from "../../declare.ts";
import { integer, text } from "../../fields.ts";
import { bare, rendered } from "../../reply.ts";
import { type AuthorizeFields, authorizeClient } from "./authorize.ts";
import { exchangeCode } from "./exchange.ts";
import { spokenClaims } from "./spoken.ts";
import { userinfoOf } from "./userinfo.ts";

const AUTHORIZE = {
  client_id: text,
  redirect_uri: text,
  scope: text,
  response_type: text,
  state: text,
  nonce: text,
  max_age: integer,
  code_challenge: text,
  code_challenge_method: text,
  request: text,
  request_uri: text,
};

function authorized(decision: SecretsDecision, { name, ...fields }: AuthorizeFields & { readonly name: string }) {
  const code = authorizeClient(decision, name, fields);
  return bare({ code, state: fields.state ?? "" });
}

/** What a client gets for a code. */
export interface TokenAnswer {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
  readonly id_token: string;
  readonly token_type: "Bearer";
}

/** The OpenID Connect protocol (decisions-oidc.md, 10 and 11). */
export const flowOperations = {
  authorize: withOthers(
    command({
      route: "GET /v1/identity/oidc/provider/:name/authorize",
      evidence: "observed",
      onSecondary: "here",
      fields: AUTHORIZE,
      decide: authorized,
    }),
    {
      Posted: command({
        route: "POST /v1/identity/oidc/provider/:name/authorize",
        evidence: "observed",
        onSecondary: "here",
        fields: AUTHORIZE,
        decide: authorized,
      }),
    },
  ),
  token: promised(
    command({
      route: "POST /v1/identity/oidc/provider/:name/token",
      evidence: "chosen",
      open: true,
      onSecondary: "here",
      takesBasic: true,
      headers: { Pragma: "no-cache" },
      fields: {
        code: text,
        grant_type: text,
        redirect_uri: text,
        client_id: text,
        client_secret: text,
        code_verifier: text,
      },
      decide: (decision, { name, ...fields }) => {
        const { accessToken, expiresInSeconds, key, claims } = exchangeCode(decision, name, fields);
        const answer = { access_token: accessToken, expires_in: expiresInSeconds, token_type: "Bearer" } as const;
        const decided = bare({ ...answer, id_token: { kid: key.kid, claims } });
        return rendered(decided, async (_, speech): Promise<TokenAnswer> => {
          const signed = speech === undefined ? claims : spokenClaims({ key, accessToken, claims }, speech);
          return { ...answer, id_token: await signedToken(key, signed) };
        });
      },
    }),
  ),
  userinfo: withOthers(
    view({
      route: "POST /v1/identity/oidc/provider/:name/userinfo",
      evidence: "observed",
      open: true,
      tellsHeader: true,
      view: (reading, { name }) => bare(userinfoOf(reading, name, "update")),
    }),
    {
      Read: view({
        route: "GET /v1/identity/oidc/provider/:name/userinfo",
        evidence: "observed",
        open: true,
        tellsHeader: true,
        view: (reading, { name }) => bare(userinfoOf(reading, name, "read")),
      }),
    },
  ),
};
