import type { FlatEvolvers } from "../../../../kernel/evolvers.ts";
import type { Table } from "../../../../kernel/table.ts";
import type { InMount } from "../../place.ts";
import type { TokenParameters } from "../parameters.ts";

/** Somebody who logs in with a password. */
export interface User {
  readonly password: string;
  readonly parameters: TokenParameters;
}

export interface UserpassSlice {
  /** By their names in lower case. */
  readonly users: Table<User>;
}

/** The facts of users. */
export interface UserpassEvents {
  /** A new one, or what one has become. */
  UserpassUserWritten: UserAt & { readonly user: User };
  UserpassUserDeleted: UserAt;
}

interface UserAt extends InMount {
  readonly username: string;
}

export const userpassEvolvers: FlatEvolvers<UserpassSlice, UserpassEvents> = {
  UserpassUserWritten: (mount, { username, user }) => {
    mount.users = mount.users.set(username, user);
  },
  UserpassUserDeleted: (mount, { username }) => {
    mount.users = mount.users.delete(username);
  },
};
