import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { historyStore, historyTurn } from '@flotilla/domain/records/history/history-turn.ts';
import { MESSAGE_COLUMNS } from '@flotilla/domain/records/history/message-row.ts';
import { historyReader } from '@flotilla/domain/records/history/stream/history-stream.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { shardKeys, shardOf } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { sql } from 'kysely';
import { fillHistory, type Owner } from './fill-history.ts';
import { loopHolds } from './loop-holds.ts';
import { percentile } from './percentile.ts';
import { postgresPart, usageOf } from './process-usage.ts';
import { ms, perSecond, report } from './report.ts';

const BOTS = 100;
const RECORDS = 120_000;
const LOOK_EVERY_MS = 20;
const ROUNDS = 3;
const BARE_BATCH = 500;
const IDLE_MS = 5_000;
const LEASE = {
  signal: new AbortController().signal,
  ownsTurn: () => true,
  mayHold: () => false,
  hold: (wait: Promise<void>) => wait,
};
const NOTHING = { inc: () => {}, observe: () => {} };

/** How fast the history writer stores a backlog of the everyday mix, and how long it holds its event loop. */
export async function benchHistory({ url, rows = RECORDS }: { url: string; rows?: number }): Promise<void> {
  const db = connectDatabase({ url, maxConnections: 4 });
  const server = await startTestRedis();
  const log = createLogger({ name: 'bench', level: 'error' });
  const redis = await connectRedis({ url: server.url, log });
  try {
    await insertManyBots(db, BOTS, () => 'http://127.0.0.1:9');
    const { rows: owners } = await sql<Owner>`
      select id as "botId", registration_id as "registrationId" from bots order by id`.execute(db);
    const shards = [...new Set(owners.map(({ botId }) => shardOf(botId)))];
    const deps = turnDeps(db, redis);
    const store = () => Promise.all(shards.map((shard) => untilEmpty(deps, redis, shard)));
    // The pauses of the machine itself, in a loop without work.
    const idle = await heldDuring(() => delay(IDLE_MS));
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await fillHistory(server.url, owners, { firstId: round * rows, count: rows });
      rounds.push(await costOf(url, rows, store, () => untilStored(redis, shards)));
    }
    const backlogs: number[][] = [];
    for (let round = ROUNDS; round < 2 * ROUNDS; round += 1) {
      await fillHistory(server.url, owners, { firstId: round * rows, count: Math.floor(rows / 2) });
      backlogs.push(await heldDuring(store));
    }
    // Node compiles the writer in the first round.
    const least = (read: (round: Round) => number) => Math.min(...rounds.slice(1).map(read));
    const bare = await bareInserts(url, db);
    report(`History, a backlog of ${rows.toLocaleString('en')} records of ${BOTS} bots, one writer`, [
      { what: 'stored', figure: perSecond((rows * 1000) / least(({ tookMs }) => tookMs)), target: '≥ 15,000/s' },
      {
        what: 'the same rows, bare inserts inside Postgres',
        figure: `${perSecond(bare.perSecond)}, ${bare.postgresUs.toFixed(1)} µs`,
      },
      { what: 'CPU of a record, writer', figure: `${least(({ nodeUs }) => nodeUs).toFixed(1)} µs` },
      { what: 'CPU of a record, Postgres', figure: `${least(({ postgresUs }) => postgresUs).toFixed(1)} µs` },
      {
        what: 'event loop held, longest, middle of three backlogs of half the size',
        figure: middleAndAll(backlogs),
        target: '≤ 5 ms',
      },
      { what: 'event loop held, p99 of passes over 1 ms', figure: ms(percentile(backlogs.flat(), 99)) },
      { what: 'passes over 1 ms, over 5 ms', figure: passesOf(backlogs.flat()) },
      {
        what: 'the same of a loop without work, for 5 s',
        figure: `${passesOf(idle)}, longest ${ms(Math.max(0, ...idle))}`,
      },
    ]);
  } finally {
    await redis.close();
    await server.stop();
    await db.destroy();
  }
}

async function heldDuring(work: () => Promise<unknown>): Promise<number[]> {
  const holds = loopHolds();
  await work().finally(holds.stop);
  return holds.stop();
}

/** The longest of each round: the middle one, and all. */
function middleAndAll(rounds: number[][]): string {
  const longest = rounds.map((held) => Math.max(0, ...held)).sort((a, b) => a - b);
  return `${ms(longest[Math.floor(longest.length / 2)]!)} (${longest.map((one) => one.toFixed(1)).join(', ')})`;
}

function passesOf(held: number[]): string {
  return `${held.length}, ${held.filter((one) => one > 5).length}`;
}

type Round = { tookMs: number; nodeUs: number; postgresUs: number };

/** `stored` resolves when the last record is stored; `store` itself may go on, as turns wait for more records. */
async function costOf(
  url: string,
  records: number,
  store: () => Promise<unknown>,
  stored?: () => Promise<unknown>,
): Promise<Round> {
  const postgres = await postgresPart(url);
  const postgresBefore = usageOf(postgres).cpuSeconds;
  const cpuBefore = process.cpuUsage();
  const begunAt = performance.now();
  const storing = store();
  await (stored?.() ?? storing);
  const tookMs = performance.now() - begunAt;
  await storing;
  const { user, system } = process.cpuUsage(cpuBefore);
  const postgresS = usageOf(postgres).cpuSeconds - postgresBefore;
  return { tookMs, nodeUs: (user + system) / records, postgresUs: (postgresS * 1e6) / records };
}

/** The rate of Postgres alone: the stored messages, copied in batches into a table with the same indexes and no triggers. */
async function bareInserts(url: string, db: Database): Promise<{ perSecond: number; postgresUs: number }> {
  // The newest messages have the highest ids; callbacks have negative ones.
  await sql`
    create table bare_source as
      select (row_number() over (order by abs(id)) - 1) / ${sql.lit(BARE_BATCH)} as batch, m.* from messages m
      order by abs(id) limit ${RECORDS}`.execute(db);
  await sql`create index on bare_source (batch)`.execute(db);
  await sql`create table bare (like messages including all)`.execute(db);
  await sql`analyze bare_source`.execute(db);
  const { rows } = await sql<{ batch: number }>`select distinct batch from bare_source order by batch`.execute(db);
  const count = await sql<{ count: number }>`select count(*) as count from bare_source`.execute(db);
  const columns = sql.join([...MESSAGE_COLUMNS, 'search'].map((name) => sql.ref(name)));
  const batches = rows.map(({ batch }) => batch);
  const insertAll = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      await sql`insert into bare (${columns}) select ${columns} from bare_source where batch = ${batch}`.execute(db);
    }
  };
  const stored = count.rows[0]!.count;
  const { tookMs, postgresUs } = await costOf(url, stored, () => Promise.all([insertAll(), insertAll()]));
  return { perSecond: (stored * 1000) / tookMs, postgresUs };
}

function turnDeps(db: Database, redis: RedisHandles) {
  const log = createLogger({ name: 'bench', level: 'error' });
  const measure = {
    historyRows: NOTHING,
    historyLag: NOTHING,
    historyBatches: NOTHING,
    deadLetters: NOTHING,
  };
  const storeHistory = historyStore({ db, log, measure, deadLetters: { add: () => {} } }, 4);
  return { redis, storeHistory, historyReader: historyReader(redis), tracing: null, measure, clock: systemClock, log };
}

async function untilEmpty(deps: ReturnType<typeof turnDeps>, redis: RedisHandles, shard: number): Promise<void> {
  while ((await redis.commands.xlen(shardKeys(shard).history)) > 0) await historyTurn(deps, shard, LEASE);
}

async function untilStored(redis: RedisHandles, shards: number[]): Promise<void> {
  const left = () => Promise.all(shards.map((shard) => redis.commands.xlen(shardKeys(shard).history)));
  while ((await left()).some((length) => length > 0)) await delay(LOOK_EVERY_MS);
}
