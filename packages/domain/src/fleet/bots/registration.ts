import type { Bot } from './bot.ts';

/** Names a bot to a script, which passes over a bot that was deleted and registered anew. */
export function registrationOf({ id, registration_id }: Pick<Bot, 'id' | 'registration_id'>) {
  return { botId: id, registrationId: registration_id };
}
