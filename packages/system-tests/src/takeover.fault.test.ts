import type { ChatResource } from '@flotilla/contract/chats.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { type RecordedRequest, startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { busiestWorker } from '@flotilla/testing/fleet/busiest-worker.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';

let fleet: Fleet;
let backend: TestBackend;
let bot: FleetBot;
let ada: number;
let ben: number;

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 2 });
}, 60_000);
beforeEach(async () => {
  await backend?.stop();
  backend = await startBackend();
  while (fleet.apis.length < 2) await fleet.start('api');
  while (fleet.workers.length < 2) await fleet.start('worker');
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url, long_poll_enabled: true });
  ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
  ben = (await fleet.control.createPerson({ firstName: 'Ben' })).id;
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await backend?.stop();
}, 60_000);

const write = (person: number, text: string) => fleet.control.sendMessage({ person, bot: bot.platformId, text });
const textOf = ({ text }: RecordedRequest) => /"text":"([^"]*)"/.exec(text)?.[1] ?? '';
const backendGot = (path = '/') => backend.requests.filter(({ url }) => url === path).map(textOf);
const take = (fields: object = {}) =>
  fleet.rest<ChatResource>('/api/chats/takeover', { bot_id: bot.id, chat_id: ada, ...fields });
const release = (deliver: boolean) =>
  fleet.rest<{ delivered: number }>('/api/chats/release', { bot_id: bot.id, chat_id: ada, deliver_missed: deliver });
const chat = async () => {
  const chats = await fleet.rest<ChatResource[]>(`/api/chats?bot_id=${bot.id}&order=recent`);
  return chats.find(({ id }) => id === ada);
};
const history = async () => {
  const messages = await fleet.rest<{ text?: string }[]>(`/api/messages?bot_id=${bot.id}&chat_id=${ada}`);
  return messages.map(({ text }) => text);
};
/** What a reader gets by polling, as a text of all answers. */
const polled = async (query: string): Promise<string> => {
  const { result } = await fleet.rest<{ result: object[] }>(`/api/updates/poll?bot_id=${bot.id}&timeout=0&${query}`);
  return JSON.stringify(result);
};
/** A chat is known once the history has a message of it. */
const begin = async () => {
  await write(ada, 'begin');
  await waitFor(async () => (await chat()) !== undefined && backendGot().includes('begin'), { timeoutMs: 20_000 });
};

describe('a chat that is taken over', () => {
  test('is kept from the backend, from pollers, programs and rules; the history, live streams and those that ask have it', async () => {
    const group = (await fleet.control.createChat({ type: 'supergroup', admins: [{ bot: bot.platformId }] })).id;
    const program = (name: string, fields: object) =>
      fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name, ...fields });
    const desk = await program('desk', { sees_held: true });
    const pulling = await program('pulling', {});
    await program('pushing', { mode: 'push', backend_url: `${backend.url}/program` });
    await program('seeing', { mode: 'push', backend_url: `${backend.url}/seeing`, sees_held: true });
    const rule = { source_bot_id: bot.id, target_bot_id: bot.id, target_chat_id: group, action: 'copy' };
    await fleet.rest('/api/routes/add', { ...rule, condition_type: 'user_id', condition_value: ada });
    await begin();
    await waitFor(async () => (await fleet.control.readChat({ chat: group })).messages.length === 1);
    const live = await openLive(fleet.url, `bot:${bot.id}`, { key: ADMIN_KEY });
    await waitFor(() => live.lastEventId() !== '', { message: 'the stream' });

    expect(await take()).toMatchObject({ held_by: 'account:admin' });
    const held = ['held 1', 'held 2', 'held 3'];
    for (const text of held) await write(ada, text);
    await write(ben, 'of Ben');
    await waitFor(async () => (await chat())?.missed === 3, { timeoutMs: 20_000, message: 'three held updates' });
    await waitFor(() => backendGot('/program').includes('of Ben') && backendGot().includes('of Ben'));
    await waitFor(() => backendGot('/seeing').includes('held 3'));
    await waitFor(async () => (await history()).includes('held 3'));
    await waitFor(() => live.text().includes('held 3'));
    expect(backendGot()).toEqual(['begin', 'of Ben']);
    expect(backendGot('/program')).toEqual(['begin', 'of Ben']);
    expect(await polled('')).not.toContain('held');
    expect(await polled(`program_id=${pulling.id}`)).not.toContain('held');
    expect(await polled(`program_id=${desk.id}`)).toContain('held 3');
    expect((await fleet.control.readChat({ chat: group })).messages).toHaveLength(1);

    expect(await release(true)).toMatchObject({ delivered: 3 });
    await write(ada, 'after');
    await waitFor(() => backendGot().includes('after') && backendGot('/program').includes('after'));
    expect(backendGot().filter((text) => text !== 'of Ben')).toEqual(['begin', ...held, 'after']);
    expect(backendGot('/program').filter((text) => text !== 'of Ben')).toEqual(['begin', ...held, 'after']);
    await waitFor(() => backendGot('/seeing').includes('after'));
    expect(backendGot('/seeing').filter((text) => text !== 'of Ben')).toEqual(['begin', ...held, 'after']);
    await waitFor(async () => (await fleet.control.readChat({ chat: group })).messages.length === 2);
    live.close();
  }, 120_000);

  test('is so by a rule, and by the owner of a business account who answers', async () => {
    const rule = { source_bot_id: bot.id, condition_type: 'keyword', condition_value: 'operator', action: 'hold' };
    const { id } = await fleet.rest<{ id: number }>('/api/routes/add', { ...rule, action_minutes: 20 });
    await begin();
    await write(ada, 'an operator, please');
    await waitFor(async () => (await chat())?.held_by === `rule:${id}`, { timeoutMs: 20_000 });
    await write(ada, 'hello?');
    await waitFor(async () => (await chat())?.missed === 1);
    expect(backendGot()).toEqual(['begin', 'an operator, please']);
    await release(false);
    const owner = (await fleet.control.createPerson({ firstName: 'Owner' })).id;
    const { connectionId } = await fleet.control.connectBusiness({ person: owner, bot: bot.platformId });
    const toBusiness = (text: string, byOwner: boolean) =>
      fleet.control.writeToBusiness({ person: ada, bot: bot.platformId, connectionId, text, byOwner });
    await toBusiness('a question', false);
    await waitFor(() => backendGot().includes('a question'));
    await toBusiness('my answer', true);
    await toBusiness('thanks', false);
    await waitFor(async () => (await chat())?.missed === 2);
    expect(await chat()).toMatchObject({ held_by: 'owner', awaits_answer: true });
    expect(backendGot()).not.toContain('my answer');
  }, 120_000);

  test('is answered by the bot again after Redis has lost everything', async () => {
    await begin();
    await take();
    const redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => undefined } });
    await redis.commands.flushall();
    await redis.close();
    await waitFor(
      async () => {
        await write(ada, 'is anybody there?').catch(() => undefined);
        return backendGot().includes('is anybody there?');
      },
      { timeoutMs: 60_000, pauseMs: 1_000, message: 'the bot to answer again' },
    );
    expect(await chat()).not.toHaveProperty('held_until');
  }, 120_000);
});

describe('a process that is killed', () => {
  const [PER_CHAT, CHATS] = [300, 3];

  test('loses nothing that is held: when it is released, the backend gets it in order and once', async () => {
    const book = ledger();
    const own = await startBackend((request, response) => {
      book.record(request.text);
      response.end();
    });
    const busy = await fleet.addBot({ proxy_enabled: true, backend_url: own.url });
    const count = PER_CHAT * CHATS;
    await fleet.control.generate({ bots: [busy.platformId], chats: CHATS, count, perSecond: 30 });
    const chats = () => fleet.rest<ChatResource[]>(`/api/chats?bot_id=${busy.id}&order=recent`);
    await waitFor(async () => (await chats()).length === CHATS, { timeoutMs: 30_000, message: 'chats in the history' });
    const [first] = await chats();
    const of = { bot_id: busy.id, chat_id: first!.id };
    await fleet.rest('/api/chats/takeover', of);
    const missed = async () => (await chats()).find(({ id }) => id === first!.id)?.missed ?? 0;
    await waitFor(async () => (await missed()) > 30, { timeoutMs: 30_000, message: 'held updates' });
    const polling = await busiestWorker(fleet, 'polling');
    fleet.workers.splice(fleet.workers.indexOf(polling), 1);
    await polling.kill();
    await waitFor(() => book.count() > count / 2, { timeoutMs: 60_000, message: 'the other chats going on' });
    const before = await missed();
    // The api that releases is killed; who asked asks again.
    const releasing = fleet.rest('/api/chats/release', { ...of, deliver_missed: true }).catch(() => undefined);
    const [api] = fleet.apis.splice(0, 1);
    await api!.kill();
    await releasing;
    await waitFor(
      async () => {
        const held = (await chats()).find(({ id }) => id === first!.id)?.held_until !== undefined;
        if (held) await fleet.rest('/api/chats/release', { ...of, deliver_missed: true });
        return true;
      },
      { timeoutMs: 30_000, message: 'the chat being released' },
    );
    expect(before).toBeGreaterThan(30);
    await waitFor(() => book.count() === count, { timeoutMs: 90_000, message: 'every update to arrive' });
    expect(book.faults(PER_CHAT)).toEqual([]);
    expect(book.duplicates()).toBeLessThanOrEqual(CHATS);
    await own.stop();
  }, 240_000);
});
