import {
  ACTIONS_OF_PERSON,
  CHATS_OF_PERSON,
  type ChatPersonResource,
  type ChatUserResource,
  type chatUserOperations,
  SUGGESTED_TAGS,
} from '@flotilla/contract/chat-users.ts';
import { OK } from '@flotilla/contract/fields.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { banChatUser } from '@flotilla/domain/records/chat-actions/ban-chat-user.ts';
import { unbanChatUser } from '@flotilla/domain/records/chat-actions/unban-chat-user.ts';
import { type ChatUser, chatUserStore } from '@flotilla/domain/records/chat-users/chat-user-store.ts';
import { findPeople } from '@flotilla/domain/records/chat-users/find-people.ts';
import { type ChatPerson, readChatPerson } from '@flotilla/domain/records/chat-users/read-chat-person.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot, requireBotOfChat, scopeIn } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { whileWanted } from '../operations/search-limit.ts';
import { presentSeenEntry } from './audit.ts';
import { presentPerson } from './present-found.ts';
import { presentTag } from './tags.ts';
import { withoutNulls } from './without-nulls.ts';

export const chatUserHandlers: Handlers<typeof chatUserOperations> = {
  async listChatUsers(context, { input, caller }) {
    const { limit, offset, q = '' } = input;
    const [afterId = null] = decodeCursor(input.before, ['id']) ?? [];
    const bot = await requireBotOfChat(context, caller, input);
    const query = { bot_id: bot.id, chat_id: input.chat_id, q };
    const users = chatUserStore(context.db);
    const [rows, total] = await Promise.all([
      users.list(query, { limit: limit + 1, offset, afterId }),
      users.count(query),
    ]);
    return cutPage(rows.map(presentChatUser), limit, total, (user) => [user.id]);
  },

  async showChatUser(context, { input, caller }) {
    requireBot(context, input.bot_id);
    const found = await readChatPerson(context.db, caller.scope, input, MOST);
    return presentChatPerson(context, caller, input.user_id, found);
  },

  async findPeople(context, { input, caller, response }) {
    const { limit, q } = input;
    const scope = scopeIn(context, caller, input.bot_id);
    const query = { q: q.trim(), limit, chats: CHATS_OF_PERSON };
    const people = await whileWanted(context, caller, response, [], (signal) =>
      findPeople(context, scope, { ...query, signal }),
    );
    return people.map(presentPerson);
  },

  async banChatUser(context, { input, by }) {
    await banChatUser(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },

  async unbanChatUser(context, { input, by }) {
    await unbanChatUser(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },
};

const MOST = { actions: ACTIONS_OF_PERSON, suggestions: SUGGESTED_TAGS };

function presentChatPerson(
  { directory }: Context,
  caller: Caller,
  user_id: number,
  { names, messages, firstDateS, tags, suggested_tags, privateChatsWith, actions }: ChatPerson,
): ChatPersonResource {
  const nameOf = (botId: number) => directory.byId(botId)?.name;
  return {
    user_id,
    ...withoutNulls(names),
    messages,
    ...(firstDateS === null ? {} : { first_message_at: new Date(firstDateS * 1000).toISOString() }),
    tags: tags.map(presentTag),
    suggested_tags,
    private_chats: privateChatsWith.flatMap((id) => {
      const name = nameOf(id);
      return name === undefined ? [] : [{ bot_id: id, bot_name: name }];
    }),
    actions: actions.map((entry) => presentSeenEntry(caller, entry)),
  };
}

function presentChatUser(user: ChatUser): ChatUserResource {
  return {
    id: user.user_id,
    ...withoutNulls({ username: user.username, first_name: user.first_name, last_name: user.last_name }),
    is_bot: user.is_bot,
  };
}
