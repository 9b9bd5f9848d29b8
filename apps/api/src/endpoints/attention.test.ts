import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReaderResource } from '@flotilla/contract/readers.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { dateBot } from '@flotilla/testing/date-bot.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const HOUR_AGO_MS = Date.now() - 3_600_000;
const iso = (atMs: number) => new Date(atMs).toISOString();

const api = testApi();
/** Accepts updates in place of a worker. */
let worker: Context;

beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

type Entry = BotResource['attention'][number] & { bot_id: number };
const attention = async (query: Record<string, string | number>, client = api.admin): Promise<Entry[]> => {
  const answer = await client('GET', '/api/attention', { query });
  expect(answer.status).toBe(200);
  return answer.json as Entry[];
};
const ofBot = async ({ id }: BotResource) => (await attention({ bot_id: id })).map(({ bot_id: _, ...one }) => one);
const kindsOf = async (bot: BotResource) => (await ofBot(bot)).map(({ kind }) => kind);
const shown = async ({ id }: BotResource) =>
  (await api.admin('GET', '/api/bots/show', { query: { id } })).json as BotResource;
const patch = ({ id }: BotResource, fields: Record<string, string | number>) =>
  worker.redis.commands.hset(botKeys(id).state, fields);
const stateOf = async ({ id }: BotResource, reader: string) => {
  const readers = (await api.admin('GET', '/api/bots/readers', { query: { bot_id: id } })).json as ReaderResource[];
  return readers.find((one) => one.reader === reader)?.state;
};

/** Makes it look as if a worker had just polled the platform. */
async function polledBot(fields: object): Promise<BotResource> {
  const bot = await api.addBot(fields);
  await patch(bot, { pollOkAt: Date.now() });
  return bot;
}

async function accept(bot: BotResource, ids: number[]): Promise<void> {
  await worker.directory.refresh();
  const message = '{"message_id":1,"date":1800000000,"chat":{"id":5,"type":"private"},"text":"x"}';
  const raws = ids.map((id) => `{"update_id":${id},"message":${message}}`);
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
  await acceptUpdates(withoutReserve(worker), worker.directory.byId(bot.id)!, sliced!.updates);
}

describe('a poller', () => {
  test('is silent when updates wait and nobody has polled for its time; a poll ends that', async () => {
    const bot = await polledBot({ long_poll_enabled: true });
    await accept(bot, [1, 2]);
    await patch(bot, { pulledAt: HOUR_AGO_MS });
    const entry = { kind: 'poller_silent', severity: 'error', since: iso(HOUR_AGO_MS), reader: 'pull', waiting: 2 };
    expect(await ofBot(bot)).toEqual([{ ...entry, text: expect.stringContaining('no program is polling') }]);
    expect((await shown(bot)).attention).toEqual(await ofBot(bot));
    expect(await stateOf(bot, 'pull')).toBe('silent');
    await api.admin('GET', '/api/updates/poll', { query: { bot_id: bot.id, timeout: 0 } });
    expect(await ofBot(bot)).toEqual([]);
    expect(await stateOf(bot, 'pull')).toBe('ok');
  });

  test('is not silent while nothing waits, before its time is over, and where the time is 0', async () => {
    const bot = await polledBot({ long_poll_enabled: true, silent_after_s: 86_400 });
    await patch(bot, { pulledAt: HOUR_AGO_MS });
    expect(await kindsOf(bot)).toEqual([]);
    await accept(bot, [1]);
    expect(await kindsOf(bot)).toEqual([]);
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, silent_after_s: 60 } });
    expect(await kindsOf(bot)).toEqual(['poller_silent']);
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, silent_after_s: 0 } });
    expect(await kindsOf(bot)).toEqual([]);
    expect(await stateOf(bot, 'pull')).toBe('ok');
  });

  test('that never came is silent when the bot is older than its time', async () => {
    const bot = await polledBot({ long_poll_enabled: true });
    await accept(bot, [1]);
    expect(await kindsOf(bot)).toEqual([]);
    await dateBot(api.database.db, bot.id, HOUR_AGO_MS);
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, description: 'old' } });
    const [entry] = await ofBot(bot);
    expect(entry).toMatchObject({ kind: 'poller_silent', since: iso(HOUR_AGO_MS), waiting: 1 });
  });
});

test('a poller is not silent for the time in which nobody could poll: its bot was off, or its long polling', async () => {
  const bot = await polledBot({ long_poll_enabled: true });
  await accept(bot, [1]);
  await patch(bot, { pulledAt: HOUR_AGO_MS });
  expect(await kindsOf(bot)).toEqual(['poller_silent']);
  for (let times = 0; times < 2; times += 1)
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
  expect(await kindsOf(bot)).toEqual([]);
  expect(await stateOf(bot, 'pull')).toBe('ok');
  await patch(bot, { servedSince: HOUR_AGO_MS });
  expect(await kindsOf(bot)).toEqual(['poller_silent']);
});

describe('a program', () => {
  test('is not silent while only others have something to read', async () => {
    const bot = await polledBot({});
    const kinds = { bot_id: bot.id, name: 'polls', kinds: ['poll'] };
    const { id } = (await api.admin('POST', '/api/programs/add', { body: kinds })).json as ProgramResource;
    await accept(bot, [1, 2]);
    await worker.redis.commands.hset(botKeys(bot.id).consumers, `program:${id}`, `0 ${HOUR_AGO_MS}`);
    expect(await kindsOf(bot)).toEqual([]);
    const program = async () => (await api.admin('GET', '/api/programs/show', { query: { id } })).json;
    expect(await program()).toMatchObject({ state: 'ok' });
    await api.admin('POST', '/api/programs/update', { body: { id, kinds: ['message'] } });
    expect(await kindsOf(bot)).toEqual(['program_silent']);
    expect(await program()).toMatchObject({ state: 'silent' });
  });

  test('that polls is silent like a poller, by its own time; one that is paused needs nobody', async () => {
    const bot = await polledBot({});
    const add = { bot_id: bot.id, name: 'archive', silent_after_s: 600 };
    const { id } = (await api.admin('POST', '/api/programs/add', { body: add })).json as ProgramResource;
    await accept(bot, [1, 2, 3]);
    await worker.redis.commands.hset(botKeys(bot.id).consumers, `program:${id}`, `0 ${HOUR_AGO_MS}`);
    const entry = { kind: 'program_silent', severity: 'error', since: iso(HOUR_AGO_MS), reader: `program:${id}` };
    const text = expect.stringContaining('"archive"');
    expect(await ofBot(bot)).toEqual([{ ...entry, program_id: id, waiting: 3, text }]);
    expect(await stateOf(bot, `program:${id}`)).toBe('silent');
    const program = async () => (await api.admin('GET', '/api/programs/show', { query: { id } })).json;
    expect(await program()).toMatchObject({ state: 'silent', parked: false, silent_after_s: 600 });
    await api.admin('POST', '/api/programs/update', { body: { id, silent_after_s: 7_200 } });
    expect(await program()).toMatchObject({ state: 'ok' });
    expect(await ofBot(bot)).toEqual([]);
    await api.admin('POST', '/api/programs/update', { body: { id, silent_after_s: 600, enabled: false } });
    expect(await program()).toMatchObject({ state: 'paused' });
    expect(await kindsOf(bot)).toEqual(['nobody_reads']);
  });

  test('that fails says its last error', async () => {
    const bot = await polledBot({});
    const add = { bot_id: bot.id, name: 'alerts', backend_url: 'http://127.0.0.1:9/' };
    const { id } = (await api.admin('POST', '/api/programs/add', { body: add })).json as ProgramResource;
    const fault = { failingSince: HOUR_AGO_MS, pushErr: '502 Bad Gateway', pushErrAt: HOUR_AGO_MS };
    await worker.redis.commands.hset(programKeys(bot.id, id).state, fault);
    expect(await ofBot(bot)).toMatchObject([
      { kind: 'program_failing', program_id: id, text: expect.stringMatching(/"alerts" .*502/) },
    ]);
  });
});

test('what comes in, the backend and the settings of a bot need attention, and a bot that is off does not', async () => {
  const url = 'http://127.0.0.1:9/';
  const refused = await polledBot({ proxy_enabled: true, backend_url: url });
  await patch(refused, { refusedAt: HOUR_AGO_MS, pollErr: 'Unauthorized', pollErrAt: Date.now() + 60_000 });
  await patch(refused, { failingSince: HOUR_AGO_MS, openUntil: Date.now() + 60_000, pushErr: 'connect ECONNREFUSED' });
  expect(await ofBot(refused)).toMatchObject([
    { kind: 'token_revoked', severity: 'error', since: iso(HOUR_AGO_MS), text: 'Unauthorized' },
    { kind: 'backend_open', reader: 'push', waiting: 0, text: 'connect ECONNREFUSED' },
  ]);
  await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: refused.id } });
  expect(await ofBot(refused)).toEqual([]);

  const failing = await polledBot({ proxy_enabled: true, backend_url: url });
  await patch(failing, { failingSince: HOUR_AGO_MS });
  expect(await ofBot(failing)).toMatchObject([{ kind: 'backend_failing', severity: 'warning' }]);

  const paused = await polledBot({ long_poll_enabled: true });
  await patch(paused, { intakePausedAt: Date.now() + 1_000, pollErr: 'The backlog is full', pollErrAt: Date.now() });
  expect(await ofBot(paused)).toMatchObject([{ kind: 'intake_paused', text: 'The backlog is full' }]);

  expect(await kindsOf(await polledBot({ proxy_enabled: false, backend_url: url, long_poll_enabled: true }))).toEqual([
    'forwarding_off',
  ]);
  const unread = await polledBot({});
  // People answer in it: it never had a program.
  expect(await kindsOf(unread)).toEqual([]);
  await patch(unread, { pulledAt: HOUR_AGO_MS });
  expect(await kindsOf(unread)).toEqual(['nobody_reads']);
  expect(await kindsOf(await polledBot({ manage_enabled: false }))).toEqual(['nobody_reads']);
  expect(await kindsOf(await polledBot({ long_poll_enabled: true }))).toEqual([]);
});

test('the list is of the bots that the caller sees, the worst first, filtered by kind, a page at a time', async () => {
  const mine = await polledBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' });
  const [idle, other] = [await polledBot({ manage_enabled: false }), await polledBot({})];
  await patch(mine, { failingSince: HOUR_AGO_MS, openUntil: HOUR_AGO_MS });
  const ofTwo = await insertAccount(api.database.db, { username: 'sees-two', bots: [mine.id, idle.id] });
  const user = restClient(api.url, ofTwo.key);
  const rows = async (query: Record<string, string>) =>
    (await attention(query, user)).map(({ bot_id, kind }) => [bot_id, kind]);
  const both = [
    [mine.id, 'backend_open'],
    [idle.id, 'nobody_reads'],
  ];
  expect(await rows({})).toEqual(both);
  expect(await rows({ kinds: 'nobody_reads,poller_silent' })).toEqual([both[1]]);
  expect(await rows({ kinds: 'poller_silent' })).toEqual([]);
  const first = await user('GET', '/api/attention', { query: { limit: 1 } });
  expect(first.headers.get('x-total-count')).toBe('2');
  const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')!;
  expect((await user('GET', next!)).json).toMatchObject([{ bot_id: idle.id }]);
  expect((await user('GET', '/api/attention', { query: { bot_id: other.id } })).status).toBe(403);
  expect((await user('GET', '/api/attention', { query: { kinds: 'backend' } })).status).toBe(400);
  const found = await user('GET', '/api/bots', { query: { attention: 'backend_open' } });
  expect((found.json as BotResource[]).map(({ id }) => id)).toEqual([mine.id]);
  const worst = await user('GET', '/api/bots', { query: { sort: 'attention', limit: 1 } });
  const [, rest] = /<([^>]+)>; rel="next"/.exec(worst.headers.get('link') ?? '')!;
  const sorted = [...(worst.json as BotResource[]), ...((await user('GET', rest!)).json as BotResource[])];
  expect(sorted.map(({ id }) => id)).toEqual([mine.id, idle.id]);
  const fleet = await user('GET', '/api/fleet');
  expect(fleet.json).toMatchObject({ attention: { backend_open: 1, nobody_reads: 1, poller_silent: 0 } });
});
