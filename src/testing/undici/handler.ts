import type { Dispatcher } from "undici";

/** Who is told of an exchange, in the words of undici 7. */
export interface Handler {
  onRequestStart(controller: Dispatcher.DispatchController): void;
  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: { readonly [name: string]: string },
    statusText: string,
  ): void;
  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void;
  onResponseEnd(controller: Dispatcher.DispatchController): void;
  /** Without a controller where a request was refused before it began. */
  onResponseError(controller: Dispatcher.DispatchController | undefined, error: Error): void;
}

/**
 * Clients speak one of two languages: undici 7 calls `onRequestStart`, while its own `request` and the `fetch` that is built into Node, whose
 * undici may be older, still bring `onConnect`.
 */
export function handlerOf(given: Dispatcher.DispatchHandler): Handler {
  return typeof given.onRequestStart === "function" ? current(given) : older(given);
}

function current(given: Dispatcher.DispatchHandler): Handler {
  return {
    onRequestStart: (controller) => given.onRequestStart?.(controller, {}),
    onResponseStart: (controller, status, headers, statusText) => {
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      controller.rawHeaders = rawOf(headers);
      given.onResponseStart?.(controller, status, Object.fromEntries(lower) as Record<string, string>, statusText);
    },
    onResponseData: (controller, piece) => given.onResponseData?.(controller, piece),
    onResponseEnd: (controller) => given.onResponseEnd?.(controller, {}),
    onResponseError: (controller, error) => {
      if (given.onResponseError === undefined) throw error;
      given.onResponseError(controller as Dispatcher.DispatchController, error);
    },
  };
}

function older(given: Dispatcher.DispatchHandler): Handler {
  return {
    onRequestStart: (controller) => given.onConnect?.((reason) => controller.abort(reason as Error)),
    onResponseStart: (controller, status, headers, statusText) => {
      given.onResponseStarted?.();
      const goesOn = given.onHeaders?.(status, rawOf(headers), () => controller.resume(), statusText);
      if (goesOn === false) controller.pause();
    },
    onResponseData: (controller, piece) => {
      if (given.onData?.(piece) === false) controller.pause();
    },
    onResponseEnd: () => given.onComplete?.([]),
    onResponseError: (_, error) => {
      if (given.onError === undefined) throw error;
      given.onError(error);
    },
  };
}

/** Names and values in turn. */
function rawOf(headers: { readonly [name: string]: string }): Buffer[] {
  return Object.entries(headers)
    .flat()
    .map((text) => Buffer.from(text, "latin1"));
}
