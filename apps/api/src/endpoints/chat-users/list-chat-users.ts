import { listChatUsers } from '@flotilla/contract/operations/chat-users.ts';
import { chatUserStore } from '@flotilla/domain/chat-users/chat-user-store.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor } from '../../http/page.ts';
import { requireBotOfChat } from '../chats/require-bot-of-chat.ts';
import { presentChatUser } from './present-chat-user.ts';

export const listChatUsersEndpoint = defineListEndpoint(listChatUsers, async (context, { input, caller }) => {
  const { limit, offset, q = '' } = input;
  const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
  const bot = await requireBotOfChat(context, caller, input);
  const query = { botId: bot.id, chatId: input.chat_id, q };
  const users = chatUserStore(context.db);
  const [rows, total] = await Promise.all([
    users.list(query, { limit: limit + 1, offset, afterId }),
    users.count(query),
  ]);
  return cutPage(rows.map(presentChatUser), limit, total, (user) => [user.id]);
});
