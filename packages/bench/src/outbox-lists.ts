import type { Database } from '@flotilla/database/connect.ts';
import type { EntryQuery } from '@flotilla/domain/delivery/outbox/entry-query.ts';
import { outboxStore } from '@flotilla/domain/delivery/outbox/outbox-store.ts';
import { EVERYTHING, type Scope, within } from '@flotilla/domain/people/accounts/scope.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { sql } from 'kysely';
import { percentile } from './percentile.ts';
import { ms, type Row, report } from './report.ts';

const BOTS = 20;
const DAYS = 30;
/** The most that may wait, beside a broadcast. */
const WAITING = 100_000;
const OF_BROADCAST = 100_000;
const BROADCAST = 1;
const TIMES = 3;

/**
 * The calls that look at the outbox, with so many entries of the last 30 days: two thirds of one bot, of which one author added
 * most. The newest of it still wait.
 */
export async function measureOutboxLists(db: Database, rows: number): Promise<void> {
  const bots: number[] = [];
  for (let at = 0; at < BOTS; at += 1) bots.push(await storedBot(db));
  await fill(db, bots, rows);
  report(`The outbox with ${rows.toLocaleString('en')} entries`, await measureCalls(db, bots));
}

async function measureCalls(db: Database, bots: number[]): Promise<Row[]> {
  const [busy] = bots as [number];
  const store = outboxStore(db);
  const some = within(EVERYTHING, bots.slice(0, 10));
  const figures: Row[] = [];
  const measure = async (what: string, call: () => Promise<unknown>) => {
    const took: number[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      const beganAtMs = performance.now();
      await call();
      took.push(performance.now() - beganAtMs);
    }
    figures.push({ what, figure: ms(percentile(took, 50)), target: '≤ 100 ms' });
  };
  for (const [of, [scope, query]] of Object.entries(queriesOf(busy, some))) {
    await measure(`list of ${of}`, () => store.list(scope, query, { limit: 51, offset: 0, beforeId: null }));
    await measure(`count of ${of}`, () => store.count(scope, query));
    if (query.state === undefined) await measure(`counts of ${of}`, () => store.countByState(scope, query));
  }
  await measure('room of the bot', () => store.waitingBySharer(busy));
  return figures;
}

function queriesOf(busy: number, some: Scope): Record<string, [Scope, EntryQuery]> {
  const agoS = (days: number) => Math.floor(Date.now() / 1000) - days * 86_400;
  return {
    'all bots': [EVERYTHING, {}],
    'ten bots': [some, {}],
    'one bot': [EVERYTHING, { bot_id: busy }],
    'a chat': [EVERYTHING, { bot_id: busy, chat_id: 7 }],
    'a busy author': [EVERYTHING, { bot_id: busy, created_by: 'busy' }],
    'a busy author, ten bots': [some, { created_by: 'busy' }],
    'a busy author, all bots': [EVERYTHING, { created_by: 'busy' }],
    'an author of few': [EVERYTHING, { bot_id: busy, created_by: 'rare' }],
    nobody: [EVERYTHING, { bot_id: busy, created_by: 'nobody' }],
    bulk: [EVERYTHING, { bot_id: busy, priority: 'bulk' }],
    'bulk, all bots': [EVERYTHING, { priority: 'bulk' }],
    critical: [EVERYTHING, { bot_id: busy, priority: 'critical' }],
    'a broadcast': [EVERYTHING, { broadcast_id: BROADCAST }],
    'until 20 days ago': [EVERYTHING, { bot_id: busy, until: agoS(20) }],
    'the last day': [EVERYTHING, { since: agoS(1) }],
    sent: [EVERYTHING, { bot_id: busy, state: 'sent' }],
    'sent, all bots': [EVERYTHING, { state: 'sent' }],
    'sent by a busy author': [EVERYTHING, { bot_id: busy, state: 'sent', created_by: 'busy' }],
    'sent to a chat': [EVERYTHING, { bot_id: busy, state: 'sent', chat_id: 7 }],
    failed: [EVERYTHING, { bot_id: busy, state: 'failed' }],
    'failed, all bots': [EVERYTHING, { state: 'failed' }],
    'failed of a busy author': [EVERYTHING, { bot_id: busy, state: 'failed', created_by: 'busy' }],
    'failed bulk until 20 days ago': [EVERYTHING, { bot_id: busy, state: 'failed', priority: 'bulk', until: agoS(20) }],
    'held of a busy author': [EVERYTHING, { bot_id: busy, state: 'held', created_by: 'busy' }],
    waiting: [EVERYTHING, { bot_id: busy, state: 'queued' }],
  };
}

/** Of 100 entries that ended, 96 were sent. */
async function fill(db: Database, bots: number[], rows: number): Promise<void> {
  const [busy] = bots as [number];
  const ended = Math.max(0, rows - WAITING - OF_BROADCAST);
  const author = sql`case when n % 500 = 3 then 'rare' when n % 5 < 4 then 'busy' else 'other' || n % 9 end`;
  const common = sql`bot_id, chat_id, method, params, bytes, created_by, author, priority, state, broadcast_id, created_at`;
  const params = sql`'{"text": "We are open again from 9 January."}'::jsonb, 44`;
  await sql`
    insert into outbox (${common}, settled_at, result, message_id)
    select case when n % 3 < 2 then ${busy}::bigint else (${bots}::bigint[])[1 + n % ${bots.length}::int] end, n % 5000, 'sendMessage',
      ${params}, jsonb_build_object('username', who, 'accountId', 1), 'account:' || who, priority,
      case when n % 100 < 96 then 'sent' when n % 100 = 96 then 'expired' when n % 100 = 97 then 'cancelled' else 'failed' end,
      case when priority = 'bulk' then n / 5000 + 2 end, at, at, '{"message_id": 5}', 5
    from (
      select n, ${author} as who, case when n % 10 < 3 then 'bulk' when n % 50 = 9 then 'critical' else 'normal' end as priority,
        now() - (${ended}::bigint - n) * interval '1 second' * ${(DAYS * 86_400) / Math.max(1, ended)}::float8 as at
      from generate_series(1, ${ended}::bigint) as n
    ) as made`.execute(db);
  await sql`
    insert into outbox (${common})
    select ${busy}::bigint, n % 5000, 'sendMessage', ${params}, jsonb_build_object('username', who, 'accountId', 1),
      'account:' || who, 'normal', case when n % 1000 = 1 then 'held' else 'queued' end, null, now()
    from (select n, ${author} as who from generate_series(1, ${WAITING}::bigint) as n) as made`.execute(db);
  await sql`
    insert into outbox (${common})
    select ${busy}::bigint, n, 'sendMessage', ${params}, '{"username": "busy", "accountId": 1}', 'account:busy', 'bulk', 'scheduled',
      ${BROADCAST}::bigint, now()
    from generate_series(1, ${OF_BROADCAST}::bigint) as n`.execute(db);
  await sql`vacuum analyze outbox`.execute(db);
}
