import type { BroadcastAudience } from '@flotilla/contract/broadcasts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';

/** How many chats an audience has, and how many more it would have if they had not blocked the bot. */
export type AudienceSize = { total: number; blocked: number };

/** Counts an audience as it is now. */
export async function countAudience(db: Database, botId: number, audience: BroadcastAudience): Promise<AudienceSize> {
  const { rows } = await sql<AudienceSize>`
    select count(*) filter (where ${isIncluded(audience)}) as total,
      count(*) filter (where not ${isIncluded(audience)}) as blocked
    from chats c where c.bot_id = ${botId} and ${isNamed(audience)} and ${isOfAudience(botId, audience)}`.execute(db);
  return rows[0] ?? { total: 0, blocked: 0 };
}

/** The condition of chats `c` that are named one by one, which limits how many are read. */
export function isNamed({ chat_ids: ids }: BroadcastAudience): RawBuilder<boolean> {
  return ids === undefined ? sql<boolean>`true` : sql<boolean>`c.id = any (${ids}::bigint[])`;
}

/** Of chats `c` of the audience: those that get the message. Blocked groups are those that the bot had to leave. */
export function isIncluded({ exclude_blocked: leavesOut }: BroadcastAudience): RawBuilder<boolean> {
  return leavesOut ? sql<boolean>`(c.blocked_at is null)` : sql<boolean>`(c.blocked_at is null or c.type = 'private')`;
}

/** The condition of chats `c` of a bot for everything else. */
export function isOfAudience(
  botId: number,
  { chat_types: types, tags, active_since: since }: BroadcastAudience,
): RawBuilder<boolean> {
  const conditions = [
    sql`c.migrated_to_chat_id is null`,
    sql`(c.type <> 'private' or c.last_incoming_date is not null)`,
    types === undefined ? null : sql`c.type = any (${types}::text[])`,
    since === undefined ? null : sql`c.last_incoming_date >= ${Math.floor(Date.parse(since) / 1000)}`,
    // The id of a private chat is that of its person.
    tags === undefined
      ? null
      : sql`c.type = 'private' and exists (
          select from tags t where t.bot_id = c.bot_id and t.user_id = c.id and t.tag = any (${tags}::text[]))`,
    isOfBotItself(botId),
  ];
  return sql<boolean>`${sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  )}`;
}

/**
 * Not a chat that the bot knows through a business account only, where it may write for that account alone. Where the release before
 * does not say, messages do; few bots have any of business accounts, so whether this one has is asked once a statement.
 */
function isOfBotItself(botId: number): RawBuilder<unknown> {
  return sql`(c.type <> 'private' or c.direct or c.direct is null and (
    not (select exists (select from messages b where b.bot_id = ${botId} and b.business_connection_id > ''))
    or exists (
      select from messages m where m.bot_id = c.bot_id and m.business_connection_id = '' and m.chat_id = c.id)
    or not exists (
      select from messages m where m.bot_id = c.bot_id and m.business_connection_id > '' and m.chat_id = c.id)))`;
}
