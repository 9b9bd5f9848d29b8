import type { BotApiAnswer } from '../answer.ts';

/** Answered for any token and never sent on: the bot must not leave the server we speak for it to. */
export function logOut(): BotApiAnswer {
  return { ok: true, result: 'true' };
}
