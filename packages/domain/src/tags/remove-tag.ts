import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { tagStore } from './tag-store.ts';

/** Removes a tag. Throws 'not_found'. */
export async function removeTag({ db }: { db: Database }, id: number): Promise<void> {
  if (!(await tagStore(db).remove(id))) throw new FlotillaError('not_found', 'Tag not found');
}
