import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { deletionStore } from '../../fleet/bots/deletion-store.ts';
import { removalStore } from '../retention/removal-store.ts';
import type { Portion } from './walk-tables.ts';

/** Erases up to `limit` rows of a portion. Returns how many. */
export async function erasePortion(
  db: Database,
  userId: number,
  { table, rows, which }: Portion,
  { limit, mark }: { limit: number; mark: string },
): Promise<number> {
  if (table === 'messages') return eraseMessages(db, { which, limit });
  // Only one table can tell the position of a row; the audit log has a partition for each month.
  const position = sql.ref(table === 'audit_log' ? 'id' : 'ctid');
  const some = sql`${position} = any (array(
    select ${position} from ${sql.table(table)} where ${which} limit ${limit})) and ${which}`;
  const { numAffectedRows } = await (rows.erase === 'delete'
    ? sql`delete from ${sql.table(table)} where ${some}`
    : sql`update ${sql.table(table)} set ${rows.erase(userId, mark)} where ${some}`
  ).execute(db);
  return Number(numAffectedRows ?? 0);
}

/** The newest first, by a range of a key. Triggers count authors and conversations of business connections. */
async function eraseMessages(
  db: Database,
  { which, limit }: Pick<Portion, 'which'> & { limit: number },
): Promise<number> {
  const chat = await sql<ChatOfBot>`
    select bot_id, chat_id from messages where ${which} limit 1`.execute(db);
  const [of] = chat.rows;
  // The lock excludes writers of this bot, which take the rows of chats and authors in another order.
  if (of === undefined || !(await deletionStore(db).lockBot(of.bot_id))) return 0;
  const end = await sql<{ date: number; id: number }>`
    select date, id from messages where ${which} order by date desc, id desc limit 1 offset ${limit - 1}`.execute(db);
  const { date, id } = end.rows[0] ?? { date: 0, id: 0 };
  const { rows } = await sql<{ all: number; shown: number }>`
    with gone as (
      delete from messages where ${which} and date >= ${date} and (date, id) >= (${date}::bigint, ${id}::bigint)
      returning deleted_at
    ) select count(*) as all, count(*) filter (where deleted_at is null) as shown from gone`.execute(db);
  const { all, shown } = rows[0]!;
  if (shown > 0) await removalStore(db).subtractCount(of, shown);
  return all;
}
