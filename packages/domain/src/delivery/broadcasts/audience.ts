import type { BroadcastAudience } from '@flotilla/contract/broadcast-audience.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';

/** How many chats an audience has, and how many more it would have if they had not blocked the bot. */
export type AudienceSize = { total: number; blocked: number };

type Failures = Pick<NonNullable<BroadcastAudience['failures_of']>, 'state' | 'error'>;

/** Counts an audience as it is now. */
export async function countAudience(db: Database, botId: number, audience: BroadcastAudience): Promise<AudienceSize> {
  const { rows } = await sql<AudienceSize>`
    select count(*) filter (where ${isIncluded(audience)}) as total,
      count(*) filter (where not ${isIncluded(audience)}) as blocked
    from chats c where c.bot_id = ${botId} and ${isNamed(botId, audience)} and ${isOfAudience(botId, audience)}`.execute(
    db,
  );
  return rows[0] ?? { total: 0, blocked: 0 };
}

/** The condition of chats `c` that are named one by one, here or in a list. */
function isNamed(botId: number, audience: BroadcastAudience): RawBuilder<boolean> {
  const named = namedIn(audience);
  if (named === null) return isOneOf(audience);
  // A million ids are compared as rows; of an array, each would be looked up.
  const fitting = sql`in (select id from ${named} as named where fits)`;
  return sql<boolean>`c.id in (${reachedBy(botId, fitting)})`;
}

/** The same for those that the audience names itself, which limits how many are read. */
export function isOneOf({ chat_ids: ids }: BroadcastAudience): RawBuilder<boolean> {
  return ids === undefined ? sql<boolean>`true` : sql<boolean>`c.id = any (${ids}::bigint[])`;
}

/** The ids of a list or of a former broadcast, as rows (id, fits); null: the audience names neither. */
export function namedIn({ list_id: list, failures_of: failures }: BroadcastAudience): RawBuilder<unknown> | null {
  if (list !== undefined) {
    return sql`(select chat_id as id, true as fits from chat_list_entries where list_id = ${list})`;
  }
  if (failures === undefined) return null;
  const { broadcast_id: former, ...reason } = failures;
  return sql`(select chat_id as id, ${hasFailed(reason)} as fits from outbox where broadcast_id = ${former})`;
}

/** The condition of entries of the outbox that did not reach their chat. */
export function hasFailed({ state, error }: Failures): RawBuilder<boolean> {
  const states = state === undefined ? ['failed', 'expired'] : [state];
  const isSo = sql<boolean>`(state = any (${states}::text[]))`;
  return error === undefined ? isSo : sql<boolean>`(${isSo} and coalesce(error, '') = ${error})`;
}

/** The chats of a bot to which the ids lead for which this holds: a group that became a supergroup leads there. */
export function reachedBy(botId: number, holds: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select coalesce(known.migrated_to_chat_id, known.id) from chats known
    where known.bot_id = ${botId} and known.id ${holds}`;
}

/** Of chats `c` of the audience: those that get the message. Blocked groups are those that the bot had to leave. */
export function isIncluded({ exclude_blocked: leavesOut }: BroadcastAudience): RawBuilder<boolean> {
  return leavesOut ? sql<boolean>`(c.blocked_at is null)` : sql<boolean>`(c.blocked_at is null or c.type = 'private')`;
}

/** The condition of chats `c` of a bot for everything else. */
export function isOfAudience(botId: number, audience: BroadcastAudience): RawBuilder<boolean> {
  const { chat_types: types, tags, language_codes: languages } = audience;
  const { active_since: since, inactive_since: silentSince } = audience;
  const conditions = [
    sql`c.migrated_to_chat_id is null`,
    sql`(c.type <> 'private' or c.last_incoming_date is not null)`,
    types === undefined ? null : sql`c.type = any (${types}::text[])`,
    since === undefined ? null : sql`c.last_incoming_date >= ${secondsOf(since)}`,
    silentSince === undefined ? null : sql`coalesce(c.last_incoming_date, 0) < ${secondsOf(silentSince)}`,
    tags === undefined ? null : hasTag(tags),
    languages === undefined ? null : hasLanguage(languages),
    isOfBotItself(botId),
  ];
  return sql<boolean>`${sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  )}`;
}

/** The id of a private chat is that of its person. */
function hasTag(tags: readonly string[]): RawBuilder<unknown> {
  return sql`c.type = 'private' and exists (
    select from tags t where t.bot_id = c.bot_id and t.user_id = c.id
      and lower(t.tag) = any (array(select lower(wanted) from unnest(${tags}::text[]) as wanted)))`;
}

function hasLanguage(languages: readonly string[]): RawBuilder<unknown> {
  return sql`c.type = 'private' and exists (
    select from chat_users u where u.bot_id = c.bot_id and u.chat_id = c.id and u.user_id = c.id
      and exists (select from unnest(${languages}::text[]) as wanted
        where lower(u.language_code) = lower(wanted) or lower(u.language_code) like lower(wanted) || '-%'))`;
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
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
