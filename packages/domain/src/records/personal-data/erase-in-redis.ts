import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { endHolds } from '../takeover/held-chats.ts';
import { lineOfChat } from './personal-tables.ts';

/**
 * Removes what Redis keeps of the private chat of a person with a bot and would not deliver: the hold and what it holds back, lines of
 * journals, and decisions of the router; and recent updates about the person in any chat.
 */
export async function eraseInRedis({ redis }: { redis: RedisHandles }, bot: Bot, userId: number): Promise<void> {
  const keys = botKeys(bot.id);
  const { commands } = redis;
  await endHolds({ redis }, bot, userId);
  await commands.del(keys.choice(userId));
  const id = `${userId}`;
  const ofChat = new RegExp(lineOfChat(userId));
  const programs = bot.programs.map(({ id }) => programKeys(bot.id, id).attempts);
  for (const list of [keys.attempts, keys.rulesAttempts, keys.accepted, ...programs]) {
    await removeLines(redis, list, (line) => line.includes(id) && ofChat.test(line));
  }
  const ofPerson = new RegExp(`\\b${userId}\\b`);
  await removeLines(redis, keys.recent, (update) => ofPerson.test(update));
  await removeLines(redis, keys.decisions, (line) => line.includes(id) && JSON.parse(line).chat_id === userId);
}

async function removeLines(redis: RedisHandles, list: string, isOfPerson: (line: string) => boolean): Promise<void> {
  for (const line of new Set(await redis.commands.lrange(list, 0, -1))) {
    if (isOfPerson(line)) await redis.commands.lrem(list, 0, line);
  }
}
