import { throughDoor } from "./through.ts";

await throughDoor("http.request and the agent");
