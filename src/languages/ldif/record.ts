/** One entry of an LDIF text: what is to be done to the entry of a DN. The DN is kept as written, and may be none. */
export type LdifRecord = AddRecord | DeleteRecord | ModifyRecord;

interface RecordOf {
  readonly dn: string;
}

/** `changetype: add`, or none. An attribute that is repeated has several values. */
export interface AddRecord extends RecordOf {
  readonly change: "add";
  readonly attributes: readonly LdifAttribute[];
}

export interface DeleteRecord extends RecordOf {
  readonly change: "delete";
}

export interface ModifyRecord extends RecordOf {
  readonly change: "modify";
  readonly modifications: readonly Modification[];
}

/** One block of a modify: `add: member`, its values, and the dash. */
export interface Modification extends LdifAttribute {
  readonly operation: "add" | "replace" | "delete";
}

export interface LdifAttribute {
  readonly name: string;
  readonly values: readonly LdifValue[];
}

/** Text, or, where the bytes are no UTF-8, those in base64. */
export type LdifValue = string | { readonly base64: string };
