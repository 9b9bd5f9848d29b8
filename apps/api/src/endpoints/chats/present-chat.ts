import type { ChatResource } from '@flotilla/contract/resources/chat.ts';
import type { Chat } from '@flotilla/domain/chats/chat-store.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentChat(chat: Chat): ChatResource {
  return {
    id: chat.id,
    bot_id: chat.bot_id,
    type: chat.type as ChatResource['type'],
    ...withoutNulls({
      title: chat.title ?? nameOfPerson(chat),
      username: chat.username,
      first_name: chat.first_name,
      last_name: chat.last_name,
    }),
    message_count: chat.message_count,
  };
}

/** A private chat is called what its person is called. */
function nameOfPerson({ type, first_name, last_name }: Chat): string | null {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return type === 'private' && name !== '' ? name : null;
}
