import { command } from "../declare.ts";
import { text } from "../fields.ts";
import { bootstrapAcl } from "./decide.ts";

/** The operations of the ACL system as a whole (scheduler-acl.md, "Endpoints"). */
export const aclOperations = {
  bootstrap: command({
    route: "POST /v1/acl/bootstrap",
    evidence: "chosen",
    fields: { BootstrapSecret: text },
    body: "optional",
    decide: bootstrapAcl,
  }),
} as const;
