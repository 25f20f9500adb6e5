import { Session } from "node:inspector";

/**
 * The value of a private field, as a debugger sees it: for tests of what a structure looks like inside, which its methods have
 * no reason to show.
 *
 * @example
 * const root = privateField(table, "#root");
 */
export function privateField(object: object, name: `#${string}`): unknown {
  const session = new Session();
  session.connect();
  const shelf = globalThis as { privateField?: unknown };
  try {
    shelf.privateField = object;
    const objectId = idOf(session, "globalThis.privateField");
    const field = fieldsOf(session, objectId).find((candidate) => candidate.name === name);
    const fieldId = field?.value?.objectId;
    if (fieldId === undefined) throw new TypeError(`there is no object in a private field ${name}`);
    const functionDeclaration = "function () { globalThis.privateField = this; }";
    session.post("Runtime.callFunctionOn", { objectId: fieldId, functionDeclaration });
    return shelf.privateField;
  } finally {
    delete shelf.privateField;
    session.disconnect();
  }
}

/** The inspector answers at once when it inspects its own thread. */
function idOf(session: Session, expression: string): string {
  let id: string | undefined;
  session.post("Runtime.evaluate", { expression }, (_, { result }) => {
    id = result.objectId;
  });
  if (id === undefined) throw new TypeError(`${expression} is no object`);
  return id;
}

interface PrivateField {
  readonly name: string;
  readonly value?: { readonly objectId?: string };
}

function fieldsOf(session: Session, objectId: string): readonly PrivateField[] {
  let fields: readonly PrivateField[] = [];
  session.post("Runtime.getProperties", { objectId, ownProperties: true }, (_, found) => {
    fields = (found as { readonly privateProperties?: readonly PrivateField[] }).privateProperties ?? [];
  });
  return fields;
}
