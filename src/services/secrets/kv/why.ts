import { argument, fact } from "../../kit/why.ts";
import type { SecretsExplainers } from "../explaining.ts";
import { callerFacts } from "../tokens/why.ts";
import type { KvRefusals } from "./rejections.ts";

/** Why a store without versions refuses, and a cubbyhole. */
export const kvWhy: SecretsExplainers<KvRefusals> = {
  path_relative: (_, { path }) => [fact("argument", `the path is ${path}`)],
  path_missing: argument("path", "a path below the store"),
  cubbyhole_path_missing: argument("path", "a path below cubbyhole/"),
  data_missing: argument("data", "at least one field"),
  cubbyhole_data_missing: argument("data", "at least one field"),
  cubbyhole_of_batch_token: callerFacts,
};
