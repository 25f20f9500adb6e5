import { type Reply, view } from "../declare.ts";

/** What a client asks first (runs/README.md, "ping"). */
export const pingOperations = {
  read: view({ route: "GET /api/v2/ping", evidence: "observed", view: () => PONG }),
};

const PONG: Reply<undefined> = Object.freeze({
  status: 204,
  body: undefined,
  headers: Object.freeze({ "TFP-API-Version": "2.6", "TFP-AppName": "HCP Terraform" }),
});
