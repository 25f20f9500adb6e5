import { throughDoor } from "./through.ts";

await throughDoor("a socket");
