import { fact, textGiven } from "../../kit/why.ts";
import type { SecretsExplainers } from "../explaining.ts";
import { readingOf } from "../explaining.ts";
import { tokenFacts } from "../tokens/why.ts";
import { wrappingIdIn } from "./jwt.ts";
import type { WrappingRefusals } from "./rejections.ts";

/** Why the wrapping endpoints refuse. */
export const wrappingWhy: SecretsExplainers<WrappingRefusals> = {
  wrapping_token_invalid: (met) => {
    const sent = textGiven(met, "token") || (met.caller.token ?? "");
    return tokenFacts(met, sent === "" ? undefined : wrappingIdIn(readingOf(met), sent));
  },
  wrap_ttl_missing: () => [fact("argument", "X-Secrets-Wrap-TTL was not sent, or is 0")],
};
