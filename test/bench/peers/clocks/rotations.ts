import { type Clock, createClock } from "@sinonjs/fake-timers";
import type { Simulator } from "../../../../src/index.ts";
import { rotatingWorld } from "../../families/directory.ts";
import { Dice } from "../../harness/measure.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Roles whose passwords rotate daily, and hourly snapshots of which 24 are kept. */
export interface Rotations {
  readonly advanceDays: (days: number) => void;
  /** When each role's password last changed, whether it is the directory's, and when the kept snapshots were taken. */
  readonly told: () => string;
}

const ROLES = 1_000;

// --- hindcast -------------------------------------------------------------------------------------------------------

export function simulatedRotations(): Rotations {
  const sim = rotatingWorld(ROLES);
  return {
    advanceDays: (days) => void sim.clock.advance(`${days * 24}h`),
    told: () =>
      told({
        roles: Array.from({ length: ROLES }, (_, index) => roleOf(sim, `svc-${index}`)),
        snapshots: sim.stores.list("file:///backups/").map(({ storedAtMs }) => storedAtMs),
      }),
  };
}

function roleOf(sim: Simulator, role: string): RoleSeen {
  const { rootToken, as } = sim.secrets.cluster("main");
  const { staticRoles } = as(rootToken);
  const { password, last_secrets_rotation } = staticRoles.credential({ role_name: role }).data;
  const entry = sim.directory.entry(`cn=${role},ou=service,dc=example,dc=com`);
  return {
    rotatedAtMs: Date.parse(last_secrets_rotation),
    isCurrent: entry?.attributes["userPassword"]?.[0] === password,
  };
}

// --- by hand --------------------------------------------------------------------------------------------------------

interface Role {
  password: string;
  lastPassword: string;
  rotatedAtMs: number;
}

/** What one writes in an afternoon: Maps, timers, and a copy for each snapshot. No log, no refusals, no outages. */
class RotationsByHand implements Rotations {
  readonly #clock: Clock = createClock(Date.UTC(2026, 0, 1), Number.POSITIVE_INFINITY);
  readonly #dice = new Dice(7);
  readonly #roles = new Map<string, Role>();
  readonly #directory = new Map<string, string>();
  #snapshots: { readonly storedAtMs: number; readonly content: object }[] = [];

  constructor() {
    for (let index = 0; index < ROLES; index++) {
      this.#rotate(`svc-${index}`);
      if (index % 10 === 9) this.#clock.tick(MINUTE_MS);
    }
    this.#clock.setTimeout(this.#snapshot, HOUR_MS);
  }

  advanceDays(days: number): void {
    this.#clock.tick(days * DAY_MS);
  }

  told(): string {
    return told({
      roles: [...this.#roles].map(([name, { password, rotatedAtMs }]) => ({
        rotatedAtMs,
        isCurrent: this.#directory.get(name) === password,
      })),
      snapshots: this.#snapshots.map(({ storedAtMs }) => storedAtMs),
    });
  }

  #rotate(name: string): void {
    const password = this.#password();
    const lastPassword = this.#roles.get(name)?.password ?? "";
    this.#roles.set(name, { password, lastPassword, rotatedAtMs: this.#clock.now });
    this.#directory.set(name, password);
    this.#clock.setTimeout(() => this.#rotate(name), DAY_MS);
  }

  readonly #snapshot = (): void => {
    const content = structuredClone({ roles: this.#roles, directory: this.#directory });
    this.#snapshots = [...this.#snapshots, { storedAtMs: this.#clock.now, content }].slice(-24);
    this.#clock.setTimeout(this.#snapshot, HOUR_MS);
  };

  #password(): string {
    let password = "";
    for (let length = 0; length < 64; length++) password += ALPHABET[this.#dice.below(ALPHABET.length)];
    return password;
  }
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export const rotationsByHand = (): Rotations => new RotationsByHand();

// --- the same answers -----------------------------------------------------------------------------------------------

interface RoleSeen {
  readonly rotatedAtMs: number;
  readonly isCurrent: boolean;
}

function told({
  roles,
  snapshots,
}: {
  readonly roles: readonly RoleSeen[];
  readonly snapshots: readonly number[];
}): string {
  const shown = (ms: number): string => new Date(Math.floor(ms / 1_000) * 1_000).toISOString();
  return [
    ...roles.map(({ rotatedAtMs, isCurrent }, index) => `svc-${index} ${shown(rotatedAtMs)} ${isCurrent}`),
    ...snapshots.map(shown),
  ].join("\n");
}
