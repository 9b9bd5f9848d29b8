import { OK } from '@flotilla/contract/fields.ts';
import { type ChatList, type ChatListResource, type listOperations, listResource } from '@flotilla/contract/lists.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { addChatList, appendToChatList, deleteChatList } from '@flotilla/domain/delivery/broadcasts/change-lists.ts';
import { chatListStore } from '@flotilla/domain/delivery/broadcasts/chat-list-store.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import type { Handlers } from '../operations/handler.ts';
import { listScopeOf } from './broadcasts.ts';

export const listHandlers: Handlers<typeof listOperations> = {
  async listChatLists({ db }, { input, caller }) {
    const { limit, offset, before } = input;
    const [beforeId = null] = decodeCursor(before, ['id']) ?? [];
    const [store, scope] = [chatListStore(db), listScopeOf(caller)];
    const [rows, { lists }] = await Promise.all([
      store.list(scope, { limit: limit + 1, offset, beforeId }),
      store.count(scope),
    ]);
    return cutPage(rows.map(presentList), limit, lists, ({ id }) => [id]);
  },

  async addChatList(context, { input, caller, by }) {
    requireAccount(caller);
    const { id: account_id, username: created_by } = caller.account;
    return presentList(await addChatList(context, by, { account_id, created_by }, input.name));
  },

  async appendToChatList(context, { input, caller, by }) {
    const { id, chat_ids } = input;
    return presentList(await appendToChatList(context, by, listScopeOf(caller), { id, chat_ids }));
  },

  async deleteChatList(context, { input, caller, by }) {
    await deleteChatList(context, by, listScopeOf(caller), input.id);
    return OK;
  },
};

/** Throws 'forbidden' for a key that is limited to some bots. */
function requireAccount({ apiKey }: Caller): void {
  if (apiKey === null || apiKey.bot_ids === null) return;
  throw new FlotillaError('forbidden', 'A key that is limited to some bots cannot make lists, which are for any bot');
}

function presentList(list: ChatList): ChatListResource {
  return answerOf(listResource, list);
}
