import type { ChatResource } from '@flotilla/contract/resources/chat.ts';
import type { Chat } from '@flotilla/domain/chats/chat-store.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentChat(chat: Chat): ChatResource {
  return {
    id: chat.id,
    bot_id: chat.bot_id,
    type: chat.type as ChatResource['type'],
    ...withoutNulls({
      title: chat.title,
      username: chat.username,
      first_name: chat.first_name,
      last_name: chat.last_name,
    }),
    message_count: chat.message_count,
  };
}
