import type { Evidence, Operation } from "./operation.ts";

/** An operation and its full name: service, resource, verb, such as `secrets.library.checkOut`. */
export interface Named<O extends Operation> {
  readonly name: string;
  readonly operation: O;
}

/** A resource: operations by their verbs, and resources inside it. */
export interface Resource<O extends Operation> {
  readonly [name: string]: O | Resource<O>;
}

/** The operations of a service: the table, whose shape the typed door has, and the same by their full names. */
export interface Registry<O extends Operation, T extends Resource<O> = Resource<O>> {
  readonly service: string;
  readonly table: T;
  readonly byName: ReadonlyMap<string, O>;
  /** How answers compared with those of a real server, by full names. */
  readonly grades: { readonly [name: string]: Graded };
}

/** Makes the registry of a service: the kind of its operations is given, and the shape of the table is kept. */
export function registryOf<O extends Operation>() {
  return <const T extends Resource<O>>(
    service: string,
    table: T,
    grades: Registry<O>["grades"] = {},
  ): Registry<O, T> => ({
    service,
    table,
    byName: new Map(namesIn<O>(table, service)),
    grades,
  });
}

export function isOperation<O extends Operation>(entry: O | Resource<O>): entry is O {
  return "handler" in entry;
}

/** Each operation by its name, and each other route of one. */
function* namesIn<O extends Operation>(resource: Resource<O>, path: string): Generator<readonly [string, O]> {
  for (const [member, entry] of Object.entries(resource)) {
    const name = `${path}.${member}`;
    if (!isOperation(entry)) {
      yield* namesIn(entry, name);
      continue;
    }
    yield [name, entry];
    // They are declared alike.
    for (const suffix in entry.others) yield [`${name}${suffix}`, entry.others[suffix] as O];
  }
}

/**
 * How answers of an operation compared with those of a real server to the same requests: how many were the same but for the words of
 * errors and warnings, how many differ because the contract decides so, and how many because that server has another version.
 */
export interface Graded {
  readonly same: number;
  readonly decided: number;
  readonly version: number;
}

/** One row of `sim.operations()`. */
export interface OperationInfo {
  /** Service, resource, verb: `secrets.library.checkOut`. */
  readonly name: string;
  readonly method: string;
  /** The path with its captures: `/v1/:mount/library/**:set_name/check-out`. */
  readonly path: string;
  readonly service: string;
  readonly evidence: Evidence;
  /** Absent where no answer of it could be compared. */
  readonly graded: Graded | undefined;
}

/** The rows of a service. */
export function operationInfos({ service, byName, grades }: Registry<Operation>): OperationInfo[] {
  return [...byName].map(([name, { verb, path, evidence }]) => ({
    name,
    method: verb,
    path,
    service,
    evidence,
    graded: grades[name],
  }));
}
