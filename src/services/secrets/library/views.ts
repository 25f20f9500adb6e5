import { setOwn } from "../../../languages/objects.ts";
import type { Library, SetName } from "./state.ts";

/** What the status of a set shows of an account. */
export interface AccountStatus {
  available: boolean;
  borrower_client_token?: string;
  borrower_entity_id?: string;
}

/** The accounts of a set by name; undefined for a set that is not there. */
export function libraryStatus(library: Library, set: SetName): Record<string, AccountStatus> | undefined {
  const names = library.sets.get(set)?.names;
  if (names === undefined) return undefined;
  const status: Record<string, AccountStatus> = {};
  for (const name of names) {
    const account = library.accounts.get(name);
    if (account?.status === "checked_out") {
      const { tokenHash, entityId } = account.borrower;
      setOwn(status, name, { available: false, borrower_client_token: tokenHash, borrower_entity_id: entityId });
    } else {
      setOwn(status, name, { available: true });
    }
  }
  return status;
}
