import { type ChatViewRow, chatView, type chatViewOperations } from '@flotilla/contract/chat-views.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { viewStore } from '@flotilla/domain/records/desk/view-store.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Handlers } from '../operations/handler.ts';

const MOST_VIEWS = 50;

export const chatViewHandlers: Handlers<typeof chatViewOperations> = {
  async listChatViews({ db }, { caller }) {
    return isLimited(caller) ? [] : (await viewStore(db).list(caller.account.id)).map(presentView);
  },

  async addChatView({ db }, { input, caller }) {
    if (isLimited(caller)) throw new FlotillaError('forbidden', 'A key that is limited to some bots has no views');
    const views = viewStore(db);
    const known = await views.list(caller.account.id);
    if (known.length >= MOST_VIEWS && !known.some(({ name }) => name === input.name)) {
      throw new FlotillaError('conflict', `You have ${MOST_VIEWS} saved views; delete some first`);
    }
    return presentView(await views.save({ account_id: caller.account.id, ...input }));
  },

  async deleteChatView({ db }, { input, caller }) {
    const removed = !isLimited(caller) && (await viewStore(db).remove(caller.account.id, input.id));
    if (!removed) throw new FlotillaError('not_found', 'View not found');
    return OK;
  },
};

/** A view may name any bot of the account. */
const isLimited = ({ apiKey }: Caller) => apiKey !== null && apiKey.bot_ids !== null;

function presentView(view: ChatViewRow) {
  return answerOf(chatView, view);
}
