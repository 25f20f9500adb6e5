import { throughDoor } from "./through.ts";

await throughDoor("undici");
