import { expect } from "vitest";
import type { Simulator } from "../../src/index.ts";
import { HASHICORP } from "../../src/languages/vocabulary/hashicorp.ts";
import { renamedIdentifier, renamedText } from "../../src/languages/vocabulary/rename.ts";
import type { Speech } from "../../src/languages/vocabulary/shape.ts";
import type { Renames, ServiceVocabulary } from "../../src/languages/vocabulary/vocabulary.ts";
import { type ServiceWords, type Words, wordsOfVocabulary } from "../../src/languages/vocabulary/words.ts";
import { secretsRegistry } from "../../src/services/secrets/registry.ts";
import { operationsAt, routesAt } from "../../src/services/secrets/routes.ts";
import { secretsWords } from "../../src/services/secrets/words/neutral.ts";
import { type PathContext, renamedPath } from "../../src/services/secrets/words/path.ts";
import { shapeOf } from "../../src/services/secrets/words/shapes.ts";
import { spokenContent } from "../../src/services/secrets/words/spoken.ts";
import { type Answer, answerOf, defaultMount, queryOf, SENDING, type Subject, withCaptures } from "./two-doors.ts";
import { wordedFetch } from "./worded.ts";

// The suite by a client who knows other words than the contract's: what the suite asks for is put into them, and the answers are put back,
// so that a test fails where the words that went over the wire and those that came back do not fit together.

/** Without what is signed for others: the suite looks into tokens, and finds the contract's words there. */
const { "orchestrator.io": _claim, ...fields } = HASHICORP.secrets?.fields ?? {};
const { "https://orchestrator.default.svc.cluster.local": _issuer, ...values } = HASHICORP.secrets?.values ?? {};
/** And with words of routes, which none of the services in use renames. */
const SECRETS: ServiceVocabulary = {
  ...HASHICORP.secrets,
  fields: {
    ...fields,
    service_account_names: "account_names",
    ttl: "time_to_live",
    keys: "entry_keys",
    data: "payload",
    binddn: "bind_dn",
  },
  values,
  segments: { orchestrator: "kubernetes", ldap: "openldap", library: "lending", mounts: "engines", token: "ticket" },
};

const words = wordsOfVocabulary({ secrets: SECRETS }, routesAt).secrets as ServiceWords;
const WORDED: Words = { secrets: words };

/** Members that answers turned out to have and the validator does not know. */
const unknown = new Set<string>();
const known = new Set(secretsWords().fields);

/** What every name of a member is looked up in, caller's own names apart. */
class Members extends Map<string, string> {
  override get(own: string): string | undefined {
    const neutral = super.get(own);
    if (!known.has(neutral ?? own)) unknown.add(neutral ?? own);
    return neutral;
  }
}
const listening: ServiceWords = {
  ...words,
  fields: { own: words.fields.own, neutral: new Members(words.fields.neutral) },
};

/** Where names that callers chose are looked up as well: paths, labels, and a set whose name is the route of another operation. */
const HAVE_CHOSEN_NAMES: ReadonlySet<string> = new Set([
  "secrets.policies.capabilitiesSelf",
  "secrets.policies.capabilities",
  "secrets.policies.capabilitiesAccessor",
  "secrets.mounts.list",
  "secrets.auth.list",
  "secrets.orchestrator.roles.read",
  "secrets.library.read",
]);
/** The same the other way, for what is only text. */
const inverse = wordsOfVocabulary({ secrets: inverted(SECRETS) }, routesAt).secrets as ServiceWords;

function inverted(vocabulary: ServiceVocabulary): ServiceVocabulary {
  const turned = (renames: Renames = {}): Renames =>
    Object.fromEntries(
      Object.entries(renames).map(([neutral, own]) => {
        const equals = neutral.lastIndexOf("=");
        return equals < 0 ? [own, neutral] : [`${neutral.slice(0, equals)}=${own}`, neutral.slice(equals + 1)];
      }),
    );
  return Object.fromEntries(Object.entries(vocabulary).map(([scope, renames]) => [scope, turned(renames as Renames)]));
}

export const doorInOtherWords: Subject = {
  name: "sim.fetch in other words",
  open: (sim, cluster = "main") => ({
    call: async (operation, given = {}, asking = {}) => {
      const name = `secrets.${operation}`;
      const row = secretsRegistry.byName.get(name);
      if (row === undefined) throw new Error(`${operation} is no operation`);
      const handle = sim.secrets.cluster(cluster);
      const { token = handle.rootToken, namespace, address } = asking;
      const path = namespace === undefined || namespace === "" ? undefined : `${namespace.replace(/^\/+|\/+$/g, "")}/`;
      const context = {
        world: sim.state,
        at: { cluster, ...(path === undefined || path === "root/" ? {} : { namespace: path }) },
      } as unknown as PathContext;
      const own: Speech<PathContext> = { words, to: "own", context };
      const { path: neutral, rest } = withCaptures(row.path, {
        mount: asking.mount ?? defaultMount(operation),
        ...given,
      });
      const sent = row.takesBody ? rest : (shapeOf(name).fields(rest, own, "") as typeof rest);
      const asked = decodeURI(neutral.slice("/v1/".length));
      const spoken = `/v1/${encodeURI(renamedPath(words, context, asked, "own"))}`;
      const sends = SENDING[row.verb];
      const response = await wordedFetch(sim, WORDED)(
        handle.url + (sends === undefined ? spoken + queryOf(sent) : spoken),
        {
          method: row.verb,
          headers: {
            ...(token === null ? {} : { "X-Vault-Token": renamedIdentifier(words, token, "own") }),
            ...(namespace === undefined ? {} : { "X-Vault-Namespace": namespace }),
            ...(address === undefined ? {} : { "X-Forwarded-For": address }),
            ...(sends === undefined ? {} : { "Content-Type": sends }),
          },
          ...(sends === undefined ? {} : { body: JSON.stringify(sent) }),
        },
      );
      return back(sim, await answerOf(sim, response), name, {
        words: HAVE_CHOSEN_NAMES.has(name) ? words : listening,
        to: "neutral",
        context: { ...context, asked },
      });
    },
  }),
};

/** An answer in the words of the suite. */
function back(sim: Simulator, answer: Answer, name: string, speech: Speech<PathContext>): Answer {
  const { body, errors } = answer;
  const told = errors === undefined ? undefined : renamedText(inverse, errors, { quoted: true });
  if (typeof body !== "object" || body === null) return { ...answer, errors: told };
  unknown.clear();
  const content = spokenContent(body as { readonly [name: string]: unknown }, shapeOf(shownBy(name)), speech);
  expect([...unknown], "members that the validator of vocabularies does not know").toEqual([]);
  return { ...answer, errors: told, body: content };

  /** What unwrapping shows is the answer of another operation; the last command that made one away says which. */
  function shownBy(operation: string): string | undefined {
    if (operation !== "secrets.wrapping.unwrap") return operation;
    const [first] = operationsAt(sim.state, speech.context.at, lastWrapped(sim))?.operations ?? [];
    return first?.name;
  }
}

function lastWrapped(sim: Simulator): string {
  const wrapped = sim.log.events().filter(({ type }) => type === "ResponseWrapped");
  return (wrapped.at(-1)?.data as { readonly path: string } | undefined)?.path ?? "";
}
