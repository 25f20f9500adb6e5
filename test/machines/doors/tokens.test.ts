import { activationTokenMachine } from "../../../machines/activation-token.machine.ts";
import { authorizationCodeMachine } from "../../../machines/authorization-code.machine.ts";
import { keyRingMachine } from "../../../machines/key-ring.machine.ts";
import { tokenMachine } from "../../../machines/token.machine.ts";
import { wrappingTokenMachine } from "../../../machines/wrapping-token.machine.ts";
import { createSimulator } from "../../../src/index.ts";
import { replicatedWorld } from "../../contract/secrets/replication/replicated-world.ts";
import { LoginWorld, REDIRECT } from "../../support/oidc.ts";
import { describeDoors } from "./doors.ts";

/** A root, and tokens that end in an hour. */
function bearers() {
  const sim = createSimulator();
  const main = sim.secrets.cluster("main");
  const { tokens, kv, wrapping } = main.as(main.rootToken);
  let last = "";
  const token = (more: object = {}) => {
    last = main.createToken({ policies: ["root"], ttl: "1h", renewable: true, ...more }).token;
    return last;
  };
  kv.write({ path: "a", data: 1 });
  const wrapped = () => {
    last = String(kv.read({ path: "a" }, { wrapTtl: "1m" }).wrap_info?.token);
    return last;
  };
  const local = () => sim.state.secrets["main"]?.local;
  return {
    ...{ sim, main, tokens, wrapping, token, wrapped },
    /** Whether the token that was made last is there, and what waits under it. */
    isThere: () => local()?.tokens.has(last),
    isWaiting: () => local()?.wrapped.has(last),
  };
}

describeDoors(tokenMachine, {
  world: bearers,
  stateIn: ({ isThere }) => (isThere() ? "valid" : "ended"),
  moves: [
    {
      state: "valid",
      move: "renew",
      to: "valid",
      story: ({ main, token }) => {
        const { tokens } = main.as(token());
        return () => tokens.renewSelf({});
      },
    },
    {
      state: "valid",
      move: "createChild",
      to: "valid",
      story: ({ main, token }) => {
        const { tokens } = main.as(token());
        return () => tokens.create({ ttl: "1m" });
      },
    },
    {
      state: "valid",
      move: "revoke",
      to: "ended",
      story: ({ tokens, token }) => {
        const one = token();
        return () => tokens.revoke({ token: one });
      },
    },
    { state: "valid", move: "end", to: "ended", story: [(w) => w.token(), (w) => w.sim.clock.advance("1h")] },
  ],
  refused: [
    {
      state: "valid",
      move: "renew",
      story: ({ tokens, token }) => {
        const one = token({ renewable: false });
        return () => tokens.renew({ token: one });
      },
    },
    {
      state: "valid",
      move: "renew",
      story: ({ tokens, token }) => {
        const one = token({ type: "batch", policies: ["default"] });
        return () => tokens.renew({ token: one });
      },
    },
    {
      state: "valid",
      move: "createChild",
      keeps: ["TokenUsed"],
      story: ({ main, token }) => {
        const { tokens } = main.as(token({ numUses: 2 }));
        return () => tokens.create({});
      },
    },
    {
      state: "valid",
      move: "createChild",
      story: ({ main, token }) => {
        main.writePolicy("maker", 'path "auth/token/create" { capabilities = ["update"] }');
        const { tokens } = main.as(token({ type: "batch", policies: ["maker"] }));
        return () => tokens.create({});
      },
    },
    {
      state: "valid",
      move: "revoke",
      story: ({ tokens, token }) => {
        const one = token({ type: "batch", policies: ["default"] });
        return () => tokens.revoke({ token: one });
      },
    },
    {
      state: "ended",
      move: "renew",
      story: ({ tokens, token }) => {
        const one = token();
        tokens.revoke({ token: one });
        return () => tokens.renew({ token: one });
      },
    },
  ],
  noDoor: [
    { states: ["ended"], moves: ["createChild"], why: "A token that has ended lets nobody in." },
    { states: ["ended"], moves: ["revoke", "end"], why: "A token that has ended is not there: nothing is left to do." },
  ],
});

describeDoors(wrappingTokenMachine, {
  world: bearers,
  stateIn: ({ isWaiting }) => (isWaiting() ? "waiting" : "ended"),
  moves: [
    {
      state: "waiting",
      move: "unwrap",
      to: "ended",
      story: ({ wrapping, wrapped }) => {
        const token = wrapped();
        return () => wrapping.unwrap({ token });
      },
    },
    {
      state: "waiting",
      move: "rewrap",
      to: "ended",
      story: ({ wrapping, wrapped }) => {
        const token = wrapped();
        return () => wrapping.rewrap({ token });
      },
    },
  ],
  refused: [
    { state: "ended", move: "unwrap", story: onceMore("unwrap") },
    { state: "ended", move: "rewrap", story: onceMore("rewrap") },
  ],
});

function onceMore(move: "unwrap" | "rewrap") {
  return ({ wrapping, wrapped }: ReturnType<typeof bearers>) => {
    const token = wrapped();
    wrapping.unwrap({ token });
    return () => wrapping[move]({ token });
  };
}

/** `a` leads, and gives tokens to whoever wants to be `b`, of ten minutes each. */
function activating() {
  const { sim, cluster } = replicatedWorld(["a", "b"]);
  const [a, b] = [cluster("a"), cluster("b")];
  const lead = a.as(a.rootToken).replication.dr;
  lead.primaryEnable();
  const issue = async () => ({ token: (await lead.secondaryToken({ id: "b", ttl: "10m" })).wrap_info?.token ?? "" });
  const own = b.as(b.rootToken).replication.dr;
  const use = (asked: { token: string }) => own.secondaryEnable(asked);
  const revoke = () => lead.revokeSecondary({ id: "b" });
  const known = () => {
    const role = sim.state.secrets["a"]?.ignored.dr;
    return role?.mode === "primary" ? role.secondaries.get("b") : undefined;
  };
  return { sim, issue, use, revoke, known };
}

describeDoors(activationTokenMachine, {
  world: activating,
  stateIn: ({ known }) => {
    const secondary = known();
    if (secondary === undefined) return "unknown";
    return secondary.activation === undefined ? "used" : "issued";
  },
  moves: [
    { state: "unknown", move: "issue", to: "issued", story: ({ issue }) => issue },
    { state: "unknown", move: "revoke", to: "unknown", story: ({ revoke }) => revoke },
    {
      state: "issued",
      move: "issue",
      to: "issued",
      story: [(w) => w.issue(), (w) => w.sim.clock.advance("10m"), (w) => w.issue()],
    },
    {
      state: "issued",
      move: "use",
      to: "used",
      story: async ({ issue, use }) => {
        const asked = await issue();
        return () => use(asked);
      },
    },
    { state: "issued", move: "revoke", to: "unknown", story: [(w) => w.issue(), (w) => w.revoke()] },
    { state: "used", move: "revoke", to: "unknown", story: [async (w) => w.use(await w.issue()), (w) => w.revoke()] },
  ],
  refused: [
    {
      state: "unknown",
      move: "use",
      story: async ({ issue, use, revoke }) => {
        const asked = await issue();
        revoke();
        return () => use(asked);
      },
    },
    { state: "issued", move: "issue", story: [(w) => w.issue(), (w) => w.issue()] },
    {
      state: "issued",
      move: "use",
      story: async ({ sim, issue, use }) => {
        const asked = await issue();
        sim.clock.advance("10m");
        return () => use(asked);
      },
    },
    { state: "used", move: "issue", story: [async (w) => w.use(await w.issue()), (w) => w.issue()] },
  ],
  noDoor: [{ states: ["used"], moves: ["use"], why: "A used token leads to no id: it is asked for as unknown." }],
});

/** A client, and a code for it. */
async function loggingIn() {
  const world = new LoginWorld();
  const client = world.register();
  const code = await world.code(client);
  const spend = () =>
    world.sim.secrets
      .cluster("main")
      .as()
      .oidc.token({
        name: "default",
        grant_type: "authorization_code",
        code,
        redirect_uri: REDIRECT,
        client_id: client.client_id,
        client_secret: client.client_secret ?? "",
      });
  return { sim: world.sim, world, spend };
}

describeDoors(authorizationCodeMachine, {
  world: loggingIn,
  stateIn: ({ sim }) => (sim.state.secrets["main"]?.local.oidcCodes.size === 1 ? "issued" : "spent"),
  moves: [{ state: "issued", move: "spend", to: "spent", story: ({ spend }) => spend }],
  refused: [
    { state: "issued", move: "spend", story: [(w) => w.sim.clock.advance("1h"), (w) => w.spend()] },
    { state: "spent", move: "spend", story: [(w) => w.spend(), (w) => w.spend()] },
  ],
});

/** A named key that rotates every day, and clients that use it. */
function keys() {
  const { sim, oidc } = new LoginWorld();
  oidc.keys.write({ name: "k", rotation_period: 86_400, allowed_client_ids: ["*"] });
  const use = (name = "app") => oidc.clients.write({ name, key: "k" });
  const replace = () => oidc.keys.write({ name: "k", algorithm: "ES256" });
  const rotate = () => oidc.keys.rotate({ name: "k" });
  const status = () => sim.state.secrets["main"]?.replicated.oidc.keys.get("k")?.status;
  return { sim, use, replace, rotate, status };
}

describeDoors(keyRingMachine, {
  world: keys,
  stateIn: ({ status }) => status(),
  moves: [
    {
      state: "waiting",
      move: "arm",
      to: "armed",
      story:
        ({ use }) =>
        () =>
          use(),
    },
    { state: "waiting", move: "restart", to: "waiting", story: ({ rotate }) => rotate },
    { state: "armed", move: "rotate", to: "armed", story: [(w) => w.use(), (w) => w.sim.clock.advance("1d")] },
    { state: "armed", move: "replace", to: "armed", story: [(w) => w.use(), (w) => w.replace()] },
  ],
  refused: [
    { state: "waiting", move: "replace", goesOn: true, story: ({ replace }) => replace },
    { state: "armed", move: "arm", goesOn: true, story: [(w) => w.use(), (w) => w.use("another")] },
    { state: "armed", move: "restart", goesOn: true, story: [(w) => w.use(), (w) => w.rotate()] },
  ],
  noDoor: [
    {
      states: ["waiting"],
      moves: ["rotate"],
      why: "Nothing is there: by hand the period restarts, and no time is due.",
    },
  ],
});
