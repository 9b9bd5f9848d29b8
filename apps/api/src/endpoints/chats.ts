import type { ChatResource, chatOperations } from '@flotilla/contract/chats.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { refreshChat } from '@flotilla/domain/chat-actions/refresh-chat.ts';
import { type Chat, chatStore } from '@flotilla/domain/chats/chat-store.ts';
import { deleteChat } from '@flotilla/domain/chats/delete-chat.ts';
import { requireBot, requireManagedBot } from '../http/bot-of-call.ts';
import type { Handlers } from '../http/handler.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { withoutNulls } from './without-nulls.ts';

export const chatHandlers: Handlers<typeof chatOperations> = {
  async listChats(context, { input }) {
    const { limit, offset, q = '', type } = input;
    const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
    const bot = requireBot(context, input.bot_id);
    const chats = chatStore(context.db);
    const [rows, total] = await Promise.all([
      chats.list(bot.id, { q, type, limit: limit + 1, offset, afterId }),
      chats.count(bot.id, { q, type }),
    ]);
    return cutPage(rows.map(presentChat), limit, total, (chat) => [chat.id]);
  },

  async refreshChat(context, { input }) {
    return presentChat(await refreshChat(context, requireBot(context, input.bot_id), input.chat_id));
  },

  async deleteChat(context, { input, by }) {
    await deleteChat(context, by, requireManagedBot(context, input.bot_id).id, input.chat_id);
    return OK;
  },
};

function presentChat(chat: Chat): ChatResource {
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

/** A private chat has no title, so it gets the name of its person. */
function nameOfPerson({ type, first_name, last_name }: Chat): string | null {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return type === 'private' && name !== '' ? name : null;
}
