import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

type Queued = { botId: number; priority: 'critical' | 'normal' | 'bulk'; broadcastId?: number };

/** Puts a message into the outbox for each of these chats, without waking anybody. */
export async function queueEntries(
  db: Database,
  { botId, priority, broadcastId }: Queued,
  chatIds: readonly number[],
): Promise<void> {
  await sql`
    insert into outbox (bot_id, chat_id, method, params, priority, state, broadcast_id)
    select ${botId}::bigint, chat_id, 'sendMessage', '{"text": "We are open again from 9 January."}', ${priority}, 'queued',
      ${broadcastId ?? null}::bigint
    from unnest(${[...chatIds]}::bigint[]) as chat_id`.execute(db);
}
