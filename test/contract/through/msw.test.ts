import { throughDoor } from "./through.ts";

await throughDoor("msw");
