import type { Plain } from "../../../kernel/plain.ts";
import { rfc3339 } from "../../../languages/instant.ts";
import { bodyCommand, command, type SecretsReading, view, withOthers } from "../declare.ts";
import { text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { bare, enveloped, envelopeIn, repeatingData, stored, wrappedReply } from "../reply.ts";
import { takeWrapped, wrappedBy, wrapResponse } from "./wrap.ts";

/** Response wrapping (decisions-secrets-core.md, A.6). */
export const wrappingOperations = {
  wrap: bodyCommand({
    route: "POST /v1/sys/wrapping/wrap",
    evidence: "observed",
    decide: (decision, { data }) => {
      if ((decision.caller.wrapTtlSeconds ?? 0) === 0) return refuse("wrap_ttl_missing", {});
      // Nobody sees the copies of what is text.
      return typeof data === "string" ? stored(data) : repeatingData(enveloped(data));
    },
  }),
  unwrap: command({
    route: "POST /v1/sys/wrapping/unwrap",
    evidence: "observed",
    fields: { token: text },
    opensWrapping: true,
    decide: (decision, { token }) => {
      const {
        response,
        unsigned,
        isTextual,
        path,
        answered = path,
      } = takeWrapped(decision, token || decision.caller.token, "unwrap");
      const reply = { ...bare(envelopeIn(response as Shown)), wraps: answered };
      if (isTextual) return { ...reply, isTextual };
      return unsigned === undefined ? reply : { ...reply, unsigned };
    },
  }),
  rewrap: command({
    route: "POST /v1/sys/wrapping/rewrap",
    evidence: "observed",
    fields: { token: text },
    decide: (decision, { token }) => {
      const { wrappedAtMs: _, ...wrapped } = takeWrapped(decision, token, "rewrap");
      return wrappedReply(wrapResponse(decision, wrapped));
    },
  }),
  lookup: withOthers(
    view({
      route: "POST /v1/sys/wrapping/lookup",
      evidence: "observed",
      open: true,
      fields: { token: text },
      view: (reading, { token }) => lookedUp(reading, token || reading.caller.token),
    }),
    {
      Read: view({
        route: "GET /v1/sys/wrapping/lookup",
        evidence: "observed",
        open: true,
        view: (reading) => lookedUp(reading, reading.caller.token),
      }),
    },
  ),
};

type Shown = { readonly [name: string]: Plain | undefined };

function lookedUp(reading: SecretsReading, token: string | undefined) {
  const { ttlSeconds, wrappedAtMs, path } = wrappedBy(reading, token);
  return enveloped({
    creation_ttl: Math.floor(ttlSeconds),
    creation_time: rfc3339(wrappedAtMs),
    creation_path: path,
  });
}
