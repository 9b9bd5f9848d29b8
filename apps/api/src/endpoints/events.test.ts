import type { BotResource } from '@flotilla/contract/bots.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import { noteHeld } from '@flotilla/domain/delivery/outbox/note-held.ts';
import { statusColumns } from '@flotilla/domain/fleet/bot-list/status-columns.ts';
import { type NoticeDeps, noticeChanges } from '@flotilla/domain/watch/events/notice-changes.ts';
import { botKeys, eventKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { dateBot } from '@flotilla/testing/date-bot.ts';
import { queueEntries } from '@flotilla/testing/queued-entries.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const HOUR_AGO_MS = Date.now() - 3_600_000;

const api = testApi();
/** Notices in place of a worker. */
let worker: Context;
let laterMs = 0;

beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

const unsure: NoticeDeps['unsure'] = new Map();
async function notice(): Promise<void> {
  await worker.directory.refresh();
  await worker.redis.commands.del(eventKeys.look);
  const clock = { nowMs: () => worker.clock.nowMs() + laterMs };
  const columns = statusColumns({ ...worker, clock, changes: { since: () => null } });
  await noticeChanges({ ...worker, clock, statusColumns: columns, unsure }, 2, new AbortController().signal);
}
/** Makes it look as if workers had looked for so long. */
const lookedFor = (ms: number) => worker.redis.commands.set(eventKeys.lookedSince, Date.now() - ms);
const patch = ({ id }: BotResource, fields: Record<string, string | number>) =>
  worker.redis.commands.hset(botKeys(id).state, fields);
const events = async ({ id }: BotResource) => {
  const { json } = await api.admin('GET', '/api/events', { query: { bot_id: id } });
  return (json as EventResource[]).map(({ kind, text }) => `${kind}: ${text}`).reverse();
};
const added = 'bot.added: Added by admin';

test('a bot that nobody has polled is told once that lasts: after a restart all of them are such for a moment', async () => {
  const bot = await api.addBot({ long_poll_enabled: true });
  await patch(bot, { pollOkAt: HOUR_AGO_MS, refusedAt: 0 });
  await dateBot(api.database.db, bot.id, HOUR_AGO_MS);
  await api.admin('POST', '/api/bots/update', { body: { id: bot.id, description: 'old' } });
  await notice();
  expect(await events(bot)).toEqual([added]);
  laterMs = 31_000;
  await notice();
  expect(await events(bot)).toEqual([added, expect.stringMatching(/^intake\.refused: No updates come in/)]);
  await patch(bot, { pollOkAt: Date.now() + laterMs });
  await notice();
  expect((await events(bot)).at(-1)).toBe('intake.resumed: Updates come in again');
  laterMs = 0;
});

test('a token that the platform does not know is told at once, by its own kind', async () => {
  const bot = await api.addBot({ long_poll_enabled: true });
  const reason = 'Telegram refused this bot token (401 Unauthorized)';
  await patch(bot, { refusedAt: HOUR_AGO_MS, pollErr: reason, pollErrAt: Date.now() });
  await notice();
  expect(await events(bot)).toEqual([added, `bot.unauthorized: ${reason}`]);
});

test('the end of a failing backend that was taken away says so', async () => {
  const bot = await api.addBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' });
  await patch(bot, { pollOkAt: Date.now(), failingSince: HOUR_AGO_MS, openUntil: Date.now() + 60_000 });
  await notice();
  expect((await events(bot)).at(-1)).toMatch(/^backend\.failing: /);
  await api.admin('POST', '/api/bots/update', { body: { id: bot.id, backend_url: '' } });
  await notice();
  expect((await events(bot)).at(-1)).toBe('backend.recovered: There is no backend any more');
});

test('held sends are told once for a bot, with how many there are, until none is held any more', async () => {
  const bot = await api.addBot();
  await queueEntries(api.database.db, { botId: bot.id, priority: 'normal' }, [5, 6]);
  await api.database.db.updateTable('outbox').set({ state: 'held' }).where('bot_id', '=', bot.id).execute();
  const look = async () => {
    await notice();
    await worker.redis.commands.del(eventKeys.lookAtHeld);
    await noteHeld(worker, 1_000);
    await notice();
    const query = { bot_id: bot.id, kinds: 'sends_held' };
    return (await api.admin('GET', '/api/attention', { query })).json;
  };
  const text = 'Held, since who handed them over lost the right: 2 messages';
  expect(await look()).toEqual([expect.objectContaining({ severity: 'warning', text, since: expect.any(String) })]);
  await look();
  expect(await events(bot)).toEqual([added, `sends.held: ${text}`]);
  await api.admin('POST', '/api/outbox/release', { body: { bot_id: bot.id } });
  expect(await look()).toEqual([]);
  expect((await events(bot)).at(-1)).toMatch(/^sends\.released: Nothing is held any more/);
});

test('a worker whose clock is an hour ahead tells of no silent poller', async () => {
  laterMs = 3_600_000;
  await lookedFor(31_000);
  const bot = await silentBot();
  await patch(bot, { pulledAt: Date.now() });
  await notice();
  expect(await events(bot)).toEqual([added]);
  await patch(bot, { pulledAt: HOUR_AGO_MS });
  await notice();
  expect((await events(bot)).at(-1)).toMatch(/^poller\.silent: .*; 3 wait$/);
  laterMs = 0;
});

test('after a restart or an outage, pollers have half a minute to come back before they are told as silent', async () => {
  await worker.redis.commands.del(eventKeys.lookedSince);
  const bot = await silentBot();
  for (let looks = 0; looks < 2; looks += 1) await notice();
  expect(await events(bot)).toEqual([added]);
  await lookedFor(31_000);
  await notice();
  expect((await events(bot)).at(-1)).toMatch(/^poller\.silent: /);
  expect(await worker.redis.commands.pttl(eventKeys.lookedSince)).toBeGreaterThan(0);
});

async function silentBot(): Promise<BotResource> {
  const bot = await api.addBot({ long_poll_enabled: true });
  await dateBot(api.database.db, bot.id, HOUR_AGO_MS);
  await api.admin('POST', '/api/bots/update', { body: { id: bot.id, description: 'old' } });
  await patch(bot, { pollOkAt: Date.now(), pulledAt: HOUR_AGO_MS, allowedCount: 3 });
  return bot;
}
