import type { Database } from '@flotilla/database/connect.ts';
import type { Partition } from '@flotilla/database/partition.ts';
import { periodOf, type SearchQuery, tsqueryOf } from '@flotilla/database/search-query.ts';
import { type RawBuilder, sql } from 'kysely';
import { MESSAGE_COLUMNS } from '../history/message-row.ts';
import type { LookUp } from './look-up-steps.ts';
import type { Message, MessageFilter } from './message-store.ts';
import {
  columns,
  isBefore,
  isIn,
  isShownIn,
  NEWEST_FIRST,
  newestIn,
  passes,
  type SearchCursor,
  type SearchScope,
} from './search-scope.ts';

/** The scope of a search, and the page of its result. */
export interface Searched {
  scope: SearchScope;
  filter?: MessageFilter | undefined;
  limit: number;
  offset: number;
  before: SearchCursor | null;
}

export interface WalkResult {
  messages: Message[];
  /** The number of messages read. It is below the requested number when there are no more. */
  walked: number;
  /** How many of them match, and (`withLast`) how many have the last word. */
  matching: number;
  withLast: number;
  /** Of chats: the counts in their rows. */
  chatMessages: number;
  /** Seconds between the newest and the oldest that was read. */
  spanS: number;
}

/** SQL of searching messages. Both ways find the same. No statement begins after `signal` has aborted. */
export function searchStore(db: Database, signal?: AbortSignal) {
  const run = <Row>(statement: RawBuilder<Row>) => {
    signal?.throwIfAborted();
    return statement.execute(db);
  };
  return {
    /** Reads the newest messages, at most `rows`, and checks each one. This is fast when most of them match. */
    async walk(
      searched: Searched,
      query: SearchQuery,
      rows: number,
      sinceS: number | null = null,
    ): Promise<WalkResult> {
      const found = await run(walkStatement(searched, query, rows, sinceS));
      const [{ walked = 0, matching = 0, withLast = 0, chatMessages = 0, spanS = 0 } = {}] = found.rows;
      return { messages: messagesIn(found.rows), walked, matching, withLast, chatMessages, spanS };
    },

    /** Looks the words up, step by step, until `enough` messages are found; `matching` counts up to that. */
    async lookUp(
      searched: Searched,
      steps: readonly LookUp[],
      query: SearchQuery,
      enough: number,
      partitions: readonly Partition[],
    ): Promise<{ messages: Message[]; matching: number }> {
      if (steps.length === 0) return { messages: [], matching: 0 };
      const { rows } = await run(lookUpStatement(searched, steps, query, enough, partitions));
      return { messages: messagesIn(rows), matching: rows[0]?.matching ?? 0 };
    },
  };
}

type WalkedRow = Message & Omit<WalkResult, 'messages'>;

export function walkStatement(
  searched: Searched,
  query: SearchQuery,
  rows: number,
  sinceS: number | null,
): RawBuilder<WalkedRow> {
  const { scope } = searched;
  const chats =
    scope === 'fleet' || 'botIds' in scope ? sql`false` : sql`bot_id = ${scope.botId} and id = any (${scope.chatIds})`;
  return sql`
    with recent as materialized (
      select newest.*, ${periodOf(sql.ref('date'))} as period from (
        ${newestIn(scope, { ...searched, rows, sinceS })}
      ) as newest
    ), wanted as materialized (
      select period, ${tsqueryOf(sql.ref('period'), query.all)} as everything,
        ${tsqueryOf(sql.ref('period'), query.last)} as last_word
      from (select distinct period from recent) as periods
    ), matching as materialized (
      select m.* from recent m join wanted using (period)
      where m.search @@ everything and m.deleted_at is null and ${isShownIn(scope)} and ${passes(searched.filter)}
    )
    select (select count(*) from recent) as walked, (select count(*) from matching) as matching,
      (select count(*) from recent m join wanted using (period) where m.search @@ last_word and ${isIn(scope)}) as "withLast",
      coalesce((select sum(message_count)::bigint from chats where ${chats}), 0) as "chatMessages",
      coalesce((select max(date) - min(date) from recent), 0) as "spanS",
      ${pageOfMatching(searched)}`;
}

export function lookUpStatement(
  searched: Searched,
  steps: readonly LookUp[],
  query: SearchQuery,
  enough: number,
  partitions: readonly Partition[],
): RawBuilder<Message & { matching: number }> {
  const { scope, before, filter } = searched;
  const found = sql.join(
    partitions
      .filter((partition) => steps.some((look) => overlaps(partition, look)))
      .map((partition) => foundIn(partition, query)),
    sql` union all `,
  );
  const column = <Value>(read: (look: LookUp) => Value) => steps.map(read);
  const looks = sql`unnest(
      ${column(({ step }) => step)}::int[], ${column(({ wanted }) => wanted)}::text[], ${column(({ also }) => also)}::text[],
      ${column(({ bots }) => (bots === null ? null : `{${bots.join()}}`))}::text[],
      ${column(({ fromS }) => fromS)}::bigint[], ${column(({ untilS }) => untilS)}::bigint[]
    ) as look (step, wanted, also, bots, from_s, until_s)`;
  return sql`
    with matching as materialized (
      select of_step.* from (select distinct step from ${looks} order by step) as one
      cross join lateral (
        select ${columns('m')} from ${looks} cross join lateral (${found}) as m
        where look.step = one.step and m.date >= look.from_s and m.date < look.until_s
          and (look.bots is null or m.bot_id = any (look.bots::bigint[]))
          and m.deleted_at is null and ${isShownIn(scope)} and ${isBefore(before)} and ${passes(filter)}
        ${NEWEST_FIRST} limit ${enough}
      ) as of_step
      limit ${enough}
    )
    select (select count(*) from matching) as matching, ${pageOfMatching(searched)}`;
}

/**
 * The messages of one look. The partition is named, because a condition by which Postgres would choose partitions lets it read
 * their indexes by date, too, and more of them than the words need.
 */
function foundIn({ name, fromS, untilS }: Partition, { all, wide }: SearchQuery): RawBuilder<unknown> {
  const isExact = wide === null ? sql`true` : sql`(search @@ ${tsqueryOf(periodOf(sql.ref('date')), all)}) is true`;
  return sql`(
    select ${columns()}, thread_id from ${sql.table(name)}
    where ${untilS === null ? sql`true` : sql`look.from_s < ${untilS}`}
      and ${fromS === null ? sql`true` : sql`look.until_s > ${fromS}`}
      and search @@ look.wanted::tsquery and (look.also is null or (search @@ look.also::tsquery) is true) and ${isExact}
    offset 0)`;
}

function overlaps({ fromS, untilS }: Partition, look: LookUp): boolean {
  return (untilS === null || look.fromS < untilS) && (fromS === null || look.untilS > fromS);
}

/** The page, beside counts in each row; an empty page is one row that has only the counts. */
function pageOfMatching({ limit, offset }: Searched): RawBuilder<unknown> {
  return sql`page.* from (values (1)) as one (row) left join (
    select ${columns()} from matching ${NEWEST_FIRST} limit ${limit} offset ${offset}
  ) as page on true`;
}

function messagesIn(rows: (Message & Record<string, unknown>)[]): Message[] {
  return rows
    .filter((row) => row.id !== null)
    .map((row) => Object.fromEntries(MESSAGE_COLUMNS.map((column) => [column, row[column]])) as unknown as Message);
}
