import { type Reply, replyResource } from '@flotilla/contract/replies.ts';
import { type Changes, settable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { lockLimit } from '@flotilla/database/lock-limit.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { describeChanges, describeNew } from '../../people/audit/describe-changes.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { type NewReply, replyStore } from './reply-store.ts';

type ReplyDeps = { db: Database; clock: Clock };

/** A list reads all of them. */
const MOST_REPLIES = 1_000;

/** Throws 'conflict' when there are 1,000. */
export async function addReply({ db, clock }: ReplyDeps, by: Actor, wanted: NewReply): Promise<Reply> {
  return db.transaction().execute(async (transaction) => {
    const replies = replyStore(transaction);
    await lockLimit(transaction, 'saved replies');
    if ((await replies.count()) >= MOST_REPLIES) {
      throw new FlotillaError('conflict', `There are ${MOST_REPLIES} saved replies; delete some first`);
    }
    const reply = await replies.insert(wanted);
    const details = `reply ${reply.id}; ${describeNew(wanted)}`;
    await recordAction({ db: transaction, clock }, by, { action: 'reply_add', details });
    return reply;
  });
}

/** Undefined fields keep their value. `check` refuses what the change would meet. Throws 'not_found'. */
export async function updateReply(
  { db, clock }: ReplyDeps,
  by: Actor,
  id: number,
  changes: Changes<typeof replyResource>,
  check?: (before: Reply) => void,
): Promise<Reply> {
  return db.transaction().execute(async (transaction) => {
    const before = await lockReply(transaction, id);
    check?.(before);
    const given = settable(replyResource, changes);
    const after = Object.keys(given).length === 0 ? before : await replyStore(transaction).update(id, given);
    const details = [`reply ${id}`, describeChanges(settable(replyResource, before), settable(replyResource, after))]
      .filter(Boolean)
      .join('; ');
    await recordAction({ db: transaction, clock }, by, { action: 'reply_update', details });
    return after;
  });
}

/** Throws 'not_found'. */
export async function deleteReply(
  { db, clock }: ReplyDeps,
  by: Actor,
  id: number,
  check?: (before: Reply) => void,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const reply = await lockReply(transaction, id);
    check?.(reply);
    await replyStore(transaction).remove(id);
    await recordAction({ db: transaction, clock }, by, {
      action: 'reply_delete',
      details: `reply ${id}; ${describeNew({ name: reply.name })}`,
    });
  });
}

async function lockReply(db: Database, id: number): Promise<Reply> {
  const reply = await replyStore(db).lock(id);
  if (reply === null) throw new FlotillaError('not_found', 'Reply not found');
  return reply;
}
