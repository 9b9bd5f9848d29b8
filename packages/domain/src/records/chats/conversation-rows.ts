import { type RawBuilder, sql } from 'kysely';

/** Of a person, for both kinds of conversations. */
const NAMES = sql`p.type, p.title, p.username, p.first_name, p.last_name, p.search_name, p.updated_at, p.last_id,
  p.migrated_to_chat_id, p.direct`;

/** The bot's own chats, as rows with the columns of both kinds. */
export const DIRECT_ROWS: RawBuilder<unknown> = sql`(
  select p.bot_id, p.id, '' as business_connection_id, ${NAMES}, p.blocked_at, ${stateOf('p')}
  from chats p where p.direct is distinct from false)`;

/** Conversations of business connections. */
export const BUSINESS_ROWS: RawBuilder<unknown> = sql`(
  select b.bot_id, b.chat_id as id, b.business_connection_id, ${NAMES}, null::timestamptz as blocked_at, ${stateOf('b')}
  from business_chats b join chats p on p.bot_id = b.bot_id and p.id = b.chat_id)`;

export const CONVERSATION_KINDS = [
  { rows: DIRECT_ROWS, reads: sql`chat_reads`, ofConnection: sql`true` },
  {
    rows: BUSINESS_ROWS,
    reads: sql`business_chat_reads`,
    ofConnection: sql`mine.business_connection_id = c.business_connection_id`,
  },
] as const;

/** Rows of both kinds, as `arm` selects them of each: an index serves each part, and none serves both. */
export function ofBothKinds(
  arm: (kind: (typeof CONVERSATION_KINDS)[number]) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql.join(
    CONVERSATION_KINDS.map((kind) => sql`(${arm(kind)})`),
    sql` union all `,
  );
}

/** The row of the chat counts the messages of all its conversations. */
export function ownMessageCount(page: string): RawBuilder<number> {
  const [botId, chatId, connection] = ['bot_id', 'id', 'business_connection_id'].map((name) =>
    sql.ref(`${page}.${name}`),
  );
  return sql<number>`(${sql.ref(`${page}.message_count`)} - case when ${connection} = '' and ${chatId} > 0 then coalesce((
    select sum(b.message_count)::bigint from business_chats b where b.bot_id = ${botId} and b.chat_id = ${chatId}), 0)
    else 0 end)`;
}

function stateOf(table: string): RawBuilder<unknown> {
  return sql.join(
    [
      ...['message_count', 'last_date', 'last_period', 'last_incoming_date', 'last_incoming_id', 'last_answer_date'],
      ...['last_answer_id', 'assigned_to', 'done_date', 'done_id', 'awaits_told_date', 'awaits_told_minutes'],
    ].map((column) => sql.ref(`${table}.${column}`)),
  );
}
