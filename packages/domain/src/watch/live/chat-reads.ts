import { type Announcements, announcements } from '@flotilla/redis/announcements.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { Conversation } from '../../records/chats/conversation.ts';

/** An account has read a conversation up to a message. */
export type ChatRead = Conversation & { accountId: number; message_id: number };

type Deps = { redis: RedisHandles };

export async function announceChatRead({ redis }: Deps, read: ChatRead): Promise<void> {
  const { accountId, bot_id, chat_id, message_id, business_connection_id } = read;
  await redis.commands.publish(
    channels.read,
    [accountId, bot_id, chat_id, message_id, business_connection_id].join(' '),
  );
}

/** The read markers of accounts. */
export function chatReads(deps: Deps): Announcements<ChatRead> {
  return announcements(deps, channels.read, (payload) => {
    const parts = payload.split(' ');
    const [accountId = 0, bot_id = 0, chat_id = 0, message_id = 0] = parts.slice(0, 4).map(Number);
    return { accountId, bot_id, chat_id, message_id, business_connection_id: parts[4] ?? '' };
  });
}
