import { OUTBOX_STATES, type OutboxState, type Priority } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { FOR_EVERYBODY } from './sendable.ts';

/** Undefined fields do not filter. */
export type EntryQuery = {
  bots: 'all' | ReadonlySet<number>;
  botId?: number | undefined;
  chatId?: number | undefined;
  state?: OutboxState | undefined;
  states?: readonly OutboxState[] | undefined;
  priority?: Priority | undefined;
  broadcastId?: number | undefined;
  /** The name of an account or a program. */
  createdBy?: string | undefined;
  sinceS?: number | undefined;
  untilS?: number | undefined;
  ids?: readonly number[] | undefined;
  /** False leaves out entries of broadcasts. */
  ofBroadcasts?: boolean;
  /** False leaves out what `refuseForAdmins` refuses. */
  forAdmins?: boolean;
};

/** Ids between which the entries of a time are. */
export type IdRange = { from: number | null; below: number | null };

/** Transactions that run at once draw ids in another order than times. */
const IDS_APART = 10_000;

/**
 * The rows that match, some of them, in an order of ids. A query over several bots that an index answers bot by bot looks at each:
 * the newest of all would be read until enough match.
 */
export function matching(
  query: EntryQuery,
  range: IdRange,
  { columns, order, limit }: { columns: RawBuilder<unknown>; order: 'asc' | 'desc'; limit: number },
): RawBuilder<unknown> {
  const ordered = sql`order by id ${sql.raw(order)}`;
  const conditions = conditionsOf(query, range);
  if (!isBotByBot(query)) {
    return sql`select ${columns} from outbox where ${both(ofBots(query), conditions)} ${ordered} limit ${limit}`;
  }
  const bots =
    query.bots === 'all' ? sql`(select id from bots)` : sql`(select unnest(${[...query.bots]}::bigint[]) as id)`;
  return sql`
    select entry.* from ${bots} as bot cross join lateral (
      select ${columns} from outbox where ${both(sql`bot_id = bot.id`, conditions)} ${ordered} limit ${limit}
    ) as entry ${ordered} limit ${limit}`;
}

/** Where the times of a query are among the ids, which rise with them: without an index of times. */
export async function idRange(db: Database, { sinceS, untilS }: EntryQuery): Promise<IdRange> {
  const [first, last] = await Promise.all([firstIdSince(db, sinceS), firstIdSince(db, untilS)]);
  return { from: first && first - IDS_APART, below: last && last + IDS_APART };
}

async function firstIdSince(db: Database, atS: number | undefined): Promise<number | null> {
  if (atS === undefined) return null;
  const isLate = sql`created_at >= ${new Date(atS * 1000)}`;
  const { rows } = await sql<{ id: number }>`
    with recursive step(low, high) as (
      select coalesce(min(id), 0), coalesce(max(id), 0) + 1 from outbox
      union all
      select case when late then low else middle + 1 end, case when late then middle else high end
      from (
        select low, high, middle,
          coalesce((select ${isLate} from outbox where id >= middle order by id limit 1), true) as late
        from (select low, high, (low + high) / 2 as middle from step where low < high) as halved
      ) as looked
    )
    select low as id from step where low >= high`.execute(db);
  return rows[0]!.id;
}

function isBotByBot({ bots, botId, chatId, priority, createdBy, ids, broadcastId }: EntryQuery): boolean {
  if (botId !== undefined || ids !== undefined || broadcastId !== undefined) return false;
  return bots !== 'all' || [chatId, priority, createdBy].some((condition) => condition !== undefined);
}

function ofBots({ bots, botId }: EntryQuery): RawBuilder<SqlBool> {
  if (botId === undefined) return bots === 'all' ? sql`true` : sql`bot_id = any(${[...bots]}::bigint[])`;
  return bots === 'all' || bots.has(botId) ? sql`bot_id = ${botId}` : sql`false`;
}

function conditionsOf(query: EntryQuery, { from, below }: IdRange): RawBuilder<SqlBool> {
  const { chatId, state, states, priority, broadcastId, createdBy, sinceS, untilS, ids } = query;
  const conditions: RawBuilder<SqlBool>[] = [];
  if (chatId !== undefined) conditions.push(sql`chat_id = ${chatId}`);
  // As literals, so that the planner sees which partial index holds them.
  for (const among of [state === undefined ? undefined : [state], states]) {
    if (among !== undefined) conditions.push(isIn(among));
  }
  if (priority !== undefined) conditions.push(sql`priority = ${sql.lit(priority)}`);
  if (broadcastId !== undefined) conditions.push(sql`broadcast_id = ${broadcastId}`);
  if (createdBy !== undefined) {
    conditions.push(sql`coalesce(created_by ->> 'username', created_by ->> 'program') = ${createdBy}`);
  }
  if (sinceS !== undefined) conditions.push(sql`created_at >= ${new Date(sinceS * 1000)}`);
  if (untilS !== undefined) conditions.push(sql`created_at < ${new Date(untilS * 1000)}`);
  if (from !== null) conditions.push(sql`id >= ${from}`);
  if (below !== null) conditions.push(sql`id < ${below}`);
  if (query.ofBroadcasts === false) conditions.push(sql`broadcast_id is null`);
  if (query.forAdmins === false) conditions.push(isForEverybody());
  if (ids !== undefined) conditions.push(sql`id = any(${[...ids]}::bigint[])`);
  return sql`${sql.join([sql`true`, ...conditions], sql` and `)}`;
}

function isIn(states: readonly OutboxState[]): RawBuilder<SqlBool> {
  const [one, ...others] = states.filter((state) => OUTBOX_STATES.includes(state)).map((state) => sql.lit(state));
  if (one === undefined) return sql`false`;
  return others.length === 0 ? sql`state = ${one}` : sql`state in (${sql.join([one, ...others])})`;
}

function both(one: RawBuilder<SqlBool>, other: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return sql`${one} and ${other}`;
}

/** The condition of what everybody may hand over. */
function isForEverybody(): RawBuilder<SqlBool> {
  const { methods, without } = FOR_EVERYBODY;
  const names = without.map((name) => sql`coalesce(params -> ${name}::text, 'false') = 'false'::jsonb`);
  return sql`(method = any (${methods}::text[]) and ${sql.join(names, sql` and `)})`;
}
