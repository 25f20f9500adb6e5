export { type TraceFailure, type TraceOptions, traceHtml } from "./trace-html.ts";
