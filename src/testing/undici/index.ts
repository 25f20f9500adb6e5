export { type SimDispatcherOptions, simDispatcher } from "./dispatcher.ts";
