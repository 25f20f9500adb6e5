import { expect } from "vitest";
import type { Envelope, Simulator } from "../../src/index.ts";
import type { Answer } from "./driver.ts";

/** The keys of every answer with a result (decisions-secrets-core.md, A.1). */
export const ENVELOPE_KEYS = [
  "auth",
  "data",
  "lease_duration",
  "lease_id",
  "renewable",
  "request_id",
  "warnings",
  "wrap_info",
];

/** A refusal has a status, and texts that hold the quoted pieces; without pieces its `errors` are empty. */
export function expectRefused(answer: Answer, status: number, ...pieces: readonly string[]): void {
  expect({ status: answer.status, errors: answer.errors }).toEqual({
    status,
    errors: pieces.length === 0 ? "" : expect.any(String),
  });
  for (const piece of pieces) expect(answer.errors).toContain(piece);
}

/** 404 with no text: a missing item, or a listing of nothing. */
export function expectNotFound(answer: Answer): void {
  expectRefused(answer, 404);
}

/** Done, and nothing to say. */
export function expectDone(answer: Answer): void {
  expect(answer).toEqual({ status: 204, body: undefined, errors: undefined, code: undefined });
}

/** 200 with an envelope of exactly its keys. */
export function expectEnvelope(answer: Answer): Envelope<unknown> {
  expect({ status: answer.status, errors: answer.errors }).toEqual({ status: 200, errors: undefined });
  const body = answer.body as Envelope<unknown>;
  expect(Object.keys(body).sort()).toEqual(ENVELOPE_KEYS);
  expect(body.request_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(body.wrap_info).toBeNull();
  expect(body.auth).toBeNull();
  if (body.warnings !== null) expect(body.warnings).not.toEqual([]);
  return body;
}

/** The `data` of a 200. */
export function expectData(answer: Answer): Record<string, unknown> {
  return expectEnvelope(answer).data as Record<string, unknown>;
}

/** What somebody does changes neither state nor log. */
export async function expectNothingChanged(sim: Simulator, work: () => unknown): Promise<void> {
  const before = { position: sim.position, hash: sim.stateHash() };
  await work();
  expect({ position: sim.position, hash: sim.stateHash() }).toEqual(before);
}
