import { isDeepStrictEqual } from 'node:util';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let database: TestDatabase;
let redis: TestRedis;
let fleet: Fleet;

beforeAll(async () => {
  [database, redis] = await Promise.all([testDatabase(), startTestRedis()]);
  fleet = await startFleet({ apis: 2, workers: 1 }, {}, database, redis);
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await redis?.stop();
  await database?.drop();
}, 60_000);

const SENDS = 100;

async function readiness({ metricsPort }: FleetProcess): Promise<{ status: number; warnings: string[] }> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/readyz`);
  const { warnings = [] } = (await response.json()) as { warnings?: string[] };
  return { status: response.status, warnings };
}

/** Resolves when every process warns of this and nothing else; each must have been ready until then. */
async function untilAllWarn(warnings: string[]): Promise<void> {
  const statuses = new Set<number>();
  const told = async () => {
    const found = await Promise.all([...fleet.apis, ...fleet.workers].map(readiness));
    for (const { status } of found) statuses.add(status);
    return found.every((one) => isDeepStrictEqual(one.warnings, warnings));
  };
  await waitFor(told, { timeoutMs: 30_000, message: `the warnings "${warnings.join()}"` });
  expect([...statuses]).toEqual([200]);
}

async function send(api: FleetProcess, bot: FleetBot, chat: number, text: string): Promise<unknown> {
  const query = new URLSearchParams({ chat_id: String(chat), text });
  const response = await fetch(`http://127.0.0.1:${api.port}/tgapi/bot${bot.token}/sendMessage?${query}`);
  return response.ok ? null : await response.text();
}

test('Redis is away: no process leaves its load balancer, each warns, and proxied calls go on and reach the history once', async () => {
  const bot = await fleet.addBot();
  const { id: chat } = await fleet.control.createPerson({ firstName: 'Ann' });
  await fleet.control.startBot({ person: chat, bot: bot.platformId, quietly: true });
  const stored = async () => {
    const rows = await database.db.selectFrom('messages').select('text').where('bot_id', '=', bot.id).execute();
    return rows.map(({ text }) => text).toSorted();
  };
  redis.kill();
  await untilAllWarn(['Redis does not answer']);
  const refused: unknown[] = [];
  for (let at = 0; at < SENDS; at += 1) refused.push(await send(fleet.apis[at % 2]!, bot, chat, `text ${at}`));
  expect(refused.filter((reason) => reason !== null)).toEqual([]);
  await untilAllWarn(['Redis does not answer']);

  await redis.restart();
  await untilAllWarn([]);
  await waitFor(async () => (await stored()).length >= SENDS, { timeoutMs: 60_000, message: 'the whole history' });
  expect(await stored()).toEqual(Array.from({ length: SENDS }, (_, at) => `text ${at}`).toSorted());
}, 150_000);
