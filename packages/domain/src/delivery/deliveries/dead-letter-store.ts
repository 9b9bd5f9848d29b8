import { type DeadLetter, type DeliveryFilter, REASON_CODES, type ReasonCode } from '@flotilla/contract/deliveries.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import { statusRange, updateIdIn } from './delivery-filter.ts';

/** Which dead letters: those that the filter matches. */
export type DeadLetterQuery = DeliveryFilter & {
  ids?: readonly number[] | undefined;
  /** Those of these chats, and those of which the row does not say the chat. */
  maybeOfChats?: readonly number[] | undefined;
  /** The largest id to include, so that letters made later are left out. */
  upto_id?: number | undefined;
};

/** How far a job has come, in the order of bots, readers and updates. */
export type LetterCursor = Pick<DeadLetter, 'bot_id' | 'reader' | 'update_id' | 'id'>;

/** Counting stops here, because an exact larger figure would take too long. */
const COUNTED_AT_MOST = 100_000;

/** SQL of the `dead_letters` table. */
export function deadLetterStore(db: Database) {
  return {
    /** Newest first. The page begins after `before`, if given. */
    list: <Given extends DeadLetterQuery>(
      scope: Scope,
      query: Exact<DeadLetterQuery, Given>,
      page: { limit: number; offset: number; before: number | null },
    ): Promise<DeadLetter[]> =>
      matching(db, scope, query)
        .selectAll()
        .$if(page.before !== null, (letters) => letters.where('id', '<', page.before as number))
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute(),
    count: async <Given extends DeadLetterQuery>(
      scope: Scope,
      query: Exact<DeadLetterQuery, Given>,
    ): Promise<number> => {
      const { count } = await matching(db, scope, query)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /**
     * Those in the scope. Exact up to 100,000; of more than that the whole table's estimate, if all bots are
     * wanted, and else 100,000. Bots that were deleted do not count.
     */
    countMany: async (scope: Scope): Promise<number> => {
      const some = db
        .selectFrom('dead_letters')
        .select('dead_letters.id')
        .where((where) =>
          scope.bots === 'all'
            ? where.exists(where.selectFrom('bots').select('bots.id').whereRef('bots.id', '=', 'dead_letters.bot_id'))
            : visibleTo(scope, 'dead_letters.bot_id'),
        )
        .limit(COUNTED_AT_MOST)
        .as('some');
      const { count } = await db
        .selectFrom(some)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (scope.bots !== 'all' || Number(count) < COUNTED_AT_MOST) return Number(count);
      const { rows } = await sql<{ rows: number }>`
        select reltuples::bigint as "rows" from pg_class where oid = 'dead_letters'::regclass`.execute(db);
      return Math.max(COUNTED_AT_MOST, Number(rows[0]?.rows ?? 0));
    },
    /** How many there are, by bot and reader, and the largest id of each. */
    countByReader: (
      scope: Scope,
      query: DeadLetterQuery,
    ): Promise<{ bot_id: number; reader: string; count: number; newest_id: number }[]> =>
      matching(db, scope, query)
        .select(['bot_id', 'reader'])
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<number>('id').as('newest_id')])
        .groupBy(['bot_id', 'reader'])
        .orderBy('bot_id')
        .orderBy('reader')
        .execute(),
    /** The largest id; 0 when there is none. */
    newestId: async (): Promise<number> => {
      const newest = db.selectFrom('dead_letters').select('id').orderBy('id', 'desc').limit(1);
      return (await newest.executeTakeFirst())?.id ?? 0;
    },
    /** The update of the newest dead letter of that bot and update; null when there is none. */
    payloadOf: async (botId: number, programIds: number[], updateId: number): Promise<string | null> => {
      // The index needs the reader.
      const of = db.selectFrom('dead_letters').select('payload').where('bot_id', '=', botId);
      const ofReader = of.where('reader', 'in', ['push', 'rules', 'history', ...programIds.map(programReaderName)]);
      const found = await ofReader.where('update_id', '=', updateId).orderBy('id', 'desc').limit(1).executeTakeFirst();
      return found?.payload ?? null;
    },
    /** The dead letters of that bot and update, newest first. */
    ofUpdate: (botId: number, readers: string[], updateId: number): Promise<DeadLetter[]> =>
      // The index needs the reader.
      db
        .selectFrom('dead_letters')
        .selectAll()
        .where('bot_id', '=', botId)
        .where('reader', 'in', readers)
        .where('update_id', '=', updateId)
        .orderBy('id', 'desc')
        .execute(),
    /** Which of these updates have a dead letter of that reader with a larger id. */
    ofUpdatesAfter: async (
      { botId, reader }: { botId: number; reader: string },
      updateIds: readonly number[],
      afterId: number,
    ): Promise<ReadonlySet<number>> => {
      const of = db.selectFrom('dead_letters').select('update_id').where('bot_id', '=', botId);
      const found = await of
        .where('reader', '=', reader)
        .where(sql<SqlBool>`update_id = any(${[...updateIds]}::bigint[])`)
        .where('id', '>', afterId)
        .execute();
      return new Set(found.map(({ update_id: id }) => id));
    },
    /** The next ones after that cursor, by bot, reader and update; locked, so that nobody else takes them. */
    lockNext: (scope: Scope, query: DeadLetterQuery, after: LetterCursor, limit: number): Promise<DeadLetter[]> =>
      matching(db, scope, query)
        .selectAll()
        .where(behind(after))
        .orderBy('bot_id')
        .orderBy('reader')
        .orderBy('update_id')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .execute(),
    /** How many of one reader of a bot there are after that cursor. */
    countFrom: async (
      scope: Scope,
      query: DeadLetterQuery,
      after: LetterCursor,
      { bot_id, reader }: Pick<DeadLetter, 'bot_id' | 'reader'>,
    ): Promise<number> => {
      const { count } = await matching(db, scope, query)
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('bot_id', '=', bot_id)
        .where('reader', '=', reader)
        .where(behind(after))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    remove: async (ids: number[]): Promise<void> => {
      if (ids.length > 0) await db.deleteFrom('dead_letters').where('id', 'in', ids).execute();
    },
  };
}

function behind({ bot_id, reader, update_id, id }: LetterCursor): RawBuilder<SqlBool> {
  return sql`(bot_id, reader, update_id, id) > (${bot_id}::bigint, ${reader}::text, ${update_id}::bigint, ${id}::bigint)`;
}

function matching(db: Database, scope: Scope, query: DeadLetterQuery) {
  let letters = db.selectFrom('dead_letters');
  for (const condition of conditionsOf(scope, query)) letters = letters.where(condition);
  return letters;
}

function conditionsOf(scope: Scope, query: DeadLetterQuery): RawBuilder<SqlBool>[] {
  const { ids, maybeOfChats, upto_id, reader, program_id, reason_code, status, since, until, q } = query;
  const conditions = [isShown(scope)];
  if (ids !== undefined) conditions.push(sql`id = any(${[...ids]}::bigint[])`);
  if (maybeOfChats !== undefined) {
    conditions.push(sql`(chat_id = any(${[...maybeOfChats]}::bigint[]) or chat_id is null)`);
  }
  if (upto_id !== undefined) conditions.push(sql`id <= ${upto_id}`);
  if (program_id !== undefined) conditions.push(sql`reader = ${programReaderName(program_id)}`);
  if (reader === 'program') conditions.push(sql`reader like 'program:%'`);
  else if (reader !== undefined) conditions.push(sql`reader = ${reader}`);
  if (reason_code !== undefined) conditions.push(withReason(reason_code));
  if (status !== undefined) {
    const range = statusRange(status);
    conditions.push(range === null ? sql`last_status is null` : sql`last_status between ${range.from} and ${range.to}`);
  }
  if (since !== undefined) conditions.push(sql`created_at >= to_timestamp(${since})`);
  if (until !== undefined) conditions.push(sql`created_at < to_timestamp(${until})`);
  if (q !== undefined) conditions.push(containing(q));
  return conditions;
}

/** Rows of deleted bots are still being removed and are not shown. The bot 0 has records whose bot cannot be read. */
function isShown(scope: Scope): RawBuilder<SqlBool> {
  return scope.bots === 'all' ? sql`bot_id in (select id from bots union all select 0)` : visibleTo(scope, 'bot_id');
}

/** Codes of a later release are shown as unknown. */
function withReason(code: ReasonCode): RawBuilder<SqlBool> {
  const known = REASON_CODES.filter((one) => one !== 'unknown');
  return code === 'unknown' ? sql`reason_code <> all (${known}::text[])` : sql`reason_code = ${code}`;
}

function containing(q: string): RawBuilder<SqlBool> {
  const inText = sql<SqlBool>`strpos(lower(reason), lower(${q})) > 0`;
  const updateId = updateIdIn(q);
  return updateId === null ? inText : sql`(update_id = ${updateId} or ${inText})`;
}
