import { createSimulator, type Program, type Simulator } from "hindcast";
import {
  backsOff,
  followsRetryAfter,
  holdsNoSecretOfAnother,
  leavesNoWatcherBehind,
  type Rule,
  renewsBefore,
  repeatsOnlyTheRepeatable,
  returnsWhatItBorrowed,
  usesNothingEnded,
  waitsWithAnIndex,
} from "hindcast/conduct";
import { describe, expect, test } from "vitest";

interface Stage {
  readonly sim: Simulator;
  readonly shop: Program;
  /** Asks the secrets service as a program does: it takes what comes. */
  readonly ask: (
    path: string,
    body?: object,
    by?: { token?: string; program?: Program; method?: string },
  ) => Promise<unknown>;
  readonly root: string;
  readonly management: string;
  readonly token: (ttl: string) => string;
}

type Tale = (stage: Stage) => unknown;

function stage(): Stage {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const root = main.rootToken;
  const shop = sim.program("shop");
  const ask: Stage["ask"] = async (path, body, { token = root, program = shop, method = "POST" } = {}) => {
    const init = {
      method,
      headers: { "X-Secrets-Token": token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const answer = await program.fetch(`${main.url}/v1/${path}`, init).catch(() => undefined);
    return answer === undefined ? undefined : await answer.json().catch(() => undefined);
  };
  const management = sim.scheduler.region("global").as().acl.bootstrap().SecretID ?? "";
  return { sim, shop, ask, root, management, token: (ttl) => main.createToken({ policies: ["default"], ttl }).token };
}

const lookup = (by: { token: string }): [string, undefined, { token: string; method: string }] => [
  "auth/token/lookup-self",
  undefined,
  { ...by, method: "GET" },
];

/** A token of its own, renewable, for an hour. */
async function madeToken(ask: Stage["ask"]): Promise<string> {
  const { auth } = (await ask("auth/token/create", { ttl: "1h", policies: ["default"] })) as {
    auth: { client_token: string };
  };
  return auth.client_token;
}

function furnishedLibrary({ sim }: Stage): void {
  const main = sim.secrets.cluster("main");
  const owner = main.as(main.rootToken);
  const base = "ou=service,dc=example,dc=com";
  owner.ldapConfig.write({ binddn: `cn=engine,${base}`, bindpass: "bind", userdn: base, userattr: "cn" });
  sim.directory.addSuffix(base);
  for (const cn of ["svc-1", "svc-2"]) sim.directory.addEntry(`cn=${cn},${base}`, { cn });
  owner.library.write({ set_name: "ops", service_account_names: ["svc-1", "svc-2"], ttl: "15m", max_ttl: "15m" });
}

const checkOut = (ask: Stage["ask"], program?: Program) =>
  ask("ldap/library/ops/check-out", {}, program === undefined ? {} : { program });
const checkIn = (ask: Stage["ask"], account: string) =>
  ask("ldap/library/ops/check-in", { service_account_names: [account] });

/** Asks for the policies of a region, and gives up where that waits. */
async function policies({ sim, shop, management }: Stage, query: string, signal?: AbortSignal): Promise<void> {
  const giveUp = new AbortController();
  const { url } = sim.scheduler.region("global");
  const headers = { "X-Scheduler-Token": management };
  const asking = shop.fetch(`${url}/v1/acl/policies?${query}`, { headers, signal: signal ?? giveUp.signal });
  if (signal === undefined && query !== "") giveUp.abort();
  await asking.catch(() => undefined);
}

/** By rule: what keeps to it, and what does not, with what is said of it. */
const TALES: readonly (readonly [rule: Rule, tale: string, breach: RegExp | undefined, tell: Tale])[] = [
  [usesNothingEnded(), "a token in its time", undefined, ({ ask, token }) => ask(...lookup({ token: token("1m") }))],
  [
    usesNothingEnded(),
    "a token after its end",
    /^shop used what has ended \(token .+ ended at 2026-01-01T00:01:00Z .*\): r\d+ /,
    async ({ sim, ask, token }) => {
      const ended = token("1m");
      sim.clock.advance("2m");
      await ask(...lookup({ token: ended }));
    },
  ],
  [
    usesNothingEnded(),
    "a token that was revoked",
    /used what has ended/,
    async ({ sim, ask, token }) => {
      const revoked = token("1h");
      const main = sim.secrets.cluster("main");
      main.as(main.rootToken).tokens.revoke({ token: revoked });
      await ask(...lookup({ token: revoked }));
    },
  ],
  [usesNothingEnded(), "a token that never was", undefined, ({ ask }) => ask(...lookup({ token: "scs.nobody" }))],
  [
    renewsBefore("2/3"),
    "a renewal at two thirds, and a second later",
    undefined,
    async ({ sim, ask }) => {
      const token = await madeToken(ask);
      sim.clock.advance("40m1s");
      await ask("auth/token/renew-self", {}, { token });
      sim.clock.advance("40m");
      await ask("auth/token/renew-self", {}, { token });
    },
  ],
  [
    renewsBefore("2/3"),
    "a renewal two seconds after two thirds",
    /^shop renewed a token 40m2s after it was given for 1h, later than 2\/3 of it: /,
    async ({ sim, ask }) => {
      const token = await madeToken(ask);
      sim.clock.advance("40m2s");
      await ask("auth/token/renew-self", {}, { token });
    },
  ],
  [
    renewsBefore(0.5),
    "a use after half, without a renewal",
    /^shop uses a token 31m after it was given for 1h, later than 0\.5 of it: /,
    async ({ sim, ask }) => {
      const token = await madeToken(ask);
      sim.clock.advance("31m");
      await ask(...lookup({ token }));
    },
  ],
  [
    renewsBefore("2/3"),
    "a renewal in time whose answer was lost",
    undefined,
    async ({ sim, shop, ask }) => {
      const token = await madeToken(ask);
      sim.clock.advance("39m");
      sim.faults.requests({ effect: { kind: "lose-request" }, program: shop, times: 1 });
      await ask("auth/token/renew-self", {}, { token });
      sim.clock.advance("10m");
      await ask(...lookup({ token }));
    },
  ],
  [
    returnsWhatItBorrowed(),
    "what is borrowed and given back",
    undefined,
    async (on) => {
      furnishedLibrary(on);
      await checkOut(on.ask);
      on.sim.clock.advance("10m");
      await checkIn(on.ask, "svc-1");
      on.sim.clock.advance("1h");
    },
  ],
  [
    returnsWhatItBorrowed(),
    "what is borrowed and kept",
    /^shop never gave back svc-1, whose time was up at 2026-01-01T00:15:00\.000Z: /,
    async (on) => {
      furnishedLibrary(on);
      await checkOut(on.ask);
      on.sim.clock.advance("1h");
    },
  ],
  [
    returnsWhatItBorrowed(),
    "what is given back twice",
    /^shop gives back svc-1, which it does not have: /,
    async (on) => {
      furnishedLibrary(on);
      await checkOut(on.ask);
      await checkIn(on.ask, "svc-1");
      await checkIn(on.ask, "svc-1");
    },
  ],
  [
    returnsWhatItBorrowed(),
    "what is given back again after a lost answer",
    undefined,
    async (on) => {
      furnishedLibrary(on);
      await checkOut(on.ask);
      on.sim.faults.requests({ effect: { kind: "lose-answer" }, program: on.shop, times: 1 });
      await checkIn(on.ask, "svc-1");
      await checkIn(on.ask, "svc-1");
      on.sim.clock.advance("1h");
    },
  ],
  [
    returnsWhatItBorrowed(),
    "what another one borrowed",
    /^shop gives back svc-1, which till borrowed: /,
    async (on) => {
      furnishedLibrary(on);
      await checkOut(on.ask, on.sim.program("till"));
      await checkIn(on.ask, "svc-1");
    },
  ],
  [
    backsOff({ tries: 3, within: "10s" }),
    "three tries, and one when ten seconds have passed",
    undefined,
    async ({ sim, ask }) => {
      sim.network.stop(sim.secrets.cluster("main"));
      for (const wait of ["1s", "1s", "8s", "10s"] as const) {
        await ask("kv/a", {});
        sim.clock.advance(wait);
      }
      await ask("kv/a", {});
    },
  ],
  [
    backsOff({ tries: 3, within: "10s" }),
    "four tries in three seconds",
    /^shop asked 4 times within 10s where it was told to wait, or refused: r\d+ /,
    async ({ sim, ask }) => {
      sim.network.stop(sim.secrets.cluster("main"));
      for (let tries = 0; tries < 4; tries++) {
        await ask("kv/a", {});
        sim.clock.advance("1s");
      }
    },
  ],
  [
    followsRetryAfter(),
    "a wait as long as it was told",
    undefined,
    async ({ sim, shop, ask }) => {
      const effect = { kind: "status", status: 429, headers: { "Retry-After": "5" } } as const;
      sim.faults.requests({ effect, program: shop, times: 1 });
      await ask("kv/a", {});
      sim.clock.advance("5s");
      await ask("kv/a", {});
    },
  ],
  [
    followsRetryAfter(),
    "a wait that is too short",
    /^shop did not wait although it was told Retry-After: 5: r\d+ /,
    async ({ sim, shop, ask }) => {
      const effect = { kind: "status", status: 429, headers: { "Retry-After": "5" } } as const;
      sim.faults.requests({ effect, program: shop, times: 1 });
      await ask("kv/a", {});
      sim.clock.advance("4s");
      await ask("kv/a", {});
    },
  ],
  [
    repeatsOnlyTheRepeatable(),
    "a write that is repeated after a lost answer",
    undefined,
    async ({ sim, shop, ask }) => {
      sim.faults.requests({ effect: { kind: "lose-answer" }, program: shop, times: 1 });
      await ask("kv/a", { v: 1 });
      await ask("kv/a", { v: 1 });
    },
  ],
  [
    repeatsOnlyTheRepeatable(),
    "a token that is asked for again after a lost answer",
    /^shop repeated what may have been done, and does something new each time: r\d+ /,
    async ({ sim, shop, ask }) => {
      sim.faults.requests({ effect: { kind: "lose-answer" }, program: shop, times: 1 });
      await madeToken(ask).catch(() => undefined);
      await madeToken(ask);
    },
  ],
  [
    repeatsOnlyTheRepeatable({ may: ["secrets.tokens.create"] }),
    "the same where spare tokens do no harm",
    undefined,
    async ({ sim, shop, ask }) => {
      sim.faults.requests({ effect: { kind: "lose-answer" }, program: shop, times: 1 });
      await madeToken(ask).catch(() => undefined);
      await madeToken(ask);
    },
  ],
  [
    repeatsOnlyTheRepeatable(),
    "a token that is asked for again where the service refused connections",
    undefined,
    async ({ sim, ask }) => {
      const main = sim.secrets.cluster("main");
      sim.network.stop(main);
      await madeToken(ask).catch(() => undefined);
      sim.network.start(main);
      await madeToken(ask);
    },
  ],
  [
    holdsNoSecretOfAnother(),
    "a token of its own",
    undefined,
    async ({ ask }) => ask(...lookup({ token: await madeToken(ask) })),
  ],
  [
    holdsNoSecretOfAnother(),
    "a token that was made for another program",
    /^shop uses what was handed to till: /,
    async ({ sim, ask }) => {
      const till = sim.program("till");
      const token = await madeToken((path, body) => ask(path, body, { program: till }));
      await ask(...lookup({ token }));
    },
  ],
  [
    waitsWithAnIndex(),
    "a look each two minutes",
    undefined,
    async (on) => {
      const { sim } = on;
      await policies(on, "");
      sim.clock.advance("2m");
      await policies(on, "");
    },
  ],
  [
    waitsWithAnIndex(),
    "a poll each second",
    /^shop asked again after 1 s without the index \d+: r\d+ /,
    async (on) => {
      const { sim } = on;
      await policies(on, "");
      sim.clock.advance("1s");
      await policies(on, "");
    },
  ],
  [
    waitsWithAnIndex(),
    "an index from elsewhere",
    /^shop waits for what comes after 77, which no answer of this place had: r\d+ /,
    async (on) => {
      const giveUp = new AbortController();
      const waiting = policies(on, "index=77", giveUp.signal);
      giveUp.abort();
      await waiting;
    },
  ],
  [
    leavesNoWatcherBehind(),
    "one watch at a time",
    undefined,
    async (on) => {
      const { sim } = on;
      for (let round = 0; round < 2; round++) {
        const giveUp = new AbortController();
        const waiting = policies(on, "index=77", giveUp.signal);
        sim.clock.advance("1s");
        giveUp.abort();
        await waiting;
      }
    },
  ],
  [
    leavesNoWatcherBehind(),
    "a second watch while the first still waits",
    /^shop began to wait while r\d+ still waits for the same: r\d+ /,
    async (on) => {
      const { sim } = on;
      const { signal } = new AbortController();
      void policies(on, "index=77", signal);
      sim.clock.advance("1s");
      void policies(on, "index=78", signal);
      await Promise.resolve();
    },
  ],
];

describe("a rule", () => {
  test.each(TALES)("%o looks at %s", async (rule, _, breach, tell) => {
    const on = stage();
    await tell(on);
    const breaches = rule(on.sim.journal, on.sim, "shop");
    // Of all programs together it says the same, and of none that did nothing.
    expect(rule(on.sim.journal, on.sim).filter(({ text }) => text.startsWith("shop "))).toEqual(breaches);
    expect(rule(on.sim.journal, on.sim, "nobody")).toEqual([]);
    if (breach === undefined) {
      expect(breaches).toEqual([]);
      return;
    }
    expect(breaches).toHaveLength(1);
    expect(breaches[0]?.text).toMatch(breach);
    expect(breaches[0]?.rule).toBe(rule.name);
    expect(on.sim.journal).toContainEqual(breaches[0]?.entry);
    expect(breaches[0]?.atMs).toBe(breaches[0]?.entry.atMs);
  });

  test.each([
    [() => renewsBefore("2/0"), 'renewsBefore: "2/0" is no fraction'],
    [() => renewsBefore(0), "renewsBefore: 0 is no fraction"],
    [() => renewsBefore("soon"), 'renewsBefore: "soon" is no fraction'],
    [() => backsOff({ tries: 0 }), "backsOff: tries is 0, and has to be a whole number from 1 on"],
    [() => backsOff({ within: "soon" as never }), "soon"],
    [() => backsOff({ often: 1 } as never), "often"],
    [
      () => repeatsOnlyTheRepeatable({ may: "all" } as never),
      'repeatsOnlyTheRepeatable: may is "all", and has to be an array',
    ],
  ])("%o is refused", (make, why) => {
    expect(make).toThrow(why);
  });
});
