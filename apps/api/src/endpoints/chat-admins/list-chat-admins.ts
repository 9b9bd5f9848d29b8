import { listChatAdmins as operation } from '@flotilla/contract/operations/chat-admins.ts';
import type { ChatAdmin } from '@flotilla/domain/chat-actions/chat-admin.ts';
import { listChatAdmins, rankOf } from '@flotilla/domain/chat-actions/list-chat-admins.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentChatAdmin } from './present-chat-admin.ts';

export const listChatAdminsEndpoint = defineListEndpoint(operation, async (context, { input }) => {
  const { limit = MAX_ROWS, offset } = input;
  const after = decodeCursor(input.before, ['number', 'number']);
  const admins = await listChatAdmins(context, requireBot(context, input.bot_id), input.chat_id);
  const rest = after === null ? admins : admins.filter((admin) => comesAfter(admin, after));
  return cutPage(rest.slice(offset).map(presentChatAdmin), limit, admins.length, (row) => [rankOf(row), row.id]);
});

function comesAfter(admin: ChatAdmin, [rank, id]: readonly [rank: number, id: number]): boolean {
  return rankOf(admin) > rank || (rankOf(admin) === rank && admin.user.id > id);
}
