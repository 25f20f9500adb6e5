import { checks } from "./checks.ts";
import { guard } from "./guard.ts";

// npm run bench:guard   fails when something has become ten times as bad as it was, compared with something else of the same run

process.exit((await guard(checks, console.log)) ? 0 : 1);
