import { afterEach } from "vitest";
import { closeTransports } from "./transports.ts";

// For the runs of the suite that go by other ways than `sim.fetch` (vite.config.ts).

afterEach(closeTransports);
