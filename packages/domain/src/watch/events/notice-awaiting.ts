import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { eventKeys } from '@flotilla/redis/keys.ts';
import { type RawBuilder, sql } from 'kysely';
import { recordEvent } from '../../people/events/record-event.ts';
import { awaits } from '../../records/chats/chat-desk.ts';
import type { Conversation } from '../../records/chats/conversation.ts';
import { LAST_PERIOD_BITS } from '../../records/history/history-chat-store.ts';

/** A chat that nobody looked at for longer makes no event any more. */
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

async function noticeAfter(db: Database, minutes: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const rows = [...(await noteDirect(transaction, minutes)), ...(await noteBusiness(transaction, minutes))];
    for (const { name, ...conversation } of rows) {
      const who = name === '' ? `Chat ${conversation.chat_id}` : `${name} (chat ${conversation.chat_id})`;
      const text = `${who} has waited for an answer for ${minutes} min`;
      await recordEvent(transaction, { kind: 'chat.awaits', ...conversation, text }, { awaitsMinutes: minutes });
    }
  });
}

type Awaiting = Conversation & { name: string };

const NAME = sql`coalesce(nullif(concat_ws(' ', p.first_name, p.last_name), ''), p.username, '') as name`;

async function noteDirect(db: Database, minutes: number): Promise<Awaiting[]> {
  const { rows } = await sql<Awaiting>`
    with ${due(minutes)}
    update chats p set awaits_told_date = told.last_incoming_date, awaits_told_minutes = ${minutes}
    from (
      select c.bot_id, c.id, c.last_incoming_date from due, chats c join bots b on b.id = c.bot_id
      where ${isDue(minutes)} and c.type = 'private' and c.direct is distinct from false and ${awaits('c')}
      order by c.last_incoming_date limit ${AT_ONCE} for update of c skip locked
    ) as told
    where p.bot_id = told.bot_id and p.id = told.id
    returning p.bot_id, p.id as chat_id, '' as business_connection_id, ${NAME}`.execute(db);
  return rows;
}

async function noteBusiness(db: Database, minutes: number): Promise<Awaiting[]> {
  const { rows } = await sql<Awaiting>`
    with ${due(minutes)}
    update business_chats t set awaits_told_date = told.last_incoming_date, awaits_told_minutes = ${minutes}
    from (
      select c.bot_id, c.chat_id, c.business_connection_id, c.last_incoming_date
      from due, business_chats c join bots b on b.id = c.bot_id
      where ${isDue(minutes)} and ${awaits('c', sql`'private'`)}
      order by c.last_incoming_date limit ${AT_ONCE} for update of c skip locked
    ) as told join chats p on p.bot_id = told.bot_id and p.id = told.chat_id
    where t.bot_id = told.bot_id and t.chat_id = told.chat_id
      and t.business_connection_id = told.business_connection_id
    returning t.bot_id, t.chat_id, t.business_connection_id, ${NAME}`.execute(db);
  return rows;
}

function due(minutes: number): RawBuilder<unknown> {
  return sql`due as (select extract(epoch from now())::bigint - ${minutes * 60}::bigint as until_date)`;
}

/** Of a conversation `c` of a bot `b`. The period is a condition of its own, because the index has it alone. */
function isDue(minutes: number): RawBuilder<unknown> {
  return sql`c.last_period >= (due.until_date - ${LATE_S}) >> ${sql.lit(LAST_PERIOD_BITS)}
    and not b.disabled and b.manage_enabled
    and c.last_incoming_date between due.until_date - ${LATE_S} and due.until_date
    and (c.awaits_told_date is distinct from c.last_incoming_date or c.awaits_told_minutes < ${minutes})
    and exists (
      select from event_sinks s
      where s.enabled and s.awaits_minutes = ${minutes} and (s.kinds is null or s.kinds ? 'chat.awaits')
        and (s.bot_ids is null or s.bot_ids @> to_jsonb(c.bot_id)))`;
}
