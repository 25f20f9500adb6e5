import { throughDoor } from "./through.ts";

await throughDoor("fetch and the dispatcher");
