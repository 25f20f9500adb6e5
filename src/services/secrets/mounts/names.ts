/** A mount's path: any number of segments that each keep the rule of names (decisions-secrets-core.md, D.2 and A.4). */
export const MOUNT_PATH = /^\w([\w.-]*\w)?(\/\w([\w.-]*\w)?)*$/;
