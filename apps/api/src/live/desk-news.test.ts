import type { BotResource } from '@flotilla/contract/bots.ts';
import { type LiveClient, openLive } from '@flotilla/testing/live-client.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeAll, expect, test } from '@jest/globals';

const CHAT = 7;

const api = testApi();
let pod: Awaited<ReturnType<typeof api.startPod>>;
let bot: BotResource;
let ada: TestAccount;
let bob: TestAccount;
/** Has another bot. */
let eve: TestAccount;
const open: LiveClient[] = [];

beforeAll(async () => {
  pod = await api.startPod();
  bot = await api.addBot();
  const other = await api.addBot();
  await storeMessages(api.database.db, bot.id, [{ chat_id: CHAT, id: 1, date: 1000, text: '1' }]);
  ada = await insertAccount(api.database.db, { username: 'ada', bots: [bot.id] });
  bob = await insertAccount(api.database.db, { username: 'bob', bots: [bot.id, other.id] });
  eve = await insertAccount(api.database.db, { username: 'eve', bots: [other.id] });
});
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

async function watch(topics: string, { key }: TestAccount, url = api.url): Promise<LiveClient> {
  const client = await openLive(url, topics, { key });
  open.push(client);
  await waitFor(() => client.text() !== '');
  return client;
}
const act = async ({ key }: TestAccount, path: string, more: object = {}, url = api.url) => {
  const client: RestClient = restClient(url, key);
  const answer = await client('POST', path, { body: { bot_id: bot.id, chat_id: CHAT, ...more } });
  expect(answer).toMatchObject({ status: 200 });
  return answer.json;
};
const CHAT_OF = () => ({ bot_id: bot.id, chat_id: CHAT });

test('acts and notes of one account reach streams of others at every replica, and nobody who lacks the bot', async () => {
  const clients = [await watch('desk', bob, pod.url), await watch(`chat:${bot.id}:${CHAT}`, bob)];
  const strange = await watch('desk', eve);
  await act(ada, '/api/chats/takeover', { minutes: 5 });
  await act(ada, '/api/chats/assign', { account_id: bob.id });
  await act(ada, '/api/notes/add', { text: 'Look', mentions: [bob.id] });
  await act(ada, '/api/chats/release');
  for (const client of clients) {
    await waitFor(() => client.named('chat').length === 3 && client.named('note').length === 1);
    const by = { ...CHAT_OF(), account_id: ada.id, account: 'ada' };
    const acts = ['takeover', 'assign', 'release'].map((action) => ({ ...by, action }));
    expect(client.named('chat').map(({ data }) => data)).toEqual(acts);
    expect(client.named('note')[0]!.data).toMatchObject({ ...by, change: 'added', mentions: [bob.id] });
  }
  expect([...strange.named('chat'), ...strange.named('note')]).toEqual([]);
});

test('who looks at a chat is told to others there, and nobody who lacks the bot', async () => {
  const [client, strange] = [await watch('desk', bob, pod.url), await watch('desk', eve)];
  expect(await act(ada, '/api/chats/presence', { doing: 'viewing' })).toEqual([]);
  const ofAda = { ...CHAT_OF(), account_id: ada.id, account: 'ada' };
  expect(await act(bob, '/api/chats/presence', { doing: 'typing' }, pod.url)).toEqual([{ ...ofAda, doing: 'viewing' }]);
  const listed = async ({ key }: TestAccount) => (await restClient(api.url, key)('GET', '/api/chats/presence')).json;
  expect([await listed(ada), await listed(eve)]).toEqual([[expect.anything(), expect.anything()], []]);
  await act(ada, '/api/chats/presence', { doing: 'left' });
  expect(await act(bob, '/api/chats/presence', { doing: 'left' }, pod.url)).toEqual([]);
  await waitFor(() => client.named('presence').length === 4);
  expect(client.named('presence')[0]!.data).toEqual({ ...ofAda, doing: 'viewing' });
  expect(strange.named('presence')).toEqual([]);
});

test('an account has the 8 chats of a bot open that it was in last, and none that nobody knows', async () => {
  const chats = Array.from({ length: 10 }, (_, at) => 100 + at);
  const messages = chats.map((chat_id) => ({ chat_id, id: 1, date: 1000, text: '1' }));
  await storeMessages(api.database.db, bot.id, messages);
  for (const chat_id of chats) await act(ada, '/api/chats/presence', { chat_id, doing: 'viewing' });
  const client = restClient(api.url, ada.key);
  for (const strange of [{ chat_id: 5 }, { chat_id: 100, business_connection_id: 'invented' }]) {
    const body = { bot_id: bot.id, ...strange, doing: 'typing' };
    expect(await client('POST', '/api/chats/presence', { body })).toMatchObject({ status: 404 });
  }
  const open = (await client('GET', '/api/chats/presence')).json as { chat_id: number }[];
  expect(open.map(({ chat_id }) => chat_id).toSorted()).toEqual(chats.slice(2));
});
