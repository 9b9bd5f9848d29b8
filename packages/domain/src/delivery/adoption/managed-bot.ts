import { type Fields, readInteger, readObject, readText } from '@flotilla/telegram/platform-fields.ts';

/** The kind of update that tells of it. */
export const MANAGED_BOT = 'managed_bot';

/** A bot that a person made for another one, or whose token or owner changed. */
export type ManagedBot = { ownerId: number | null; made: { id: number; username: string; first_name: string } };

/** The ManagedBotUpdated of an update; null if it names no bot. */
export function readManagedBot(updated: Fields): ManagedBot | null {
  const bot = readObject(updated, 'bot') ?? {};
  const id = readInteger(bot, 'id');
  if (id === null) return null;
  const made = { id, username: readText(bot, 'username') ?? '', first_name: readText(bot, 'first_name') ?? '' };
  return { ownerId: readInteger(readObject(updated, 'user') ?? {}, 'id'), made };
}
