import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { makeMonths } from '@flotilla/database/month-partitions.ts';
import { EVERYTHING, type Scope, within } from '@flotilla/domain/people/accounts/scope.ts';
import type { InboxCursor, InboxFilter } from '@flotilla/domain/records/chats/inbox-page.ts';
import { inboxStore, listStatement } from '@flotilla/domain/records/chats/inbox-store.ts';
import { LAST_PERIOD_BITS } from '@flotilla/domain/records/history/history-chat-store.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { sql } from 'kysely';
import { percentile } from './percentile.ts';
import { ms, report } from './report.ts';

const CHATS = 100_000;
const MESSAGES = 1_000_000;
const OLDEST_S = 1_780_000_000;
const SPAN_S = 2_592_000;
const PAGE = 50;
const PAGES = 40;
/** Of the chats, this part is read to the end by the account. */
const READ = 0.9;

type Filter = Partial<InboxFilter>;

/** One page of the chats by their last message, for one bot with all chats and for all of many bots. */
export async function benchInbox({ url, rows = MESSAGES }: { url: string; rows?: number }): Promise<void> {
  const db = connectDatabase({ url, maxConnections: 4, queryTimeoutMs: null });
  try {
    for (const bots of [1, 10_000]) {
      const ids = await storeChats(db, bots, rows);
      const accountId = await readMost(db);
      await sql`vacuum analyze`.execute(db);
      const figures: { what: string; figure: string }[] = [];
      for (const [whose, seen] of Object.entries(callersOf(ids))) {
        const cursors = await cursorsOf(db, seen, { accountId, q: '', unread: false });
        for (const [what, filter] of Object.entries(FILTERS)) {
          const took = await ask(db, seen, { accountId, q: '', unread: false, ...filter }, cursors);
          const [p50, p95] = [percentile(took, 50), percentile(took, 95)].map(ms);
          figures.push({ what: `${whose}: ${what}, p50 / p95`, figure: `${p50} / ${p95}   (target ≤ 50 ms)` });
        }
      }
      report(
        `A page of ${CHATS.toLocaleString('en')} chats, ${rows.toLocaleString('en')} messages, bots: ${bots}`,
        figures,
      );
      const plan = await explain(db, { accountId, q: '', unread: false });
      process.stdout.write(`\n${plan}\n`);
    }
  } finally {
    await db.destroy();
  }
}

const FILTERS: Record<string, Filter> = {
  'any page': {},
  'a name few have': { q: 'c0ffe' },
  'a name many have': { q: 'ada' },
  'one kind': { type: 'private' },
  unread: { unread: true },
};

function callersOf(ids: number[]): Record<string, Scope> {
  return ids.length === 1
    ? { 'one bot': within(EVERYTHING, ids) }
    : { 'five bots': within(EVERYTHING, ids.slice(0, 5)), 'all bots': EVERYTHING };
}

/** A chat has the same number of messages as the others; the last one was at some time within thirty days. */
async function storeChats(db: Database, bots: number, messages: number): Promise<number[]> {
  await sql`truncate bots, chats, messages, chat_reads, chat_authors cascade`.execute(db);
  const first = await storedBot(db);
  await sql`
    insert into bots (telegram_id, token_sealed, token_hash, name, username, source, registration_id, revision)
    select 5001, '', 'h' || n, 'Echo', 'echo_bot', 'web', 'g', 1 from generate_series(2, ${bots}::int) n`.execute(db);
  const { rows } = await sql<{ id: number }>`select id from bots order by id`.execute(db);
  const ids = rows.map(({ id }) => id);
  const bot = sql`(${ids}::bigint[])[1 + n % ${bots}::int]`;
  await sql`
    insert into chats (bot_id, id, type, username, first_name, last_name, message_count, search_name)
    select ${bot}, n, case when n % 20 = 0 then 'supergroup' else 'private' end, username, first, last, 10,
      lower(username || e'\\n' || first || ' ' || last)
    from generate_series(1, ${CHATS}::int) n, lateral (select 'user_' || md5(n::text) as username,
      case when n % 9 = 0 then 'Ada' else left(md5((n * 7)::text), 6) end as first, left(md5((n * 3)::text), 8) as last
    ) as names`.execute(db);
  const each = Math.ceil(messages / CHATS);
  await makeMonths(db, 'messages', OLDEST_S, OLDEST_S + SPAN_S);
  await sql`
    insert into messages (bot_id, chat_id, id, user_id, first_name, text, date, outgoing)
    select ${bot}, n, m, n, 'Ada', 'Where is my order number ' || n || '?',
      ${OLDEST_S}::bigint + (('x' || left(md5(n::text), 6))::bit(24)::int % ${SPAN_S}::int) + m * 60, m % 3 = 0
    from generate_series(1, ${CHATS}::int) n, generate_series(1, ${each}::int) m`.execute(db);
  await sql`
    update chats set last_date = newest.date, last_period = newest.date >> ${LAST_PERIOD_BITS}::int,
      last_incoming_date = newest.incoming[1], last_incoming_id = newest.incoming[2],
      last_answer_date = newest.answer[1], last_answer_id = newest.answer[2]
    from (select bot_id, chat_id, max(date) as date, max(array[date, id]) filter (where not outgoing) as incoming,
      max(array[date, id]) filter (where outgoing) as answer
      from messages group by bot_id, chat_id) as newest
    where chats.bot_id = newest.bot_id and chats.id = newest.chat_id`.execute(db);
  await sql`analyze`.execute(db);
  return first === ids[0] ? ids : [first];
}

async function readMost(db: Database): Promise<number> {
  const name = `reader-${performance.now()}`;
  const account = { username: name, username_key: name, role: 'user', password_hash: '' } as const;
  const { id } = await db.insertInto('accounts').values(account).returning('id').executeTakeFirstOrThrow();
  await sql`
    insert into chat_reads (bot_id, chat_id, account_id, message_id, message_date)
    select bot_id, id, ${id}, 1000000, last_date from chats where id % 100 < ${READ * 100}::int`.execute(db);
  return id;
}

/** The first page, and pages everywhere in the list. */
async function cursorsOf(db: Database, scope: Scope, filter: InboxFilter): Promise<(InboxCursor | null)[]> {
  const { total } = await inboxStore(db).list(scope, { ...filter, limit: 1, offset: 0, before: null });
  const cursors: (InboxCursor | null)[] = [null];
  for (let at = 1; at < PAGES; at += 1) {
    const offset = Math.floor((total * at) / PAGES);
    const [row] = (await inboxStore(db).list(scope, { ...filter, limit: 1, offset, before: null })).chats;
    if (row !== undefined) cursors.push([row.chat.last_date, row.chat.bot_id, row.chat.id, '']);
  }
  return cursors;
}

async function ask(
  db: Database,
  scope: Scope,
  filter: InboxFilter,
  cursors: (InboxCursor | null)[],
): Promise<number[]> {
  const inbox = inboxStore(db);
  const took: number[] = [];
  for (const before of cursors) {
    const page = { ...filter, limit: PAGE + 1, offset: 0, before };
    took.push(await timed(() => inbox.list(scope, page)));
  }
  return took;
}

async function explain(db: Database, filter: InboxFilter): Promise<string> {
  const statement = listStatement(EVERYTHING, { ...filter, limit: PAGE + 1, offset: 0, before: null });
  const { rows } = await sql<Record<string, string>>`explain (analyze, costs off, timing off) ${statement}`.execute(db);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now();
  await work();
  return performance.now() - begunAt;
}
