import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { eventKeys } from '@flotilla/redis/keys.ts';
import { sql } from 'kysely';
import { recordEvent } from '../../people/events/record-event.ts';
import { awaits } from '../../records/chats/chat-desk.ts';
import { LAST_PERIOD_BITS } from '../../records/history/history-chat-store.ts';

/** What nobody looked at for longer is not told any more. */
const LATE_S = 3_600;
const AT_ONCE = 100;

/** Records which private chats nobody has answered, for the sinks that want to know. Without such a sink it reads nothing else. */
export async function noticeAwaiting(deps: { db: Database; redis: RedisHandles }, everyMs: number): Promise<void> {
  if (!(await allowOnce(deps.redis, eventKeys.lookAtChats, everyMs / 2))) return;
  const { rows } = await sql<{ minutes: number }>`
    select distinct awaits_minutes as minutes from event_sinks
    where enabled and (kinds is null or kinds ? 'chat.awaits') order by minutes`.execute(deps.db);
  for (const { minutes } of rows) await noticeAfter(deps.db, minutes);
}

/** The period is a condition of its own, because the index has it alone. */
async function noticeAfter(db: Database, minutes: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ botId: number; chatId: number; name: string }>`
      with due as (select extract(epoch from now())::bigint - ${minutes * 60}::bigint as until_date)
      update chats set awaits_told_date = told.last_incoming_date, awaits_told_minutes = ${minutes}
      from (
        select c.bot_id, c.id, c.last_incoming_date from due, chats c join bots b on b.id = c.bot_id
        where c.last_period >= (due.until_date - ${LATE_S}) >> ${sql.lit(LAST_PERIOD_BITS)}
          and c.type = 'private' and not b.disabled and b.manage_enabled
          and c.last_incoming_date between due.until_date - ${LATE_S} and due.until_date and ${awaits('c')}
          and (c.awaits_told_date is distinct from c.last_incoming_date or c.awaits_told_minutes < ${minutes})
          and exists (
            select from event_sinks s
            where s.enabled and s.awaits_minutes = ${minutes} and (s.kinds is null or s.kinds ? 'chat.awaits')
              and (s.bot_ids is null or s.bot_ids @> to_jsonb(c.bot_id)))
        order by c.last_incoming_date limit ${AT_ONCE} for update of c skip locked
      ) as told
      where chats.bot_id = told.bot_id and chats.id = told.id
      returning chats.bot_id as "botId", chats.id as "chatId",
        coalesce(nullif(concat_ws(' ', first_name, last_name), ''), username, '') as name`.execute(transaction);
    for (const { botId, chatId, name } of rows) {
      const who = name === '' ? `Chat ${chatId}` : `${name} (chat ${chatId})`;
      const text = `${who} has waited for an answer for ${minutes} min`;
      await recordEvent(transaction, { kind: 'chat.awaits', botId, chatId, text }, { awaitsMinutes: minutes });
    }
  });
}
