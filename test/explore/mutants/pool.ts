import { createSimulator } from "hindcast";
import { backsOff, returnsWhatItBorrowed, usesNothingEnded } from "hindcast/conduct";
import type { Run } from "hindcast/explore";
import { placeOf } from "../../programs/modes.ts";
import type { Answered } from "../../programs/patient.ts";
import { Pool } from "../../programs/pool.ts";
import { type Subject, subject } from "./subject.ts";

const WORKERS = 3;
let tokens: readonly string[] = [];

/** Once all is healed, the loans of workers that lost an answer run out, and each account can be borrowed. */
function accountsAreFree({ sim }: Run): boolean {
  const main = sim.secrets.cluster("main");
  sim.clock.advance("20m");
  const root = main.as(main.rootToken);
  return Object.values(root.library.status({ set_name: "ops" }).data).every(({ available }) => available);
}

class ReturnsAnothers extends Pool {
  #last = "";

  protected override given(_worker: number, account: string): string {
    const last = this.#last;
    this.#last = account;
    return last === "" ? account : last;
  }
}

class ReturnsOnce extends Pool {
  protected override isBack(): boolean {
    return true;
  }
}

class WorksTooLong extends Pool {
  protected override get workMs(): number {
    return 1_000_000;
  }
}

class ReturnsTwice extends Pool {
  protected override get returns(): number {
    return 2;
  }
}

class AsksAtOnce extends Pool {
  protected override get restMs(): number {
    return 900;
  }
}

class TakesRefusalForSuccess extends Pool {
  protected override isBack(response: Answered | undefined): boolean {
    return response !== undefined;
  }
}

export const pool: Subject = subject(
  "pool",
  (Program: typeof Pool) => ({
    world: () => {
      const sim = createSimulator();
      const main = sim.secrets.cluster("main");
      const owner = main.as(main.rootToken);
      const base = "ou=service,dc=example,dc=com";
      owner.ldapConfig.write({ binddn: `cn=engine,${base}`, bindpass: "bind", userdn: base, userattr: "cn" });
      sim.directory.addSuffix(base);
      const accounts = ["svc-1", "svc-2"];
      for (const cn of accounts) sim.directory.addEntry(`cn=${cn},${base}`, { cn });
      owner.library.write({ set_name: "ops", service_account_names: accounts, ttl: "15m", max_ttl: "15m" });
      main.writePolicy("pool", 'path "ldap/library/*" { capabilities = ["update"] }');
      tokens = Array.from({ length: WORKERS }, () => main.createToken({ policies: ["pool"], period: "48h" }).token);
      return sim;
    },
    programs: {
      pool: (program, _random, sim) => {
        const pool = new Program(placeOf(program), sim.secrets.cluster("main").url, ...tokens);
        pool.start(WORKERS);
        return pool;
      },
    },
    faults: { lines: true, stops: true, requests: true, directory: true, longest: "10m" },
    conduct: [returnsWhatItBorrowed(), usesNothingEnded(), backsOff()],
    finally: [accountsAreFree],
    steps: 10,
    calm: "10m",
    settle: "30m",
  }),
  Pool,
  {
    "anothers-account": ["it gives back what another worker works with", ReturnsAnothers],
    "returns-once": ["an account whose return was lost stays lent", ReturnsOnce],
    "works-too-long": ["an account is another's before it is given back", WorksTooLong],
    "returns-twice": ["it gives back what it does not have any more", ReturnsTwice],
    "no-rest": ["a service that is away is asked more than twice a second", AsksAtOnce],
    "refusal-as-success": ["an account whose return was refused stays lent", TakesRefusalForSuccess],
  },
);
