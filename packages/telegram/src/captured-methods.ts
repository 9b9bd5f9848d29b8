import { type CaptureEffect, METHODS, methodFacts } from '@flotilla/contract/bot-api/methods.ts';

export type CapturedMethod = { effect: CaptureEffect };

/** Spelled as in the Bot API documentation. */
export const CAPTURED_METHOD_NAMES: readonly string[] = Object.keys(METHODS).filter(
  (name) => METHODS[name]!.captured !== undefined,
);

/** By method name in lower case, from the names of the Bot API documentation. */
export const CAPTURED_METHODS: ReadonlyMap<string, CapturedMethod> = new Map(
  Object.entries(METHODS).flatMap(([name, { captured }]) =>
    captured === undefined ? [] : [[name.toLowerCase(), { effect: captured }] as const],
  ),
);

const LIKE_SEND_MESSAGE: CapturedMethod = { effect: 'messages' };

/** How a method is captured; undefined when it is not. One that we do not know may answer messages, which `get…` would not have sent. */
export function capturedMethod(lowerCaseMethod: string): CapturedMethod | undefined {
  if (methodFacts(lowerCaseMethod) !== undefined) return CAPTURED_METHODS.get(lowerCaseMethod);
  return lowerCaseMethod.startsWith('get') ? undefined : LIKE_SEND_MESSAGE;
}
