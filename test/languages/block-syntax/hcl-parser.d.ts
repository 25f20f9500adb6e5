/** HCL1 itself, compiled to JavaScript: the reference for texts that it takes. */
declare module "hcl-parser" {
  const reference: { parse(text: string): [document: unknown, error: unknown] };
  export = reference;
}
