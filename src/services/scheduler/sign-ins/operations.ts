import { requireManagement } from "../access.ts";
import { command, type Reply, type ViewAsked, view } from "../declare.ts";
import { needed, text } from "../fields.ts";
import { refuse } from "../rejections.ts";
import { led, reached } from "../routing.ts";
import { NOTHING } from "../watches.ts";

// Source of all rules in this file: sign-ins/README.md. There are no auth methods and no binding rules, and none can be made.

/** That of a table that nobody wrote to; lists tell no 0. */
const UNWRITTEN = 0;
const EMPTY: Reply<readonly never[]> = Object.freeze({ body: Object.freeze([]), index: 1 });

const watch = () => NOTHING;

export const authMethodOperations = {
  list: view({ route: "GET /v1/acl/auth-methods", evidence: "observed", view: () => EMPTY, watch }),
  read: view({
    route: "GET /v1/acl/auth-method/:method_name",
    evidence: "observed",
    view: ({ method_name: name }, { bearer }): Reply<never> => {
      requireManagement(bearer);
      return refuse("auth_method_not_found", { name, index: UNWRITTEN });
    },
    watch,
  }),
} as const;

export const bindingRuleOperations = {
  list: view({
    route: "GET /v1/acl/binding-rules",
    evidence: "observed",
    view: (_, { bearer }: ViewAsked) => {
      requireManagement(bearer);
      return EMPTY;
    },
    watch,
  }),
  read: view({
    route: "GET /v1/acl/binding-rule/:rule_id",
    evidence: "observed",
    view: ({ rule_id: id }, { bearer }): Reply<never> => {
      requireManagement(bearer);
      return refuse("binding_rule_not_found", { id, index: UNWRITTEN });
    },
    watch,
  }),
} as const;

export const loginOperations = {
  login: command({
    route: "POST /v1/acl/login",
    evidence: "observed",
    fields: { AuthMethodName: needed(text), LoginToken: needed(text) },
    body: "required",
    decide: ({ state }, { AuthMethodName: name = "", LoginToken: token = "" }, { from, to }): Reply<never> => {
      led(state, reached(state, from, to));
      const faults = [
        ...(name === "" ? ["missing auth method name"] : []),
        ...(token === "" ? ["missing login token"] : []),
      ];
      if (faults.length > 0) refuse("login_invalid", { faults });
      return refuse("auth_method_missing", { name });
    },
  }),
} as const;
