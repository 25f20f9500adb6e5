import { command, type SecretsDecision, type SecretsReading, view } from "../declare.ts";
import { DIRECTORY_NAME, DIRECTORY_PREFIX } from "../directory-config/names.ts";
import { commaList, flag, seconds } from "../fields.ts";
import { childrenOf, listing } from "../listing.ts";
import { type MountPath, mountPlace } from "../place.ts";
import { refuse } from "../rejections.ts";
import { done, type Envelope, enveloped, type Reply } from "../reply.ts";
import { directoryAt } from "../world.ts";
import { type CheckInBy, checkIn, checkOut, deleteSet, engineAt, writeSet } from "./decide.ts";
import type { LibrarySet, SetName } from "./state.ts";
import { libraryStatus } from "./views.ts";

/** The sets of a directory engine, and the accounts that they lend (decisions-directory.md, 7). */
export const libraryOperations = {
  list: view({
    route: "LIST /v1/:mount/library/**:prefix",
    evidence: "observed",
    names: DIRECTORY_PREFIX,
    view: (reading, { mount, prefix }) => children(reading, mount, prefix.toLowerCase()),
  }),
  read: view({
    route: "GET /v1/:mount/library/**:set_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    view: (reading, { mount, set_name }) => {
      const set = findSet(reading, mount, set_name);
      if (set === undefined) return refuse("not_found", {});
      return enveloped({
        service_account_names: [...set.names],
        ttl: set.ttlSeconds,
        max_ttl: set.maxTtlSeconds,
        disable_check_in_enforcement: set.disableCheckInEnforcement,
      });
    },
  }),
  write: command({
    route: "POST /v1/:mount/library/**:set_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    fields: {
      service_account_names: commaList,
      ttl: seconds,
      max_ttl: seconds,
      disable_check_in_enforcement: flag,
    },
    exists: (reading, { mount, set_name }) => findSet(reading, mount, set_name) !== undefined,
    decide: (decision, { mount, set_name, ...fields }) => {
      const set = setNameOf(set_name);
      if (OTHER_PATH.test(set)) refuse("unsupported_operation", { path: `${mount}library/${set}` });
      writeSet(decision, mountPlace(decision.caller, mount), set, {
        names: fields.service_account_names,
        ttlSeconds: fields.ttl,
        maxTtlSeconds: fields.max_ttl,
        disableCheckInEnforcement: fields.disable_check_in_enforcement,
      });
      return done();
    },
  }),
  delete: command({
    route: "DELETE /v1/:mount/library/**:set_name",
    evidence: "observed",
    names: DIRECTORY_NAME,
    decide: (decision, { mount, set_name }) => {
      deleteSet(decision, mountPlace(decision.caller, mount), setNameOf(set_name));
      return done();
    },
  }),
  status: view({
    route: "GET /v1/:mount/library/**:set_name/status",
    evidence: "documented",
    names: DIRECTORY_NAME,
    view: (reading, { mount, set_name }) => {
      const set = setNameOf(set_name);
      const { library } = engineAt(reading, mountPlace(reading.caller, mount));
      const status = libraryStatus(library, set);
      return status === undefined ? refuse("set_not_found", { set }) : enveloped(status);
    },
  }),
  checkOut: command({
    route: "POST /v1/:mount/library/**:set_name/check-out",
    evidence: "observed",
    names: DIRECTORY_NAME,
    fields: { ttl: seconds },
    decide: (decision, { mount, set_name, ttl }) => {
      const path = `${mount}library/${set_name}/check-out`;
      const lent = checkOut(decision, mountPlace(decision.caller, mount), setNameOf(set_name), ttl, path);
      const data = { service_account_name: lent.account, password: lent.password };
      return enveloped(data, { lease: lent.lease, warnings: lent.warnings });
    },
  }),
  checkIn: command({
    route: "POST /v1/:mount/library/**:set_name/check-in",
    evidence: "observed",
    names: DIRECTORY_NAME,
    fields: { service_account_names: commaList },
    decide: (decision, input) => checkedIn(decision, input, "borrower"),
  }),
  forceCheckIn: command({
    route: "POST /v1/:mount/library/manage/**:set_name/check-in",
    evidence: "observed",
    names: DIRECTORY_NAME,
    fields: { service_account_names: commaList },
    decide: (decision, input) => checkedIn(decision, input, "manager"),
  }),
};

function checkedIn(
  decision: SecretsDecision,
  input: {
    readonly mount: MountPath;
    readonly set_name: string;
    readonly service_account_names?: readonly string[] | undefined;
  },
  by: CheckInBy,
): Reply<Envelope<{ check_ins: string[] }>> {
  const place = mountPlace(decision.caller, input.mount);
  const names = checkIn(decision, place, setNameOf(input.set_name), input.service_account_names ?? [], by);
  return enveloped({ check_ins: [...names] });
}

/**
 * Our choice: a name whose last word makes it a path of another set is refused in capitals as it is in small letters
 * (decisions-directory.md, 7, "Path collisions"). The set would be stored in small letters, and no path would lead to it.
 */
const OTHER_PATH = /\/(status|check-in|check-out)$/;

/** Sets are the same whatever the case of their name. */
function setNameOf(captured: string): SetName {
  return captured.toLowerCase() as SetName;
}

function findSet(reading: SecretsReading, mount: MountPath, captured: string): LibrarySet | undefined {
  // Permission is asked before it is known whether there is an engine (decisions-secrets-core.md, A.3).
  return directoryAt(reading.state, mountPlace(reading.caller, mount))?.library.sets.get(setNameOf(captured));
}

function children(reading: SecretsReading, mount: MountPath, prefix: string): Reply<Envelope<{ keys: string[] }>> {
  const { library } = engineAt(reading, mountPlace(reading.caller, mount));
  return listing(childrenOf(library.sets, prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`));
}
