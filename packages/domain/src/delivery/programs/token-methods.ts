import { isOfManagedBots, methodsNamed } from '@flotilla/telegram/method-groups.ts';
import { spendsStars } from '@flotilla/telegram/method-parameters.ts';
import type { ActiveToken } from '../../fleet/bots/active-program.ts';

/** They say who the bot is, or concern the program alone; to set or delete a backend, its name must be in the list. */
const ALWAYS = new Set(['getme', 'getwebhookinfo', 'setwebhook', 'deletewebhook', 'logout', 'close']);

// A changed token is a new object, so a kept set is never out of date.
const known = new WeakMap<ActiveToken, ReturnType<typeof methodsNamed>>();

/** True if a token may call a method at all. */
export function isMethodAllowed(token: ActiveToken, lowerCaseMethod: string): boolean {
  return ALWAYS.has(lowerCaseMethod) || namesMethod(token, lowerCaseMethod);
}

/** The same without the methods that every token may call. Those that reach other bots or spend Stars must be named. */
export function namesMethod(token: ActiveToken, lowerCaseMethod: string): boolean {
  if (token.methods === null) return !isOfManagedBots(lowerCaseMethod) && !spendsStars(lowerCaseMethod);
  const allowed = known.get(token) ?? methodsNamed(token.methods);
  known.set(token, allowed);
  return allowed.has(lowerCaseMethod);
}
