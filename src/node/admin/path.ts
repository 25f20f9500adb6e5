/** Below this path is what controls simulators from outside. */
export const ADMIN_PATH = "/hindcast";

/** Whether a request target is one of the admin path. */
export function isAdminPath(target: string): boolean {
  return target.startsWith(ADMIN_PATH) && /^\/hindcast(?=[/?]|$)/.test(target);
}
