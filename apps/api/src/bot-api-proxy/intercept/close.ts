import type { BotApiAnswer } from '../answer.ts';

/** Answered for any token and never sent on: the platform's instance of the bot is ours to keep. */
export function close(): BotApiAnswer {
  return { ok: true, result: 'true' };
}
