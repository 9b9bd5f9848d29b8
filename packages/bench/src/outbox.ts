import { setTimeout as delay } from 'node:timers/promises';
import type { Priority } from '@flotilla/contract/outbox.ts';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { outboxTurnStore } from '@flotilla/domain/delivery/outbox/turn-store.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { queueEntries } from '@flotilla/testing/queued-entries.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { measureOutboxLists } from './outbox-lists.ts';
import { percentile } from './percentile.ts';
import { coresOf, ownMemoryMb, partsOf } from './process-usage.ts';
import { type Arrived, type QuickPlatform, startQuickPlatform } from './quick-platform.ts';
import { ms, perSecond, report } from './report.ts';

const BOTS = 100;
const CHATS = 100;
const PACE = 25;
const WARM_UP_MS = 5_000;
const MEASURED_S = 15;
const MANY = 100_000;
const INSERTED_AT_ONCE = 5_000;
const LIVE = 60;
const LOOKS = 20;
const LISTED = 500_000;

type Bench = { fleet: Fleet; platform: QuickPlatform; db: Database };

/** The outbox of many bots at their pace, of one bot alone, live answers beside bulk, long queues, and lists of `rows` entries. */
export async function benchOutbox({ url, rows = LISTED }: { url: string; rows?: number }): Promise<void> {
  const platform = await startQuickPlatform();
  const settings = { LOG_LEVEL: 'warn', TELEGRAM_API_URL: platform.url };
  const fleet = await startFleet({ apis: 1, workers: 1 }, settings, { url });
  const db = connectDatabase({ url, maxConnections: 2, queryTimeoutMs: null });
  const bench = { fleet, platform, db };
  try {
    await measureOne(bench);
    await measureLive(bench);
    await measureAll(bench);
    await measureLongQueues(bench);
    // Listed entries wait, and nobody is to send them.
    await fleet.stop();
    await measureOutboxLists(db, rows);
  } finally {
    await fleet.stop();
    await db.destroy();
    await platform.stop();
  }
}

/** Queues so many entries for each of some chats. */
async function queue(
  { db }: Bench,
  bot: FleetBot,
  { chats, ofEach, priority }: { chats: number; ofEach: number; priority: Priority },
): Promise<void> {
  const ids = Array.from({ length: chats * ofEach }, (_, at) => (at % chats) + 1);
  await queueEntries(db, { botId: bot.id, priority }, ids);
}

/** Lets the bot begin, by one entry more. */
async function wake({ fleet }: Bench, { id }: FleetBot): Promise<void> {
  const params = { chat_id: 999_999, text: 'wake' };
  await fleet.rest('/api/outbox/add', { bot_id: id, method: 'sendMessage', params });
}

async function measureOne(bench: Bench): Promise<void> {
  const bot = await bench.fleet.addBot();
  await queue(bench, bot, { chats: 200, ofEach: 3, priority: 'normal' });
  await wake(bench, bot);
  const arrived = () => bench.platform.arrivedOf(bot.platformId);
  await waitFor(() => arrived().length > 500, { timeoutMs: 60_000 });
  const times = arrived().map(({ atMs }) => atMs);
  const steady = times.slice(PACE, 500);
  const rate = ((steady.length - 1) * 1000) / (steady.at(-1)! - steady[0]!);
  report('The pace of one bot, of 25 a second', [
    { what: 'sent', figure: `${rate.toFixed(2)}/s`, target: `≥ ${(PACE * 0.97).toFixed(2)}/s` },
    { what: 'most in any second', figure: String(mostInASecond(times)), target: `≤ ${PACE}` },
  ]);
}

async function measureLive(bench: Bench): Promise<void> {
  const bots = await Promise.all(Array.from({ length: 20 }, () => bench.fleet.addBot()));
  for (const bot of bots) await queue(bench, bot, { chats: 400, ofEach: 2, priority: 'bulk' });
  for (const bot of bots) await wake(bench, bot);
  await delay(WARM_UP_MS);
  const waits: number[] = [];
  const proxied: number[] = [];
  for (let at = 0; at < LIVE; at += 1) {
    const bot = bots[at % bots.length]!;
    const text = `live ${at}`;
    const begunAtMs = performance.now();
    const params = { chat_id: 900_000 + at, text };
    await bench.fleet.rest('/api/outbox/add', { bot_id: bot.id, method: 'sendMessage', params });
    const sent = () => bench.platform.arrivedOf(bot.platformId).find((one) => one.text === text);
    const arrived = (await waitFor(sent, { pauseMs: 2 })) as Arrived;
    waits.push(arrived.atMs - begunAtMs);
    const callAtMs = performance.now();
    await fetch(`${bench.fleet.url}/tgapi/bot${bot.token}/sendMessage?chat_id=${700_000 + at}&text=proxied`);
    proxied.push(performance.now() - callAtMs);
    await delay(50);
  }
  report('Live answers while 20 bots send bulk at full pace', [
    { what: 'from outbox/add to the platform, p50', figure: ms(percentile(waits, 50)) },
    { what: 'the same, p99', figure: ms(percentile(waits, 99)), target: '≤ 300 ms' },
    { what: 'a proxied send, p99', figure: ms(percentile(proxied, 99)), target: '≤ 300 ms' },
    { what: 'most of one bot in any second', figure: String(Math.max(...bots.map((bot) => most(bench, bot)))) },
  ]);
  for (const { id } of bots) await bench.fleet.rest('/api/outbox/cancel', { bot_id: id });
}

async function measureAll(bench: Bench): Promise<void> {
  const bots: FleetBot[] = [];
  for (let at = 0; at < BOTS; at += 1) bots.push(await bench.fleet.addBot());
  bench.platform.forget();
  for (const bot of bots) await queue(bench, bot, { chats: CHATS, ofEach: 10, priority: 'normal' });
  await Promise.all(bots.map((bot) => wake(bench, bot)));
  await delay(WARM_UP_MS);
  const [worker] = bench.fleet.workers;
  const before = { count: bench.platform.count(), memoryMb: ownMemoryMb(worker!.pid), atMs: performance.now() };
  const parts = await partsOf(bench.fleet);
  const cores = await coresOf(parts, MEASURED_S, async () => undefined);
  const rate = ((bench.platform.count() - before.count) * 1000) / (performance.now() - before.atMs);
  report(`${BOTS} bots at their pace, one worker with all roles`, [
    { what: 'sent', figure: perSecond(rate), target: '≥ 1,500/s' },
    {
      what: 'most of one bot in any second',
      figure: String(Math.max(...bots.map((bot) => most(bench, bot)))),
      target: `≤ ${PACE}`,
    },
    {
      what: 'memory of the worker meanwhile',
      figure: `+${(ownMemoryMb(worker!.pid) - before.memoryMb).toFixed(0)} MB`,
    },
    ...parts.map(({ name }, at) => ({ what: `cores of ${name}`, figure: cores[at]!.toFixed(2) })),
  ]);
  for (const { id } of bots) await bench.fleet.rest('/api/outbox/cancel', { bot_id: id });
}

/** Nobody sends these: they are of bots that do not exist. */
async function measureLongQueues({ db }: Bench): Promise<void> {
  const [wide, deep] = [900_001, 900_002];
  const begunAtMs = performance.now();
  await fill(db, wide, (at) => at + 1);
  const insertedMs = performance.now() - begunAtMs;
  await fill(db, deep, () => 1);
  const looks = async (botId: number): Promise<number> => {
    const took: number[] = [];
    for (let look = 0; look < LOOKS; look += 1) {
      const lookedAtMs = performance.now();
      const from = { aboveChat: -Number.MAX_SAFE_INTEGER, chats: 80, ofEach: 20 };
      await outboxTurnStore(db).firstOfChats(botId, 'bulk', from);
      took.push(performance.now() - lookedAtMs);
    }
    return percentile(took, 50);
  };
  report(`${MANY.toLocaleString('en')} entries of one bot`, [
    { what: 'inserted', figure: ms(insertedMs), target: '≤ 20 s' },
    { what: 'a look, over as many chats, p50', figure: ms(await looks(wide)), target: '≤ 20 ms' },
    { what: 'a look, all of one chat, p50', figure: ms(await looks(deep)), target: '≤ 20 ms' },
  ]);
}

async function fill(db: Database, botId: number, chatOf: (at: number) => number): Promise<void> {
  for (let from = 0; from < MANY; from += INSERTED_AT_ONCE) {
    const chats = Array.from({ length: INSERTED_AT_ONCE }, (_, at) => chatOf(from + at));
    await queueEntries(db, { botId, priority: 'bulk' }, chats);
  }
}

function most({ platform }: Bench, bot: FleetBot): number {
  return mostInASecond(platform.arrivedOf(bot.platformId).map(({ atMs }) => atMs));
}

function mostInASecond(times: number[]): number {
  let [most, from] = [0, 0];
  for (const [at, time] of times.entries()) {
    while (times[from]! <= time - 1000) from += 1;
    most = Math.max(most, at - from + 1);
  }
  return most;
}
