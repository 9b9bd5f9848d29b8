import { OUTBOX_STATES, type OutboxState, type outboxEntry } from '@flotilla/contract/outbox.ts';
import type { Filters } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Scope, visibleTo, within } from '../../people/accounts/scope.ts';
import { FOR_EVERYBODY } from './sendable.ts';

/** Undefined fields do not filter. */
export type EntryQuery = Filters<typeof outboxEntry> & {
  states?: readonly OutboxState[] | undefined;
  /** Unix seconds, like `until`. */
  since?: number | undefined;
  until?: number | undefined;
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
 * The rows that match, some of them, with `order` in an order of ids. Each is in one range of an index, for a bot and a state, in which ids
 * follow each other; so however many rows there are, no more are read than match.
 */
export function matching(
  scope: Scope,
  query: EntryQuery,
  range: IdRange,
  { columns, order, limit }: { columns: RawBuilder<unknown>; order?: 'asc' | 'desc'; limit: number },
): RawBuilder<unknown> {
  const direction = sql.raw(order ?? 'desc');
  const ordered = order === undefined ? sql`` : sql`order by id ${direction}`;
  const index = indexOf(scope, query);
  const conditions = conditionsOf(scope, query, range, index);
  if (index === null) {
    const among = statesOf(query);
    const isIn = among.length === OUTBOX_STATES.length ? sql`true` : sql`state = any(${among}::text[])`;
    return sql`select ${columns} from outbox where ${isIn} and ${conditions} ${ordered} limit ${limit}`;
  }
  const row = (values: RawBuilder<unknown>[]) => sql`(${sql.join(values)})`;
  const names = [...index.columns, sql`outbox.state`, sql`outbox.id`];
  const ends = (id: number) => row([...index.values, sql`cell.state`, sql`${id}::bigint`]);
  // A comparison of rows, since with equal columns the planner may go through the ids of all bots for the few of one. The column that
  // chooses most is the first, so that no other index seems to have half of the order.
  return sql`
    select entry.* from (${cellsOf(scope, query, index.byBot)}) as cell cross join lateral (
      select ${columns} from outbox
      where ${row(names)} >= ${ends(range.from ?? 0)} and ${row(names)} < ${ends(range.below ?? Number.MAX_SAFE_INTEGER)}
        and ${conditions}
      order by ${sql.join(names.map((name) => sql`${name} ${direction}`))} limit ${limit}
    ) as entry ${ordered} limit ${limit}`;
}

/** The columns of an index before state and id, with their values; `has`: the conditions that these are. */
type Index = {
  byBot: boolean;
  has: (keyof EntryQuery)[];
  columns: RawBuilder<unknown>[];
  values: RawBuilder<unknown>[];
};

/** null: the rows are few, or all. */
function indexOf({ bots }: Scope, query: EntryQuery): Index | null {
  const { bot_id, chat_id, priority, created_by, ids, broadcast_id } = query;
  if (ids !== undefined || (broadcast_id !== undefined && chat_id !== undefined)) return null;
  if (broadcast_id !== undefined) return by('broadcast_id', sql`outbox.broadcast_id`, sql`${broadcast_id}::bigint`);
  if (chat_id !== undefined) return ofBot('chat_id', sql`outbox.chat_id`, sql`${chat_id}::bigint`);
  if (created_by !== undefined) return ofBot('created_by', CREATOR, sql`${created_by}::text`);
  if (priority !== undefined) return ofBot('priority', sql`outbox.priority`, sql`${priority}::text`);
  if (bot_id !== undefined || bots !== 'all') return { ...OF_BOT, byBot: true };
  return statesOf(query).length < OUTBOX_STATES.length ? { byBot: false, has: [], columns: [], values: [] } : null;
}

function by(name: keyof EntryQuery, column: RawBuilder<unknown>, value: RawBuilder<unknown>): Index {
  return { byBot: false, has: [name], columns: [column], values: [value] };
}

const OF_BOT = {
  has: ['bot_id'] as (keyof EntryQuery)[],
  columns: [sql`outbox.bot_id`],
  values: [sql`cell.bot_id`],
};

function ofBot(...of: Parameters<typeof by>): Index {
  const { has, columns, values } = by(...of);
  return {
    byBot: true,
    has: [...OF_BOT.has, ...has],
    columns: [...columns, ...OF_BOT.columns],
    values: [...values, ...OF_BOT.values],
  };
}

const CREATOR = sql`coalesce(outbox.created_by ->> 'username', outbox.created_by ->> 'program')`;

/** The bots and states of a query, each with each. */
function cellsOf(scope: Scope, query: EntryQuery, byBot: boolean): RawBuilder<unknown> {
  const states = sql`unnest(${statesOf(query)}::text[]) as state`;
  if (!byBot) return sql`select ${states}`;
  const seen = query.bot_id === undefined ? scope : within(scope, [query.bot_id]);
  return sql`select id as bot_id, state from bots cross join ${states} where ${visibleTo(seen, 'id')}`;
}

function statesOf({ state, states = OUTBOX_STATES }: EntryQuery): OutboxState[] {
  return OUTBOX_STATES.filter((one) => states.includes(one) && (state === undefined || state === one));
}

/** Where the times of a query are among the ids, which rise with them: without an index of times. */
export async function idRange(db: Database, { since, until }: EntryQuery): Promise<IdRange> {
  const [first, last] = await Promise.all([firstIdSince(db, since), firstIdSince(db, until)]);
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

/** The conditions beside those that an index has. */
function conditionsOf(
  scope: Scope,
  query: EntryQuery,
  { from, below }: IdRange,
  index: Index | null,
): RawBuilder<SqlBool> {
  const { ids, since, until } = query;
  const has = index?.has ?? [];
  // The cells of an index by bot are in the scope.
  const conditions = [index?.byBot ? sql<SqlBool>`true` : visibleTo(scope, 'bot_id')];
  const add = <Name extends keyof EntryQuery>(
    name: Name,
    condition: (value: Required<EntryQuery>[Name]) => RawBuilder<SqlBool>,
  ) => {
    const value = query[name];
    if (value !== undefined && !has.includes(name)) conditions.push(condition(value as Required<EntryQuery>[Name]));
  };
  for (const name of ['bot_id', 'chat_id', 'priority', 'broadcast_id'] as const) {
    add(name, (value) => sql`${sql.ref(name)} = ${value}`);
  }
  add('created_by', (value) => sql`${CREATOR} = ${value}`);
  // An index of entries of broadcasts has no others.
  if (has.includes('broadcast_id')) conditions.push(sql`broadcast_id is not null`);
  if (since !== undefined) conditions.push(sql`created_at >= ${new Date(since * 1000)}`);
  if (until !== undefined) conditions.push(sql`created_at < ${new Date(until * 1000)}`);
  if (index === null && from !== null) conditions.push(sql`id >= ${from}`);
  if (index === null && below !== null) conditions.push(sql`id < ${below}`);
  if (query.ofBroadcasts === false) conditions.push(sql`broadcast_id is null`);
  if (query.forAdmins === false) conditions.push(isForEverybody());
  if (ids !== undefined) conditions.push(sql`id = any(${[...ids]}::bigint[])`);
  return sql`${sql.join(conditions, sql` and `)}`;
}

/** The condition of what everybody may hand over. */
function isForEverybody(): RawBuilder<SqlBool> {
  const { methods, without } = FOR_EVERYBODY;
  const names = without.map((name) => sql`coalesce(params -> ${name}::text, 'false') = 'false'::jsonb`);
  return sql`(method = any (${methods}::text[]) and ${sql.join(names, sql` and `)})`;
}
