import { z } from 'zod';

export const CHAT_TYPES = ['private', 'group', 'supergroup', 'channel'] as const;

const MEANINGS = {
  waiting: 'they await an answer',
  mine: 'they are open, and assigned to the account',
  unassigned: 'they await an answer, and nobody looks after them',
  held: 'somebody has taken them over',
  done: 'they are done',
  all: 'all',
} as const;

export type ChatQueue = keyof typeof MEANINGS;
/** The queues of the inbox. A chat may be in several. */
export const CHAT_QUEUES = Object.keys(MEANINGS) as [ChatQueue, ...ChatQueue[]];

export const QUEUE_NOTE = Object.entries(MEANINGS)
  .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
  .join('; ');

export const queueCounts = z
  .strictObject(
    Object.fromEntries(
      Object.entries(MEANINGS).map(([name, meaning]) => [name, z.int().describe(`How many chats: ${meaning}.`)]),
    ) as Record<ChatQueue, z.ZodInt>,
  )
  .meta({ id: 'ChatQueues' });
