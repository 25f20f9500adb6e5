import { Rejection, type SecretsClient, type Simulator, type View } from "../../../src/index.ts";
import { secretsRegistry } from "../../../src/services/secrets/registry.ts";

type Call = (argument: object) => unknown;

/** What is asked about: names and ids of all kinds; a read that they mean nothing to has an answer, too. */
function subjectsOf(sim: Simulator): string[] {
  const cluster = sim.state.secrets["main"];
  const mounts = [...(cluster?.replicated.mounts.values() ?? [])];
  return [
    "",
    "nothing of this name",
    ...[...(cluster?.local.leases.keys() ?? [])].slice(0, 5),
    ...mounts.flatMap((mount) => (mount.type === "ldap" ? [...mount.library.sets.keys()] : [])),
    ...(cluster?.replicated.passwordPolicies.keys() ?? []),
    "ldap/library",
  ];
}

/**
 * The answers to every read operation that there is, asked by everybody about everything. Request ids are among them: ask forks, which
 * count requests from 0.
 */
export async function everyAnswer(sim: Simulator, asked: Simulator | View = sim): Promise<Record<string, unknown>> {
  const main = asked.secrets.cluster("main");
  const doors: readonly (readonly [string, SecretsClient])[] = [
    ["root", main.as(main.rootToken)],
    ["root in team", main.as(main.rootToken, { namespace: "team" })],
    ["ann", main.as("ann")],
    ["nobody", main.as()],
  ];
  const reads = [...secretsRegistry.byName].filter(([, { handler }]) => handler.kind === "view");
  const answers: Record<string, unknown> = {};
  for (const [name, operation] of reads) {
    const [, ...path] = name.split(".");
    const names = [...operation.captures.filter((capture) => capture !== "mount"), ...Object.keys(operation.fields)];
    const engines = operation.engine !== undefined ? [operation.engine, "corp"] : [undefined];
    for (const subject of names.length === 0 ? [""] : subjectsOf(sim)) {
      for (const mount of engines) {
        for (const [who, door] of doors) {
          const client: unknown = mount === undefined ? door : door.at(mount);
          const call = path.reduce((within, member) => (within as Record<string, unknown>)[member], client) as Call;
          const input = Object.fromEntries(names.map((each) => [each, subject]));
          answers[`${name} ${mount ?? ""} ${JSON.stringify(input)} by ${who}`] = await answer(() => call(input));
        }
      }
    }
  }
  return answers;
}

async function answer(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Rejection) return { refused: error.code, data: error.data };
    if (error instanceof TypeError) return { mistake: error.message };
    throw error;
  }
}
