import { OK } from '@flotilla/contract/fields.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import {
  foreignFilters,
  type SavedViewRow,
  savedView,
  type savedViewOperations,
} from '@flotilla/contract/saved-views.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { refuseKnownView } from '@flotilla/domain/people/accounts/refuse-known-view.ts';
import { saveView } from '@flotilla/domain/people/accounts/save-view.ts';
import { savedViewStore } from '@flotilla/domain/people/accounts/saved-view-store.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Handlers } from '../operations/handler.ts';

export const savedViewHandlers: Handlers<typeof savedViewOperations> = {
  async listSavedViews({ db }, { input, caller }) {
    if (isLimited(caller)) return [];
    return (await savedViewStore(db).list(caller.account.id, input.screen)).map(presentView);
  },

  async addSavedView({ db }, { input, caller }) {
    if (isLimited(caller)) throw new FlotillaError('forbidden', 'A key that is limited to some bots has no views');
    const [foreign] = foreignFilters(input.screen, input.filter);
    if (foreign !== undefined) throw refusedInput(`filter.${foreign}`, `is no filter of the screen ${input.screen}`);
    return presentView(await saveView(db, { account_id: caller.account.id, ...input }));
  },

  async renameSavedView({ db }, { input: { id, name }, caller }) {
    const renaming = isLimited(caller) ? null : savedViewStore(db).rename(caller.account.id, id, name);
    const renamed = (await renaming?.catch(refuseKnownView)) ?? null;
    if (renamed === null) throw new FlotillaError('not_found', 'View not found');
    return presentView(renamed);
  },

  async deleteSavedView({ db }, { input, caller }) {
    const removed = !isLimited(caller) && (await savedViewStore(db).remove(caller.account.id, input.id));
    if (!removed) throw new FlotillaError('not_found', 'View not found');
    return OK;
  },
};

/** A view may name any bot of the account. */
const isLimited = ({ apiKey }: Caller) => apiKey !== null && apiKey.bot_ids !== null;

function presentView(view: SavedViewRow) {
  return answerOf(savedView, view);
}
