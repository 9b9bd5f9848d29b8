import type { Database } from '@flotilla/database/connect.ts';
import type { AuditLogTable } from '@flotilla/database/tables.ts';
import type { Selectable } from 'kysely';

export type AuditEntry = Omit<Selectable<AuditLogTable>, 'capture_key'>;

/** What an account did; what a bot did itself comes from captured calls. */
export interface AccountAction {
  botId: number;
  chatId: number;
  action: string;
  account: { id: number; username: string };
  targetId: number | null;
  details: string;
  /** Unix seconds. */
  dateS: number;
  /** Two entries with one key are one. */
  auditKey: string;
}

export interface AuditQuery {
  botId: number;
  chatId: number;
  /** undefined: every action. */
  action: string | undefined;
}

const COLUMNS = [
  'id',
  'bot_id',
  'chat_id',
  'action',
  'actor_kind',
  'actor_id',
  'actor_username',
  'target_id',
  'target_username',
  'details',
  'date',
] as const;

/** SQL of the audit log. */
export function auditStore(db: Database) {
  const entriesOf = ({ botId, chatId, action }: AuditQuery) => {
    const entries = db.selectFrom('audit_log').where('bot_id', '=', botId).where('chat_id', '=', chatId);
    return action === undefined ? entries : entries.where('action', '=', action);
  };
  return {
    /** Newest first; `before` is the date and the id of the last entry of the page before. */
    list(
      query: AuditQuery,
      page: { limit: number; offset: number; before: readonly [date: number, id: number] | null },
    ): Promise<AuditEntry[]> {
      const { limit, offset, before } = page;
      let entries = entriesOf(query)
        .select(COLUMNS)
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset);
      if (before !== null) {
        entries = entries.where((row) => row(row.refTuple('date', 'id'), '<', row.tuple(before[0], before[1])));
      }
      return entries.execute();
    },

    async count(query: AuditQuery): Promise<number> {
      const { count } = await entriesOf(query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The target's name is the one it was last seen with in that chat. */
    async insert({ botId, chatId, account, targetId, ...entry }: AccountAction): Promise<void> {
      await db
        .insertInto('audit_log')
        .values((row) => ({
          bot_id: botId,
          chat_id: chatId,
          action: entry.action,
          actor_kind: 'account' as const,
          actor_id: account.id,
          actor_username: account.username,
          target_id: targetId,
          target_username: row
            .selectFrom('chat_users')
            .select('username')
            .where('bot_id', '=', botId)
            .where('chat_id', '=', chatId)
            .where('user_id', '=', targetId ?? 0),
          details: entry.details,
          date: entry.dateS,
          capture_key: entry.auditKey,
        }))
        .execute();
    },
  };
}
