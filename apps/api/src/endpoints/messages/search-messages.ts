import { searchMessages as operation } from '@flotilla/contract/operations/messages.ts';
import { searchMessages } from '@flotilla/domain/messages/search-messages.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor } from '../../http/page.ts';
import { requireBotOfChat } from '../chats/require-bot-of-chat.ts';
import { messageFilter } from './message-filter.ts';
import { presentMessage } from './present-message.ts';

export const searchMessagesEndpoint = defineListEndpoint(operation, async (context, { input, caller }) => {
  const { q, limit, offset } = input;
  const before = decodeCursor(input.before, ['number', 'number', 'string']);
  const botId = (await requireBotOfChat(context, caller, input)).id;
  const search = { botId, chatId: input.chat_id, q, filter: messageFilter(input), limit: limit + 1, offset, before };
  const { messages, total } = await searchMessages(context, search);
  const page = cutPage(messages, limit, total, (row) => [row.date, row.id, row.business_connection_id]);
  return { ...page, rows: page.rows.map(presentMessage) };
});
