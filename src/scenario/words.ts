/** A command without the service that it belongs to. */
export function shortName(command: string): string {
  return command.replace(/^(secrets|runs|scheduler|control|timer)\./, "");
}

/** `ServiceAccountCheckedOut` in words. */
export function wordsOf(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
