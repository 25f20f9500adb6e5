import { urlOf } from "../../../surroundings/stores/state.ts";
import { fact, recorded } from "../../kit/why.ts";
import type { SecretsExplainers } from "../explaining.ts";
import { roleFact } from "../replication/why.ts";
import type { SnapshotRefusals } from "./rejections.ts";

/** Why the endpoints of automated snapshots refuse. */
export const snapshotWhy: SecretsExplainers<SnapshotRefusals> = {
  snapshot_config_invalid: (_, { field, reason }) => [fact("argument", `${field} ${reason}`)],
  snapshot_not_found: (met, { url }) => [
    fact("store", `no store that ${met.caller.cluster} reaches holds ${url}`),
    recorded(
      "store",
      "a store was switched last",
      met.past.last("StoreAvailabilityChanged", () => true),
    ),
  ],
  snapshot_unreadable: () => [fact("argument", "the file is none that a cluster of this simulator gave out")],
  snapshot_of_other_keys: (met, { url }) => [
    recorded(
      "store",
      `${url} was taken`,
      met.past.last("SnapshotDownloaded", ({ place }) => urlOf(place) === url),
    ),
    fact("cluster", `the keys of ${met.caller.cluster} are not those under which it was taken`),
  ],
  secondary_not_restored: (met) => [roleFact(met, "performance")],
};
