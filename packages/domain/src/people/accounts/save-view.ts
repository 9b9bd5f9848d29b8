import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type NewView, savedViewStore } from './saved-view-store.ts';

/** Of one screen. */
const VIEWS_AT_MOST = 50;

/** Saves a view, or replaces the one of the same name. Throws 'conflict' when the account has fifty others of the screen. */
export function saveView(db: Database, view: NewView) {
  return db.transaction().execute(async (transaction) => {
    const views = savedViewStore(transaction);
    if ((await views.countOthersLocked(view)) >= VIEWS_AT_MOST) {
      throw new FlotillaError('conflict', `You have ${VIEWS_AT_MOST} saved views; delete some first`);
    }
    return views.save(view);
  });
}
