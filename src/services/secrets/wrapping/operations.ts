import { rfc3339 } from "../../../languages/instant.ts";
import { bodyCommand, command, view } from "../declare.ts";
import { text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { bare, enveloped, repeatingData, wrappedReply } from "../reply.ts";
import { revokeToken } from "../tokens/revoke.ts";
import type { TokenId } from "../tokens/state.ts";
import { wrappedBy, wrapResponse } from "./wrap.ts";

/** Response wrapping (decisions-secrets-core.md, A.6). */
export const wrappingOperations = {
  wrap: bodyCommand({
    route: "POST /v1/sys/wrapping/wrap",
    evidence: "observed",
    decide: (decision, { data }) => {
      if ((decision.caller.wrapTtlSeconds ?? 0) === 0) return refuse("wrap_ttl_missing", {});
      return repeatingData(enveloped(data));
    },
  }),
  unwrap: command({
    route: "POST /v1/sys/wrapping/unwrap",
    evidence: "observed",
    fields: { token: text },
    opensWrapping: true,
    decide: (decision, { token }) => {
      const wrapping = token === undefined || token === "" ? decision.caller.token : token;
      const { response, unsigned, path } = wrappedBy(decision, wrapping);
      revokeToken(decision, decision.caller.cluster, wrapping as TokenId);
      const reply = { ...bare(response as object), wraps: path };
      return unsigned === undefined ? reply : { ...reply, unsigned };
    },
  }),
  rewrap: command({
    route: "POST /v1/sys/wrapping/rewrap",
    evidence: "observed",
    fields: { token: text },
    decide: (decision, { token }) => {
      const { wrappedAtMs: _, ...wrapped } = wrappedBy(decision, token);
      revokeToken(decision, decision.caller.cluster, token as TokenId);
      return wrappedReply(wrapResponse(decision, wrapped));
    },
  }),
  lookup: view({
    route: "POST /v1/sys/wrapping/lookup",
    evidence: "observed",
    open: true,
    fields: { token: text },
    view: (reading, { token }) => {
      const { ttlSeconds, wrappedAtMs, path } = wrappedBy(reading, token || reading.caller.token);
      return enveloped({ creation_ttl: ttlSeconds, creation_time: rfc3339(wrappedAtMs), creation_path: path });
    },
  }),
};
