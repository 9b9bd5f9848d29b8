import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { auditedTag, type TagDeps } from './audited-tag.ts';
import { tagStore } from './tag-store.ts';

/** Removes a tag. Throws 'not_found'. */
export async function removeTag({ db, clock }: TagDeps, by: Actor, id: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const tag = await tagStore(transaction).remove(id);
    if (tag === null) throw new FlotillaError('not_found', 'Tag not found');
    await recordAction({ db: transaction, clock }, by, auditedTag('tag_remove', tag));
  });
}
