import { CAPTURED_METHODS } from '@flotilla/telegram/captured-methods.ts';

/** What kind of call a method is, as a metric's label: clients choose the names, so the names themselves are none. */
export const METHOD_CLASSES = [
  'updates',
  'webhook',
  'send',
  'edit',
  'delete',
  'chat',
  'get',
  'answer',
  'other',
] as const;
export type MethodClass = (typeof METHOD_CLASSES)[number];

const INTERCEPTED: Record<string, MethodClass> = {
  getupdates: 'updates',
  setwebhook: 'webhook',
  deletewebhook: 'webhook',
  getwebhookinfo: 'webhook',
};
const BY_PREFIX: [prefix: string, MethodClass][] = [
  ['send', 'send'],
  ['copy', 'send'],
  ['forward', 'send'],
  ['edit', 'edit'],
  ['stop', 'edit'],
  ['delete', 'delete'],
  ['get', 'get'],
  ['answer', 'answer'],
];

const known = new Map<string, MethodClass>([
  ...[...CAPTURED_METHODS].map(
    ([method, { effect }]) => [method, effect === 'audit' ? 'chat' : byPrefix(method)] as const,
  ),
  ...Object.entries(INTERCEPTED),
]);

/** `lowerCaseMethod` may be anything that a client sends. */
export function methodClass(lowerCaseMethod: string): MethodClass {
  return known.get(lowerCaseMethod) ?? byPrefix(lowerCaseMethod);
}

function byPrefix(lowerCaseMethod: string): MethodClass {
  return BY_PREFIX.find(([prefix]) => lowerCaseMethod.startsWith(prefix))?.[1] ?? 'other';
}
