import { listChats } from '@flotilla/contract/operations/chats.ts';
import { chatStore } from '@flotilla/domain/chats/chat-store.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentChat } from './present-chat.ts';

export const listChatsEndpoint = defineListEndpoint(listChats, async (context, { input }) => {
  const { limit = MAX_ROWS, offset, q = '', type } = input;
  const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
  const bot = requireBot(context, input.bot_id);
  const chats = chatStore(context.db);
  const [rows, total] = await Promise.all([
    chats.list(bot.id, { q, type, limit: limit + 1, offset, afterId }),
    chats.count(bot.id, { q, type }),
  ]);
  return cutPage(rows.map(presentChat), limit, total, (chat) => [chat.id]);
});
