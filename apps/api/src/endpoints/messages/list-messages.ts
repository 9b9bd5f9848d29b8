import { listMessages } from '@flotilla/contract/operations/messages.ts';
import { messageStore } from '@flotilla/domain/messages/message-store.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor } from '../../http/page.ts';
import { requireBot } from '../bots/require-bot.ts';
import { messageFilter } from './message-filter.ts';
import { presentMessage } from './present-message.ts';

export const listMessagesEndpoint = defineListEndpoint(listMessages, async (context, { input }) => {
  const { limit, offset } = input;
  const before = decodeCursor(input.before, ['number', 'number', 'string']);
  const chat = { botId: requireBot(context, input.bot_id).id, chatId: input.chat_id };
  const shown = { includeDeleted: input.include_deleted, filter: messageFilter(input) };
  const messages = messageStore(context.db);
  const [rows, total] = await Promise.all([
    messages.list(chat, { limit: limit + 1, offset, before, ...shown }),
    messages.count(chat, shown),
  ]);
  const page = cutPage(rows, limit, total, (row) => [row.date, row.id, row.business_connection_id]);
  return { ...page, rows: page.rows.map(presentMessage) };
});
