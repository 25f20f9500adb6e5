import { runsModule } from "../services/runs/module.ts";
import { schedulerModule } from "../services/scheduler/module.ts";
import { secretsModule } from "../services/secrets/module.ts";
import { modelOf, type WorldModel } from "./model.ts";

/** The world of all services of this package: a service is a line here, and has its types in `world.ts`. */
export const worldModel: WorldModel = modelOf([runsModule, schedulerModule, secretsModule]);
