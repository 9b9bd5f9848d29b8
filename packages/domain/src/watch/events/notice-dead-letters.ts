import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { eventKeys } from '@flotilla/redis/keys.ts';
import { sql } from 'kysely';
import { recordEvent } from '../../people/events/record-event.ts';

/** Records of which bots updates were given up since the last look. The first look only remembers where it is. */
export async function noticeDeadLetters(deps: { db: Database; redis: RedisHandles }, everyMs: number): Promise<void> {
  const { db, redis } = deps;
  if (!(await allowOnce(redis, eventKeys.lookAtLetters, everyMs / 2))) return;
  const [stored, { rows: newest }] = await Promise.all([
    redis.commands.get(eventKeys.lastLetter),
    sql<{ id: number }>`select coalesce(max(id), 0) as id from dead_letters`.execute(db),
  ]);
  const { id } = newest[0]!;
  if (stored !== null && id > Number(stored)) {
    const { rows } = await sql<{ botId: number; count: number; reason: string }>`
      select bot_id as "botId", count(*) as count, max(reason) as reason from dead_letters
      where id > ${Number(stored)} and id <= ${id} group by bot_id order by bot_id`.execute(db);
    for (const { botId, count, reason } of rows) {
      const text = `${count === 1 ? '1 update was' : `${count} updates were`} given up: ${reason}`;
      await recordEvent(db, { kind: 'dead_letters.grew', botId, text });
    }
  }
  await redis.commands.set(eventKeys.lastLetter, id);
}
