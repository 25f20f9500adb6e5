import type { Simulator } from "../../simulator/types.ts";
import type { FollowClockOptions } from "./follow-clock.ts";
import type { ServedUrls } from "./urls.ts";

/** Where services answer for other processes. */
export interface Listener {
  /** The simulator that answers: the one that was given, until it is reset. */
  readonly sim: Simulator;
  /** The port for all, or the first of those that belong to one service. */
  readonly port: number;
  /** The URL at that port. */
  readonly url: string;
  /** Where each service answers. */
  readonly urls: ServedUrls;
  /** What has to be sent to the admin path as `Authorization: Bearer`; undefined where there is none. */
  readonly adminSecret: string | undefined;
  /** The page that shows the simulator, with the secret behind `#`, which browsers keep to themselves; undefined where there is none. */
  readonly inspectUrl: string | undefined;
  /** The certificate in PEM, for whoever is to trust it; undefined without TLS. */
  readonly certificate: string | undefined;
  /**
   * Moves the virtual clock as the real one moves, `factor` times as fast, from now on; a second call changes the factor.
   *
   * @throws TypeError for a factor that is none
   * @example
   * server.followClock({ factor: 60 }); // a minute every second
   */
  followClock(options?: FollowClockOptions): void;
  /** Lets the clock stand still again. */
  stopClock(): void;
  /**
   * Answers from another simulator from now on, such as a fork at an earlier place. A living log then holds the log of that one.
   *
   * @throws LivingLogError when its log cannot be written; the simulator then stays
   */
  reset(sim: Simulator): Promise<void>;
  /** Takes no more requests, lets those end that are being answered, and frees the ports. The log stays open. */
  close(): Promise<void>;
}
