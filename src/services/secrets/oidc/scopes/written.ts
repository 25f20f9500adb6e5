import type { EpochMs } from "../../../../kernel/brand.ts";
import { documentText } from "../../document-text.ts";
import { refuse } from "../../rejections.ts";
import { type TemplateFault, templateFault } from "./claims.ts";

/** A template as it is kept, of what somebody writes (decisions-oidc.md, 6). */
export function writtenTemplate(given: string, nowMs: EpochMs): string {
  const template = documentText(given);
  const fault = templateFault(template, nowMs);
  return fault === undefined ? template : refuseTemplate(fault);
}

function refuseTemplate(fault: TemplateFault): never {
  switch (fault.kind) {
    case "syntax":
      return refuse("template_invalid", { reason: fault.reason });
    case "no_object":
      return refuse("template_no_object", {});
    case "reserved":
      return refuse("template_claim_reserved", { claim: fault.claim });
    default:
      return fault satisfies never;
  }
}
