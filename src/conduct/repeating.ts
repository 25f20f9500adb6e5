import { optionsAt } from "../kernel/arguments.ts";
import { shown } from "../languages/shown.ts";
import { isUncertain, type Rule, ruleNamed } from "./rule.ts";

/**
 * It repeats only what may be repeated: a request that makes something new each time (a token, a loan, a secret id, a run, a promotion) is
 * not sent again when nobody knows whether it was decided.
 *
 * @param options `may`: operations that may be repeated nevertheless, by their names, such as `secrets.tokens.create` where a spare token
 *   does no harm
 * @throws TypeError for a wrong option
 */
export function repeatsOnlyTheRepeatable(options: { readonly may?: readonly string[] } = {}): Rule {
  const { may = [] } = optionsAt("repeatsOnlyTheRepeatable", options, ["may"]);
  if (!Array.isArray(may))
    throw new TypeError(
      `repeatsOnlyTheRepeatable: may is ${shown(may)}, and has to be an array of names of operations`,
    );
  return ruleNamed("repeatsOnlyTheRepeatable", ({ requests, breach }) => {
    const uncertain = new Set<string>();
    for (const entry of requests) {
      const { operation = "", request } = entry;
      if (request.method === "GET" || request.method === "LIST") continue;
      const asked = JSON.stringify([request.method, request.url, request.body]);
      // What was lost has no operation: it is that of the same request when it was answered.
      if (uncertain.has(asked) && MAKES_NEW.test(operation) && !may.includes(operation))
        breach(entry, "repeated what may have been done, and does something new each time");
      if (isUncertain(entry)) uncertain.add(asked);
      else uncertain.delete(asked);
    }
  });
}

/** Our choice: what hands out or begins something that another request of the same text would hand out or begin once more. */
const MAKES_NEW =
  /\.(create|createAgainst|createOrphan|generate|custom|checkOut|creds|secondaryToken|promote|exchange|rotate|rotateRoot|apply|wrap|rewrap)$/;
