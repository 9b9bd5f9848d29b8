import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { sql } from 'kysely';
import { recordEvent } from '../../people/events/record-event.ts';
import { readReplicas, withWrongClock } from '../fleet-figures/replicas.ts';

/** It is about no bot; ids of bots begin at 1. */
const STANDING = { bot_id: 0, program_id: 0, kind: 'clock' };

/** Tells once that clocks of processes are wrong, and once that all are right. `stands`: it was told, and is not over. */
export async function noticeClocks(
  { db, redis }: { db: Database; redis: RedisHandles },
  stands: boolean,
): Promise<void> {
  const wrong = withWrongClock(await readReplicas({ redis }));
  const isWrong = wrong.length > 0;
  if (isWrong === stands) return;
  await db.transaction().execute(async (transaction) => {
    if (!(isWrong ? await begin(transaction) : await end(transaction))) return;
    if (isWrong && (await wasTold(transaction))) return;
    await recordEvent(transaction, {
      kind: isWrong ? 'clock.apart' : 'clock.right',
      bot_id: null,
      text: isWrong ? wrong.map(({ text }) => text).join('. ') : 'The clocks of all processes are right again',
    });
  });
}

async function begin(db: Database): Promise<boolean> {
  const inserting = db.insertInto('standing_events').values(STANDING);
  const inserted = await inserting.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** In a rolling upgrade, processes of the release before remove what stands: they do not know it. */
async function wasTold(db: Database): Promise<boolean> {
  const ofClocks = db.selectFrom('events').select('kind').where('kind', 'in', ['clock.apart', 'clock.right']);
  const ofLastHour = ofClocks.where('at', '>', sql<Date>`now() - interval '1 hour'`);
  return (await ofLastHour.orderBy('id', 'desc').limit(1).executeTakeFirst())?.kind === 'clock.apart';
}

async function end(db: Database): Promise<boolean> {
  const { bot_id, kind } = STANDING;
  const deleting = db.deleteFrom('standing_events').where('bot_id', '=', bot_id).where('kind', '=', kind);
  return (await deleting.executeTakeFirst()).numDeletedRows > 0n;
}

export const isOfClocks = (row: { bot_id: number }): boolean => row.bot_id === STANDING.bot_id;
