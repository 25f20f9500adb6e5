export type { FollowClockOptions } from "./listener/follow-clock.ts";
export { httpAgent } from "./listener/http-agent.ts";
export { listen } from "./listener/listen.ts";
export type { Listener } from "./listener/listener.ts";
export type { AdminOptions, ListenOptions, OwnPorts, Ports, WorldsListenOptions } from "./listener/options.ts";
export type { ServedUrls } from "./listener/urls.ts";
export {
  type Durability,
  keepLog,
  type LivingLog,
  type LivingLogOptions,
  type ResumedLog,
  resumeLog,
} from "./living-log/living-log.ts";
export { LivingLogError, type LivingLogFault } from "./living-log/living-log-error.ts";
export { type LoadedLog, loadLog } from "./living-log/load-log.ts";
export type { WorldsListener } from "./worlds/listener.ts";
export type { WorldsOptions } from "./worlds/options.ts";
export type { WorldAmongOthers } from "./worlds/world.ts";
export { type NewWorld, openWorlds, type Worlds } from "./worlds/worlds.ts";
export { WorldsError, type WorldsFault } from "./worlds/worlds-error.ts";
