import type { ChatAdminResource, chatAdminOperations } from '@flotilla/contract/chat-admins.ts';
import { OK } from '@flotilla/contract/fields.ts';
import type { ChatAdmin } from '@flotilla/domain/records/chat-actions/chat-admin.ts';
import { demoteChatAdmin } from '@flotilla/domain/records/chat-actions/demote-chat-admin.ts';
import { listChatAdmins, rankOf } from '@flotilla/domain/records/chat-actions/list-chat-admins.ts';
import { promoteChatUser } from '@flotilla/domain/records/chat-actions/promote-chat-user.ts';
import { setChatAdminTitle } from '@flotilla/domain/records/chat-actions/set-chat-admin-title.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const chatAdminHandlers: Handlers<typeof chatAdminOperations> = {
  async listChatAdmins(context, { input }) {
    const { limit, offset } = input;
    const after = decodeCursor(input.before, ['count', 'id']);
    const admins = await listChatAdmins(context, requireBot(context, input.bot_id), input.chat_id);
    const rest = after === null ? admins : admins.filter((admin) => comesAfter(admin, after));
    return cutPage(rest.slice(offset).map(presentChatAdmin), limit, admins.length, (row) => [rankOf(row), row.id]);
  },

  async setChatAdminTitle(context, { input, by }) {
    await setChatAdminTitle(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },

  async promoteChatUser(context, { input, by }) {
    await promoteChatUser(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },

  async demoteChatAdmin(context, { input, by }) {
    await demoteChatAdmin(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },
};

function comesAfter(admin: ChatAdmin, [rank, id]: readonly [rank: number, id: number]): boolean {
  return rankOf(admin) > rank || (rankOf(admin) === rank && admin.user.id > id);
}

function presentChatAdmin({ user, status, custom_title, ...may }: ChatAdmin): ChatAdminResource {
  const { id, username, first_name, last_name, is_bot } = user;
  return {
    id,
    ...withoutNulls({ username, first_name, last_name }),
    ...{ is_bot, status },
    ...withoutNulls({ custom_title }),
    ...may,
  };
}
