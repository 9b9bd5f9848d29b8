import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { eventKeys } from '@flotilla/redis/keys.ts';
import { sql } from 'kysely';
import { recordEvent } from '../../people/events/record-event.ts';

/** A failed delivery that is stored later than one with a higher id is stored within this time. */
const SETTLED_S = 5;

/** Records of which bots updates were given up since the last look. The first look only remembers where it is. */
export async function noticeDeadLetters(deps: { db: Database; redis: RedisHandles }, everyMs: number): Promise<void> {
  const { db, redis } = deps;
  if (!(await allowOnce(redis, eventKeys.lookAtLetters, everyMs / 2))) return;
  const stored = await redis.commands.get(eventKeys.lastLetter);
  const last = stored === null ? await newestLetter(db) : await recordLettersAfter(db, Number(stored));
  if (String(last) !== stored) await redis.commands.set(eventKeys.lastLetter, last);
}

async function newestLetter(db: Database): Promise<number> {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from dead_letters`.execute(db);
  return rows[0]!.id;
}

/** Returns the id of the last failed delivery that it recorded. */
async function recordLettersAfter(db: Database, id: number): Promise<number> {
  const { rows } = await sql<{ bot_id: number; count: number; reason: string; last: number }>`
    select bot_id, count(*) as count, max(reason) as reason, max(id) as last from dead_letters
    where id > ${id} and created_at < now() - make_interval(secs => ${SETTLED_S})
    group by bot_id order by bot_id`.execute(db);
  await db.transaction().execute(async (transaction) => {
    for (const { bot_id, count, reason } of rows) {
      const text = `${count === 1 ? '1 update' : `${count} updates`} failed: ${reason}`;
      await recordEvent(transaction, { kind: 'dead_letters.grew', bot_id, text });
    }
  });
  return Math.max(id, ...rows.map(({ last }) => last));
}
