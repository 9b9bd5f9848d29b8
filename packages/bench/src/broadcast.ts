import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { sql } from 'kysely';
import { percentile } from './percentile.ts';
import { ownMemoryMb } from './process-usage.ts';
import { ms, report } from './report.ts';

const CHATS = 100_000;
const LOOKS = 20;
const PATIENCE = { timeoutMs: 120_000 };

/** Makes the entries of a broadcast to many chats, looks at it, pauses and cancels it. */
export async function benchBroadcast({ url, rows = CHATS }: { url: string; rows?: number }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'warn' }, { url });
  try {
    const bot = await fleet.addBot();
    await storeChats(url, bot.id, rows);
    const body = {
      ...{ bot_id: bot.id, name: 'Bench', audience: { chat_types: ['private'] }, per_second: 1 },
      ...{ method: 'sendMessage', params: { text: 'We are open again from 9 January. '.repeat(20) } },
    };
    const counted = await timed(() => fleet.rest('/api/broadcasts/add', { ...body, dry_run: true }));
    const memory = watchMemory(fleet);
    const { result: id, tookMs: made } = await timed(async () => {
      const added = await fleet.rest<BroadcastResource>('/api/broadcasts/add', body);
      await waitFor(async () => (await shown(fleet, added.id)).counts.total === rows, PATIENCE);
      return added.id;
    });
    const grewMb = memory.stop();
    const looks: number[] = [];
    for (let look = 0; look < LOOKS; look += 1) looks.push((await timed(() => fleet.rest('/api/broadcasts'))).tookMs);
    const diskMb = await outboxMb(url);
    const paused = await timed(() => fleet.rest('/api/broadcasts/pause', { id }));
    const cancelled = await timed(async () => {
      await fleet.rest('/api/broadcasts/cancel', { id });
      await waitFor(async () => (await shown(fleet, id)).ended_at !== undefined, PATIENCE);
    });
    report(`A broadcast to ${rows.toLocaleString('en')} chats`, [
      { what: 'a dry run', figure: ms(counted.tookMs) },
      { what: 'its entries made', figure: ms(made), target: '≤ 20 s' },
      { what: 'memory of the worker meanwhile', figure: `+${grewMb.toFixed(0)} MB`, target: '≤ 30 MB' },
      { what: 'the list of broadcasts while it runs, p50', figure: ms(percentile(looks, 50)), target: '≤ 20 ms' },
      { what: 'disk of its entries', figure: `${diskMb.toFixed(0)} MB` },
      { what: 'a pause', figure: ms(paused.tookMs), target: '≤ 1 s' },
      { what: 'cancelled, with all its entries', figure: ms(cancelled.tookMs) },
    ]);
  } finally {
    await fleet.stop();
  }
}

const shown = (fleet: Fleet, id: number) => fleet.rest<BroadcastResource>(`/api/broadcasts/show?id=${id}`);

async function storeChats(url: string, botId: number, count: number): Promise<void> {
  const db = connectDatabase({ url, maxConnections: 1, queryTimeoutMs: null });
  try {
    await sql`
      insert into chats (bot_id, id, type, first_name, last_incoming_date, last_incoming_id, last_date)
      select ${botId}, id, 'private', 'Person ' || id, 1780000000, 1, 1780000000
      from generate_series(1, ${count}::bigint) as id`.execute(db);
  } finally {
    await db.destroy();
  }
}

async function outboxMb(url: string): Promise<number> {
  const db = connectDatabase({ url, maxConnections: 1, queryTimeoutMs: null });
  try {
    const { rows } = await sql<{ mb: number }>`
      select (pg_total_relation_size('outbox') / 1048576.0)::float8 as mb`.execute(db);
    return rows[0]?.mb ?? 0;
  } finally {
    await db.destroy();
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number }> {
  const begunAt = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - begunAt };
}

/** How much (MB) the worker's own memory grows at most until it is stopped. */
function watchMemory({ workers: [worker] }: Fleet): { stop(): number } {
  const pid = worker?.pid ?? 0;
  const before = ownMemoryMb(pid);
  let most = before;
  const look = () => {
    most = Math.max(most, ownMemoryMb(pid));
  };
  const timer = setInterval(look, 100);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return most - before;
    },
  };
}
