import { decrypt, generateKey, readMessage } from "openpgp";
import { describe, expect, it } from "vitest";
import { createSimulator, rehearse, type Simulator } from "../../../src/index.ts";
import { type Answer, doors, type Fields, type OperationName, send } from "../driver.ts";
import { decoded, hexOf } from "./replication/dr-secondary.ts";

// src/services/secrets/cluster/README.md, 3.

type Body = Record<string, unknown>;

const main = (sim: Simulator) => sim.secrets.cluster("main");

describe.each(doors())("through %s,", (_, { open }) => {
  function begun(options: Parameters<typeof createSimulator>[0] = {}) {
    const sim = createSimulator(options);
    const door = open(sim);
    const asked = async (verb: string, fields: Fields = {}): Promise<Answer> =>
      door.call(verb as OperationName, fields, { token: null });
    const call = async (verb: string, fields: Fields = {}): Promise<Body> => {
      const answer = await asked(verb, fields);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body as Body;
    };
    /** Gives as many shares as it takes, and gives the last answer. */
    const give = async (verb: string, nonce: unknown, shares: readonly string[], count = 3): Promise<Body> => {
      let last: Body = {};
      for (const key of shares.slice(0, count)) last = await call(verb, { key, nonce: String(nonce) });
      return last;
    };
    return { sim, door, asked, call, give };
  }

  describe("a root token", () => {
    const idle = {
      started: false,
      nonce: "",
      progress: 0,
      required: 3,
      encoded_token: "",
      encoded_root_token: "",
      pgp_fingerprint: "",
      otp: "",
      otp_length: 28,
      complete: false,
    };

    it("is made by as many shares as the key asks for", async () => {
      const { sim, door, call, give } = begun();
      expect(await call("rootToken.attempt")).toEqual(idle);
      const { nonce, otp } = await call("rootToken.start");
      expect(await call("rootToken.attempt")).toEqual({ ...idle, started: true, nonce });
      const last = await give("rootToken.update", nonce, main(sim).keyShares.map(hexOf));
      const encoded = last["encoded_token"];
      const complete = { encoded_token: encoded, encoded_root_token: encoded, complete: true };
      expect(last).toEqual({ ...idle, started: true, nonce, progress: 3, ...complete });
      const token = decoded(String(encoded), String(otp));
      const shown = await door.call("tokens.lookupSelf", {}, { token });
      const data = { policies: ["root"], path: "auth/token/root", display_name: "root", orphan: true, ttl: 0 };
      expect(shown.body).toMatchObject({ data });
      expect(await call("rootToken.attempt")).toEqual(idle);
    });

    it("is hidden by the caller's pad, which no answer shows", async () => {
      const { sim, asked, call, give } = begun();
      const otp = "A".repeat(28);
      const { nonce, otp: answered } = await call("rootToken.start", { otp });
      expect(answered).toBe("");
      expect(await asked("rootToken.start")).toMatchObject({ status: 400, code: "generation_in_progress" });
      const last = await give("rootToken.update", nonce, main(sim).keyShares);
      expect(decoded(String(last["encoded_token"]), otp)).toMatch(/^scs\.\w{24}$/);
    });

    it.each([
      ["a short pad", { otp: "A" }, "generation_otp_length"],
      ["two covers", { otp: "A".repeat(28), pgp_key: "AAAA" }, "generation_covers_exclusive"],
      ["a key that is none", { pgp_key: "AAAA" }, "pgp_key_malformed"],
    ])("is not begun with %s", async (_name, fields, code) => {
      const { asked, call } = begun();
      expect(await asked("rootToken.start", fields)).toMatchObject({ status: 400, code });
      expect(await call("rootToken.attempt")).toEqual(idle);
    });

    it("is not made by wrong shares, and the attempt goes on", async () => {
      const { asked, call } = begun();
      expect(await asked("rootToken.update", { key: "ab".repeat(33) })).toMatchObject({
        code: "generation_not_started",
      });
      const { nonce } = await call("rootToken.start");
      const shares = ["ab", "cd", "ef"].map((byte) => byte.repeat(33));
      for (const key of shares.slice(0, 2)) await call("rootToken.update", { key, nonce: String(nonce) });
      const last = await asked("rootToken.update", { key: shares[2] ?? "", nonce: String(nonce) });
      expect(last).toMatchObject({ status: 400, code: "generation_aborted" });
      expect(await call("rootToken.attempt")).toMatchObject({ started: true, nonce, progress: 0 });
      expect(await asked("rootToken.cancel")).toMatchObject({ status: 204 });
      expect(await call("rootToken.attempt")).toEqual(idle);
    });
  });

  describe("a rekey", () => {
    const idle = {
      nonce: "",
      started: false,
      t: 0,
      n: 0,
      progress: 0,
      required: 3,
      pgp_fingerprints: null,
      backup: false,
      verification_required: false,
    };

    it("gives the cluster other shares, which open it from then on", async () => {
      const { sim, asked, call, give } = begun();
      expect(await call("rekey.status")).toEqual(idle);
      const old = main(sim).keyShares;
      const started = await call("rekey.start", { secret_shares: 3, secret_threshold: 2 });
      const { nonce } = started;
      expect(started).toEqual({ ...idle, nonce, started: true, t: 2, n: 3 });
      expect(await asked("rekey.start", { secret_shares: 1, secret_threshold: 1 })).toMatchObject({
        code: "rekey_in_progress",
      });
      const last = await give("rekey.update", nonce, old);
      const { keyShares } = main(sim);
      expect(last).toEqual({
        nonce,
        complete: true,
        keys: keyShares.map(hexOf),
        keys_base64: keyShares,
        pgp_fingerprints: null,
        backup: false,
        verification_required: false,
      });
      expect(keyShares).toHaveLength(3);
      expect(await call("rekey.status")).toEqual({ ...idle, required: 2 });
      main(sim).seal();
      await give("seal.unseal", "", keyShares, 2);
      expect(await call("seal.status")).toMatchObject({ sealed: false, t: 2, n: 3 });
      expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
    });

    it("waits for the new shares where they are to be shown", async () => {
      const { sim, asked, call, give } = begun();
      const old = main(sim).keyShares;
      expect(await asked("rekey.verification")).toMatchObject({ status: 400, code: "rekey_not_started" });
      const wanted = { secret_shares: 3, secret_threshold: 2, require_verification: true };
      const { nonce } = await call("rekey.start", wanted);
      expect(await asked("rekey.restartVerification")).toMatchObject({ status: 400, code: "rekey_not_verifying" });
      const early = { key: old[0] ?? "", nonce: "" };
      expect(await asked("rekey.verify", early)).toMatchObject({ status: 400, code: "rekey_not_verifying" });
      const made = await give("rekey.update", nonce, old);
      const verification = made["verification_nonce"];
      expect(made).toMatchObject({ complete: true, verification_required: true });
      expect(main(sim).keyShares).toEqual(old);
      expect(await call("rekey.status")).toMatchObject({ nonce, progress: 0, verification_nonce: verification });
      expect(await asked("rekey.update", { key: old[0] ?? "", nonce: String(nonce) })).toMatchObject({
        status: 400,
        code: "rekey_awaits_verification",
      });
      const shares = made["keys"] as readonly string[];
      const shown = { nonce: verification, started: true, t: 2, n: 3 };
      expect(await give("rekey.verify", verification, shares, 1)).toEqual({ ...shown, progress: 1 });
      const again = { key: shares[0] ?? "", nonce: String(verification) };
      expect(await asked("rekey.verify", again)).toMatchObject({ status: 400, code: "rekey_share_repeated" });
      expect(await asked("rekey.verify", { ...again, key: old[0] ?? "" })).toMatchObject({ code: "rekey_aborted" });
      const renewed = await call("rekey.restartVerification");
      expect(renewed).toEqual({ ...shown, nonce: renewed["nonce"], progress: 0 });
      expect(renewed["nonce"]).not.toBe(verification);
      expect(await asked("rekey.verify", again)).toMatchObject({ status: 400, code: "rekey_nonce_differs" });
      const last = await give("rekey.verify", renewed["nonce"], shares, 2);
      expect(last).toEqual({ nonce: renewed["nonce"], complete: true });
      expect(main(sim).keyShares.map(hexOf)).toEqual(shares);
    });

    it("leaves the old shares in force when it is cancelled while it is verified", async () => {
      const { sim, asked, call, give } = begun();
      const old = main(sim).keyShares;
      const { nonce } = await call("rekey.start", {
        secret_shares: 1,
        secret_threshold: 1,
        require_verification: true,
      });
      await give("rekey.update", nonce, old);
      expect(await asked("rekey.cancel")).toMatchObject({ status: 204 });
      expect(await call("rekey.status")).toEqual(idle);
      expect(main(sim).keyShares).toEqual(old);
    });

    it("takes each share once, and begins anew after wrong ones", async () => {
      const { sim, asked, call } = begun();
      const [one = "", two = ""] = main(sim).keyShares;
      expect(await asked("rekey.update", { key: one, nonce: "" })).toMatchObject({ code: "rekey_not_started" });
      const { nonce: made } = await call("rekey.start", { secret_shares: 1, secret_threshold: 1 });
      const nonce = String(made);
      expect(await asked("rekey.update", { key: "", nonce })).toMatchObject({ code: "generation_share_missing" });
      expect(await asked("rekey.update", { key: one, nonce: "x" })).toMatchObject({ code: "rekey_nonce_differs" });
      expect(await call("rekey.update", { key: one, nonce })).toMatchObject({ started: true, progress: 1 });
      expect(await asked("rekey.update", { key: hexOf(one), nonce })).toMatchObject({ code: "rekey_share_repeated" });
      await call("rekey.update", { key: two, nonce });
      const wrong = await asked("rekey.update", { key: "ab".repeat(33), nonce });
      expect(wrong).toMatchObject({ status: 400, code: "rekey_aborted" });
      expect(await call("rekey.status")).toMatchObject({ started: true, nonce, progress: 0 });
    });

    it.each([
      [
        "a backup of what nothing covers",
        { secret_shares: 1, secret_threshold: 1, backup: true },
        "rekey_backup_uncovered",
      ],
      ["too few keys", { secret_shares: 3, secret_threshold: 2, pgp_keys: ["AAAA"] }, "rekey_pgp_keys_count"],
      ["a key that is none", { secret_shares: 1, secret_threshold: 1, pgp_keys: ["AAAA"] }, "pgp_key_malformed"],
      ["nothing", {}, "rekey_shares_refused"],
      ["no threshold", { secret_shares: 3 }, "rekey_shares_refused"],
      ["a threshold of one for more", { secret_shares: 3, secret_threshold: 1 }, "rekey_shares_refused"],
      ["too many shares", { secret_shares: 256, secret_threshold: 2 }, "rekey_shares_refused"],
      ["a threshold above the shares", { secret_shares: 3, secret_threshold: 4 }, "rekey_threshold_above_shares"],
    ])("is not begun with %s", async (_name, fields, code) => {
      const { asked, call } = begun();
      expect(await asked("rekey.start", fields)).toMatchObject({
        status: code === "rekey_shares_refused" ? 500 : 400,
        code,
      });
      expect(await call("rekey.status")).toEqual(idle);
    });

    it.each([
      ["it is sealed", ["seal", "unseal"]],
      ["it is stopped", ["stop", "start"]],
      ["another node becomes active", ["setActiveNode"]],
    ])("ends when %s", async (_name, acts) => {
      const { sim, call } = begun({ secrets: { nodes: 2 } });
      await call("rekey.start", { secret_shares: 1, secret_threshold: 1 });
      const does: { readonly [act: string]: () => void } = {
        seal: () => main(sim).seal(),
        unseal: () => main(sim).unseal(),
        stop: () => sim.network.stop(main(sim)),
        start: () => sim.network.start(main(sim)),
        setActiveNode: () => main(sim).setActiveNode(1),
      };
      for (const act of acts) does[act]?.();
      expect(await call("rekey.status")).toEqual(idle);
    });

    it("covers shares by public keys, and keeps the covered ones on request", async () => {
      const { sim, door, call, give } = begun();
      const generated = await generateKey({ userIDs: [{ name: "Ann" }], format: "object" });
      const key = Buffer.from(generated.publicKey.write()).toString("base64");
      const fingerprint = generated.publicKey.getFingerprint();
      expect(await door.call("rekey.backup")).toMatchObject({ status: 400, code: "rekey_backup_missing" });
      const wanted = { secret_shares: 2, secret_threshold: 2, pgp_keys: [key, key], backup: true };
      const { nonce, ...started } = await call("rekey.start", wanted);
      expect(started).toMatchObject({ pgp_fingerprints: [fingerprint, fingerprint], backup: true });
      const made = await give("rekey.update", nonce, main(sim).keyShares);
      const covered = made["keys_base64"] as readonly string[];
      for (const [index, share] of covered.entries()) {
        const message = await readMessage({ binaryMessage: Buffer.from(share, "base64") });
        const { data } = await decrypt({ message, decryptionKeys: generated.privateKey });
        expect(data).toBe(hexOf(main(sim).keyShares[index] ?? ""));
      }
      const kept = { nonce, keys: { [fingerprint]: made["keys"] }, keys_base64: { [fingerprint]: covered } };
      expect((await door.call("rekey.backup")).body).toMatchObject({ ...kept, data: kept });
      expect(await door.call("rekey.deleteBackup")).toMatchObject({ status: 204 });
      expect(await door.call("rekey.backup")).toMatchObject({ status: 400 });
      expect(await rehearse(sim.log.toNdjson())).toEqual({ ok: true });
    });
  });
});

it("both are in the root namespace only, and answer nothing while the cluster is sealed", async () => {
  const sim = createSimulator();
  main(sim).createNamespace("team");
  const paths = ["sys/generate-root/attempt", "sys/rekey/init", "sys/rekey/verify", "sys/rekey/backup"];
  for (const path of paths) {
    expect(await send(sim, "GET", `/v1/${path}`, { asking: { namespace: "team" } })).toMatchObject({ status: 404 });
  }
  main(sim).seal();
  for (const path of paths) expect(await send(sim, "GET", `/v1/${path}`)).toMatchObject({ status: 503 });
});
