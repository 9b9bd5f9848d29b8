import type { BotResource } from '@flotilla/contract/bots.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { type LiveClient, openLive } from '@flotilla/testing/live-client.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';

const CHATS = [7, -8];

const api = testApi();
let redis: RedisHandles;
let pod: Awaited<ReturnType<typeof api.startPod>>;
let bot: BotResource;
let owner: TestAccount;
let other: TestAccount;
let accounts = 0;
const open: LiveClient[] = [];

beforeAll(async () => {
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(() => redis.close());
  pod = await api.startPod();
  bot = await api.addBot();
  const messages = CHATS.flatMap((chat_id) => [1, 2, 3].map((id) => ({ chat_id, id, date: 1000 + id, text: `${id}` })));
  await storeMessages(api.database.db, bot.id, messages);
});
beforeEach(async () => {
  accounts += 1;
  owner = await insertAccount(api.database.db, { username: `owner-${accounts}`, bots: [bot.id] });
  other = await insertAccount(api.database.db, { username: `other-${accounts}`, bots: [bot.id] });
});
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

async function watch(topics: string, { key }: TestAccount, url = api.url): Promise<LiveClient> {
  const client = await openLive(url, topics, { key });
  open.push(client);
  await waitFor(() => client.lastEventId() !== '');
  return client;
}
async function mark(account: TestAccount, chat_id: number, message_id: number, url = api.url): Promise<void> {
  const client: RestClient = restClient(url, account.key);
  const body = { bot_id: bot.id, chat_id, message_id };
  expect(await client('POST', '/api/chats/read', { body })).toMatchObject({ status: 200 });
}
const readsOf = (client: LiveClient) => client.named('read').map(({ data }) => data);
const read = (chat_id: number, read_message_id: number) => ({ bot_id: bot.id, chat_id, read_message_id });

test('what an account reads is told to its streams of the bot and of the chat, at every replica', async () => {
  const [bots, chat] = [await watch(`bot:${bot.id}`, owner), await watch(`chat:${bot.id}:7`, owner, pod.url)];
  await mark(owner, -8, 1);
  await mark(owner, 7, 2, pod.url);
  await waitFor(() => readsOf(bots).length === 2 && readsOf(chat).length === 1);
  expect(readsOf(bots)).toEqual([read(-8, 1), read(7, 2)]);
  expect(readsOf(chat)).toEqual([read(7, 2)]);
});

test('no other account hears of it, and no stream of other topics', async () => {
  const strangers = [await watch(`bot:${bot.id}`, other), await watch(`chat:${bot.id}:7`, other, pod.url)];
  const attempts = await watch(`attempts:${bot.id},fleet`, owner);
  const own = await watch(`bot:${bot.id}`, owner);
  await mark(owner, 7, 1);
  // What comes after it shows that it did not come before.
  await mark(other, 7, 3);
  await waitFor(() => [own, ...strangers].every((client) => readsOf(client).length > 0));
  expect(strangers.map(readsOf)).toEqual([[read(7, 3)], [read(7, 3)]]);
  expect([own, attempts].map(readsOf)).toEqual([[read(7, 1)], []]);
});

test('a marker that does not move is not told', async () => {
  const client = await watch(`bot:${bot.id}`, owner);
  for (const message of [2, 1, 2, 3]) await mark(owner, 7, message);
  await waitFor(() => readsOf(client).at(-1)?.read_message_id === 3);
  expect(readsOf(client)).toEqual([read(7, 2), read(7, 3)]);
});

test('a stream is told of a gap when Redis was away, because markers may have moved', async () => {
  const client = await watch(`chat:${bot.id}:7`, owner);
  // The api may subscribe at any node of a cluster.
  for (const server of redis.servers()) await server.client('KILL', 'TYPE', 'PUBSUB');
  await waitFor(() => client.named('gap').length > 0);
  await mark(owner, 7, 1);
  await waitFor(() => readsOf(client).length === 1);
});

test('nobody subscribes to markers while no stream is open', async () => {
  const subscribers = async () => Number((await redis.commands.pubsub('NUMSUB', channels.read))[1]);
  await watch(`bot:${bot.id}`, owner);
  for (const client of open) client.close();
  await waitFor(async () => (await subscribers()) === 0);
});
