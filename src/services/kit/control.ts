import type { Caller, Command, Via } from "../../kernel/commit.ts";
import type { Host } from "../../kernel/host.ts";
import { copyPlain } from "../../kernel/plain.ts";
import type { RefusalForms } from "./refusals.ts";
import { behind } from "./why.ts";

/** The control calls of a service, by the names of their commands. */
export type Controls = { readonly [name: string]: (...args: never) => unknown };

/** Makes control calls: `said` is how messages call one. What the world forbids is thrown as a `Rejection`. */
export type Control<T extends Controls> = <N extends keyof T & string>(
  name: N,
  input: unknown,
  said?: string,
) => ReturnType<T[N]>;

/** The control calls that handles of a service make, for whom they stand for. */
export function controlsOver<T extends Controls>(
  host: Host<unknown>,
  via: Via,
  caller: Caller,
  forms: Pick<RefusalForms<never>, "rejection">,
): Control<T> {
  return (name, input, said = lastWord(name)) => {
    const command: Command = { name, input: copyPlain(input, said), caller, via };
    return host.execute(command, (outcome) => {
      if (outcome.kind === "accepted") return outcome.result as ReturnType<T[typeof name]>;
      throw forms.rejection(said, behind(host, command, outcome.refusal, outcome.commit?.position));
    });
  };
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
