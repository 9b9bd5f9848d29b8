import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

let fleet: Fleet;
let backend: TestBackend;
/** What the backend does with an update, by the update's text. */
let behaviour: (text: string) => 'takes' | 'refuses' | 'hangs';
let pushed = 0;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' });
  backend = await startBackend((request, response) => {
    const doing = behaviour(request.text);
    if (doing !== 'hangs') response.writeHead(doing === 'takes' ? 200 : 500).end();
  });
}, 60_000);
afterAll(async () => {
  await backend?.stop();
  await fleet?.stop();
}, 60_000);
beforeEach(() => {
  behaviour = () => 'takes';
});

const newBot = (fields: Record<string, unknown>) => fleet.addBot({ webhook_mode: true, ...fields });
const proxied = () => ({ proxy_enabled: true, backend_url: `${backend.url}/hook` });
/** Pushes an update as the platform does, each in a chat of its own. */
async function push(bot: FleetBot, kind = 'message'): Promise<void> {
  const { secretToken } = await fleet.control.readWebhook({ bot: bot.platformId });
  pushed += 1;
  const chat = { id: pushed, type: 'private' };
  const message = { message_id: 1, date: Math.floor(Date.now() / 1000), chat, text: `text ${pushed}`, from: chat };
  const response = await fetch(`${fleet.url}/telegram/${bot.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretToken },
    body: JSON.stringify({ update_id: pushed, [kind]: message }),
  });
  expect(response.status).toBe(200);
}
async function pushSome(bot: FleetBot, count: number, kind?: string): Promise<void> {
  for (let at = 0; at < count; at += 1) await push(bot, kind);
}
async function call<T>(bot: FleetBot, method: string, query: Record<string, string> = {}): Promise<T> {
  const response = await fetch(`${fleet.url}/tgapi/bot${bot.token}/${method}?${new URLSearchParams(query)}`);
  return ((await response.json()) as { result: T }).result;
}
/** The count in the list of bots; expectPending compares it with getWebhookInfo. */
async function pending(bot: FleetBot): Promise<number> {
  const bots = await fleet.rest<{ id: number; pending_update_count: number }[]>('/api/bots');
  return bots.find(({ id }) => id === bot.id)!.pending_update_count;
}
const byWebhookInfo = async (bot: FleetBot) =>
  (await call<{ pending_update_count: number }>(bot, 'getWebhookInfo')).pending_update_count;
async function expectPending(bot: FleetBot, count: number): Promise<void> {
  let seen: number[] = [];
  await waitFor(async () => {
    seen = [await pending(bot), await byWebhookInfo(bot)];
    return seen.every((one) => one === count);
  }).catch(() => undefined);
  expect(seen).toEqual([count, count]);
}
const getUpdates = (bot: FleetBot, query: Record<string, string> = {}) =>
  call<{ update_id: number }[]>(bot, 'getUpdates', query);

describe('pending_update_count of a bot in proxy mode', () => {
  test('counts what its backend has not taken, and what is in flight', async () => {
    behaviour = () => 'hangs';
    const bot = await newBot(proxied());
    await expectPending(bot, 0);
    const before = backend.requests.length;
    await pushSome(bot, 3);
    await backend.waitForRequests(before + 3);
    await expectPending(bot, 3);
  });

  test('falls as parts of it are taken, and is 0 when all are', async () => {
    const first = pushed + 1;
    behaviour = (text) => (text.includes(`text ${first}"`) ? 'takes' : 'refuses');
    const bot = await newBot(proxied());
    await pushSome(bot, 3);
    await expectPending(bot, 2);
    behaviour = () => 'takes';
    await expectPending(bot, 0);
  });

  test('counts on while the bot is disabled', async () => {
    behaviour = () => 'refuses';
    const bot = await newBot(proxied());
    await pushSome(bot, 2);
    await expectPending(bot, 2);
    await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
    expect(await pending(bot)).toBe(2);
  });

  test('leaves out kinds that the backend does not want', async () => {
    behaviour = () => 'refuses';
    const bot = await newBot({ ...proxied(), allowed_updates: ['message'] });
    await pushSome(bot, 2);
    await pushSome(bot, 3, 'channel_post');
    await expectPending(bot, 2);
  });

  test('is about the backend also where the bot is polled besides', async () => {
    behaviour = () => 'refuses';
    const bot = await newBot({ ...proxied(), long_poll_enabled: true });
    await pushSome(bot, 2);
    await getUpdates(bot, { offset: String(((await getUpdates(bot)).at(-1)?.update_id ?? 0) + 1) });
    await expectPending(bot, 2);
  });
});

describe('pending_update_count of a bot whose webhook was removed', () => {
  test('counts what is kept for the next one, old and new', async () => {
    behaviour = () => 'refuses';
    const bot = await newBot(proxied());
    await pushSome(bot, 2);
    await expectPending(bot, 2);
    await call(bot, 'deleteWebhook');
    await expectPending(bot, 2);
    await pushSome(bot, 3);
    await expectPending(bot, 5);
    behaviour = () => 'takes';
    await call(bot, 'setWebhook', { url: `${backend.url}/hook` });
    await expectPending(bot, 0);
  });

  test('counts on while it is disabled, and is 0 when what was kept is dropped', async () => {
    behaviour = () => 'refuses';
    const bot = await newBot(proxied());
    await pushSome(bot, 2);
    await fleet.rest('/api/bots/update', { id: bot.id, proxy_enabled: false });
    await push(bot);
    await expectPending(bot, 3);
    await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
    expect(await pending(bot)).toBe(3);
    await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
    await call(bot, 'deleteWebhook', { drop_pending_updates: 'true' });
    await expectPending(bot, 0);
  });

  test('goes over to who polls where that is on', async () => {
    behaviour = () => 'refuses';
    const bot = await newBot({ ...proxied(), long_poll_enabled: true });
    await pushSome(bot, 3);
    await call(bot, 'deleteWebhook');
    await expectPending(bot, 3);
    expect(await getUpdates(bot)).toHaveLength(3);
  });
});

describe('pending_update_count of a bot that is polled', () => {
  test('counts what the default consumer has not acknowledged, given out or not', async () => {
    const bot = await newBot({ long_poll_enabled: true });
    await expectPending(bot, 0);
    await pushSome(bot, 3);
    await expectPending(bot, 3);
    const [first] = await getUpdates(bot);
    await expectPending(bot, 3);
    await getUpdates(bot, { offset: String((first?.update_id ?? 0) + 1) });
    await expectPending(bot, 2);
    await fleet.rest(`/api/updates/poll?bot_id=${bot.id}&consumer=other&timeout=0&offset=-1`);
    await expectPending(bot, 2);
    await fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
    expect(await pending(bot)).toBe(2);
  });

  test('leaves out kinds that it does not want', async () => {
    const bot = await newBot({ long_poll_enabled: true, allowed_updates: ['message'] });
    await pushSome(bot, 2);
    await pushSome(bot, 3, 'channel_post');
    await expectPending(bot, 2);
  });

  test('is 0 when polling is switched off: nothing is kept for it any more', async () => {
    const bot = await newBot({ long_poll_enabled: true });
    await pushSome(bot, 2);
    await fleet.rest('/api/bots/update', { id: bot.id, long_poll_enabled: false });
    await expectPending(bot, 0);
    await fleet.rest('/api/bots/update', { id: bot.id, long_poll_enabled: true });
    expect(await getUpdates(bot)).toEqual([]);
  });
});

test('pending_update_count is 0 where nobody reads: nothing is kept', async () => {
  const bot = await newBot({});
  await pushSome(bot, 2);
  await expectPending(bot, 0);
});
