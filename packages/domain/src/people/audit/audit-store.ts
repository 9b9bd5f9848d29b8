import type { AuditEntry } from '@flotilla/contract/audit.ts';
import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import { DESK_ACTIONS } from '@flotilla/contract/desk-log.ts';
import { ACTIONS_ON_PEOPLE, PIN_ACTIONS } from '@flotilla/database/audit-indexes.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { EVERYTHING, type Exact, type Scope, visibleTo, within } from '../accounts/scope.ts';
import type { Actor } from './actor.ts';
import type { AuditedAction, AuditTarget } from './audited-action.ts';
import { queueForSinks } from './queue-audit.ts';

export type StoredEntry = Pick<AuditEntry, 'id' | 'date'>;

/** Undefined fields match everything. */
export interface AuditQuery {
  id?: number | undefined;
  bot_id?: number | undefined;
  chat_id?: number | undefined;
  action?: AuditAction | undefined;
  /** An account, whichever key it used. */
  actor_id?: number | undefined;
  /** Unix seconds. */
  fromS?: number | undefined;
  beforeS?: number | undefined;
}

const DESK_COLUMNS = ['action', 'actor_kind', 'actor_username', 'target_username', 'details', 'date'] as const;
/** No index leads to such acts, and a busy chat has many other entries. */
const LOOKED_AT = 500;

/** A message of a bot. */
export type SentMessage = { bot_id: number; chat_id: number; business_connection_id: string; id: number; date: number };

/** Such a message with the account that sent it: its username then, and what it is now unless it was deleted. */
export type SentByAccount = Omit<SentMessage, 'date'> & {
  account: string;
  account_id: number | null;
  account_name: string | null;
};

/** The date of a message is the platform's, that of its entry is ours. */
const CLOCKS_DIFFER_S = 60;

/** SQL of the audit log. */
export function auditStore(db: Database) {
  const entriesOf = (scope: Scope, { id, bot_id, chat_id, action, actor_id, fromS, beforeS }: AuditQuery) => {
    const seen = bot_id === undefined ? scope : within(scope, [bot_id]);
    let entries = db.selectFrom('audit_log').where(visibleTo(seen, 'bot_id'));
    if (id !== undefined) entries = entries.where('id', '=', id);
    if (chat_id !== undefined) entries = entries.where('chat_id', '=', chat_id);
    if (action !== undefined) entries = entries.where('action', '=', action);
    if (actor_id !== undefined) entries = entries.where('actor_kind', '=', 'account').where('actor_id', '=', actor_id);
    if (fromS !== undefined) entries = entries.where('date', '>=', fromS);
    return beforeS === undefined ? entries : entries.where('date', '<', beforeS);
  };
  return {
    /** Newest first. `before` is the date and the id of the last entry of the previous page. */
    list<Given extends AuditQuery>(
      scope: Scope,
      query: Exact<AuditQuery, Given>,
      page: { limit: number; offset: number; before: readonly [date: number, id: number] | null },
    ): Promise<AuditEntry[]> {
      const { limit, offset, before } = page;
      let entries = entriesOf(scope, query)
        .selectAll()
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset);
      if (before !== null) {
        // The date alone tells Postgres which partitions to leave out.
        entries = entries
          .where('date', '<=', before[0])
          .where((row) => row(row.refTuple('date', 'id'), '<', row.tuple(before[0], before[1])));
      }
      return entries.execute();
    },

    async count<Given extends AuditQuery>(scope: Scope, query: Exact<AuditQuery, Given>): Promise<number> {
      const { count } = await entriesOf(scope, query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Acts on one user or message of a chat, newest first. */
    listOfTarget(chat: ChatOfBot, targetId: number, limit: number): Promise<AuditEntry[]> {
      return entriesOf(EVERYTHING, chat)
        .selectAll()
        .where('target_id', '=', targetId)
        .where(isOneOf(ACTIONS_ON_PEOPLE))
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
    },

    /** The pins and unpins of a conversation, newest first. */
    listPins(
      { business_connection_id, ...chat }: ChatOfBot & { business_connection_id: string },
      limit: number,
    ): Promise<Pick<AuditEntry, 'action' | 'target_id'>[]> {
      return entriesOf(EVERYTHING, chat)
        .select(['action', 'target_id'])
        .where('business_connection_id', '=', business_connection_id)
        .where(isOneOf(PIN_ACTIONS))
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
    },

    /** Acts of people in a conversation beside writing, newest first: of the newest 500 entries of its chat. */
    async listDeskActs(
      { business_connection_id, ...chat }: ChatOfBot & { business_connection_id: string },
      limit: number,
    ): Promise<Pick<AuditEntry, (typeof DESK_COLUMNS)[number]>[]> {
      const newest = entriesOf(EVERYTHING, chat)
        .select([...DESK_COLUMNS, 'id', 'business_connection_id'])
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .limit(LOOKED_AT);
      return db
        .selectFrom(newest.as('newest'))
        .select(DESK_COLUMNS)
        .where('business_connection_id', '=', business_connection_id)
        .where(isOneOf(DESK_ACTIONS))
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
    },

    /** Those of these messages that accounts sent. */
    async sendersOf(messages: readonly SentMessage[]): Promise<SentByAccount[]> {
      if (messages.length === 0) return [];
      const { rows } = await sql<SentByAccount>`
        select m.bot_id, m.chat_id, m.business_connection_id, m.id, e.actor_username as account, a.id as account_id,
          nullif(a.display_name, '') as account_name
        from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
          as m (bot_id bigint, chat_id bigint, business_connection_id text, id bigint, date bigint)
        cross join lateral (
          select actor_id, actor_username from audit_log
          where bot_id = m.bot_id and chat_id = m.chat_id and business_connection_id = m.business_connection_id
            and date between m.date - ${CLOCKS_DIFFER_S}::bigint and m.date + ${CLOCKS_DIFFER_S}::bigint
            and action = 'send' and actor_kind = 'account' and actor_username is not null and target_id = m.id
          limit 1
        ) as e
        left join accounts a on a.id = e.actor_id`.execute(db);
      return rows;
    },

    async anyOfBot(botId: number): Promise<boolean> {
      const entry = db.selectFrom('audit_log').select('id').where('bot_id', '=', botId).limit(1);
      return (await entry.executeTakeFirst()) !== undefined;
    },

    /** True if the account has signed in before, and never from this address, as far as the log goes back. */
    async isNewAddress(accountId: number, address: string): Promise<boolean> {
      const signIns = () =>
        db
          .selectFrom('audit_log')
          .select('id')
          .where('actor_kind', '=', 'account')
          .where('actor_id', '=', accountId)
          .where('action', '=', 'sign_in')
          .limit(1);
      const [any, fromHere] = [
        await signIns().executeTakeFirst(),
        await signIns().where('address', '=', address).executeTakeFirst(),
      ];
      return any !== undefined && fromHere === undefined;
    },

    /** The id of the newest deleted account of that name, from the log. */
    async deletedAccount(username: string): Promise<number | null> {
      const deletion = await db
        .selectFrom('audit_log')
        .select('target_id')
        .where('action', '=', 'account_delete')
        .where((row) => row(row.fn<string>('lower', ['target_username']), '=', username.toLowerCase()))
        .orderBy('date', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return deletion?.target_id ?? null;
    },

    /** null: one with this key is stored. */
    async insert(by: Actor, done: AuditedAction, dateS: number, key: string | null): Promise<StoredEntry | null> {
      const { action, bot_id = null, chat_id = null, business_connection_id = '', target = null, details = '' } = done;
      const actorBot = by.kind === 'bot' ? bot_id : by.kind === 'parent' ? by.botId : null;
      const isBot = by.kind === 'bot' || by.kind === 'parent';
      const account = by.kind === 'account' ? by : null;
      const entry = db
        .insertInto('audit_log')
        .values({
          bot_id,
          chat_id,
          business_connection_id,
          action,
          actor_kind: isBot ? 'bot' : 'account',
          actor_id: isBot ? actorBot : (account?.accountId ?? null),
          actor_username: isBot ? nameOfBot(actorBot) : (account?.username ?? null),
          actor_key_id: account?.keyId ?? null,
          address: by.address,
          request_id: by.request?.id ?? null,
          target_id: target?.id ?? null,
          target_username: nameOfTarget(bot_id, chat_id, target),
          details,
          date: dateS,
          capture_key: key,
        })
        .onConflict((conflict) => conflict.columns(['capture_key', 'date']).doNothing());
      const { rows } = await sql<StoredEntry>`${queueForSinks(sql`${entry}`)}`.execute(db);
      return rows[0] ?? null;
    },
  };
}

/** The expression of the indexes. */
function isOneOf(actions: readonly string[]) {
  return sql<boolean>`action in (${sql.join(actions.map((action) => sql.lit(action)))})`;
}

const nameOfBot = (botId: number | null) =>
  sql<string | null>`(select nullif(username, '') from bots where id = ${botId})`;

function nameOfTarget(botId: number | null, chatId: number | null, target: AuditTarget | null) {
  switch (target?.kind) {
    case 'user':
      return sql<string | null>`(
        select username from chat_users where bot_id = ${botId} and chat_id = ${chatId} and user_id = ${target.id})`;
    case 'account':
      return sql<string | null>`(select username from accounts where id = ${target.id})`;
    default:
      return null;
  }
}
