import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { trackChat } from '../chats/track-chat.ts';
import { type NewTag, type Tag, tagStore } from './tag-store.ts';

/** Tags a user of a chat, which is tracked from now on. Throws 'conflict' for a tag the user has already. */
export async function addTag({ db }: { db: Database }, wanted: NewTag): Promise<Tag> {
  return db.transaction().execute(async (transaction) => {
    await trackChat(transaction, wanted);
    const tag = await tagStore(transaction).insert(wanted);
    if (tag === null) throw new FlotillaError('conflict', 'This user has this tag in this chat already');
    return tag;
  });
}
