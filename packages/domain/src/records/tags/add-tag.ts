import type { NewTag, Tag } from '@flotilla/contract/tags.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { trackChat } from '../chats/track-chat.ts';
import { auditedTag, type TagDeps } from './audited-tag.ts';
import { tagStore } from './tag-store.ts';

/** Tags a user of a chat and tracks the chat. Throws 'conflict' for a tag that the user has already. */
export async function addTag({ db, clock }: TagDeps, by: Actor, wanted: NewTag): Promise<Tag> {
  return db.transaction().execute(async (transaction) => {
    await trackChat(transaction, wanted);
    const tag = await tagStore(transaction).insert(wanted);
    if (tag === null) throw new FlotillaError('conflict', 'This user has this tag in this chat already');
    await recordAction({ db: transaction, clock }, by, auditedTag('tag_add', tag));
    return tag;
  });
}
