import type { BotResource } from '@flotilla/contract/bots.ts';
import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, expect, test } from '@jest/globals';

/** Who writes through two business accounts, through one, to the bot itself, and in a group. */
const CHATS = { ofTwo: 777, ofOne: 779, ofBot: 778, group: -1_001_234 } as const;
const [FIRST, SECOND] = ['connection-1', 'connection-2'];
const CONNECTIONS = [undefined, '', FIRST, 'connection-of-nobody'] as const;
const METHODS = {
  text: { method: 'sendMessage', params: { text: 'Hi' } },
  paid: { method: 'sendMessage', params: { text: 'Hi', allow_paid_broadcast: true } },
  invoice: { method: 'sendInvoice', params: { title: 'Tea', payload: 'tea', currency: 'XTR', prices: [] } },
  copy: { method: 'copyMessage', params: { from_chat_id: CHATS.group, message_id: 5 } },
} as const;
type Case = {
  author: 'admin' | 'keyOfBot' | 'keyOfOther' | 'token' | 'narrowToken';
  chat: keyof typeof CHATS;
  connection: (typeof CONNECTIONS)[number];
  method: keyof typeof METHODS;
};

const api = testApi();
let bot: BotResource;
let clients: Record<Case['author'], RestClient>;

beforeAll(async () => {
  bot = await api.addBot();
  const other = await api.addBot();
  const post = async (path: string, body: object) => (await api.admin('POST', path, { body })).json as never;
  const keyOf = async ({ id, name }: { id: number; name: string }) => {
    const { key }: { key: string } = await post('/api/auth/api-keys', { name, role: 'user', bot_ids: [id] });
    return restClient(api.url, key);
  };
  const program: { id: number } = await post('/api/programs/add', { bot_id: bot.id, name: 'shop', mode: 'pull' });
  const tokenOf = async (fields: object) => {
    const body = { program_id: program.id, name: crypto.randomUUID(), ...fields };
    const { token }: { token: string } = await post('/api/programs/tokens/add', body);
    return restClient(api.url, token);
  };
  clients = {
    admin: api.admin,
    keyOfBot: await keyOf({ id: bot.id, name: 'sees the bot' }),
    keyOfOther: await keyOf({ id: other.id, name: 'sees another' }),
    token: await tokenOf({ methods: 'send' }),
    narrowToken: await tokenOf({ methods: 'sendMessage', chats: [CHATS.ofTwo, CHATS.ofOne] }),
  };
  const message = (chat_id: number, business_connection_id: string, id: number) => {
    return { chat_id, user_id: 777, id, date: 1_000 + id, text: 'Hello', business_connection_id };
  };
  await storeMessages(api.database.db, bot.id, [
    ...[message(CHATS.ofTwo, FIRST, 5), message(CHATS.ofTwo, SECOND, 6)],
    message(CHATS.ofOne, FIRST, 7),
    ...[message(CHATS.ofBot, '', 5), message(CHATS.group, '', 5)],
  ]);
});

const ofMoney = ({ method }: Case) => method === 'paid' || method === 'invoice';

/** The status of the answer, by the rules and not by the code. */
function expected(one: Case): number {
  const { author, chat, connection, method } = one;
  if (author === 'keyOfOther') return 403;
  if (author === 'keyOfBot' && ofMoney(one)) return 400;
  if (author === 'token' && ofMoney(one)) return 403;
  if (author === 'narrowToken') return method === 'text' && /^of(Two|One)$/.test(chat) && !connection ? 200 : 403;
  // Nobody is answered through an account that was not named; copies go into the chat of the bot.
  if (method !== 'copy' && chat === 'ofTwo' && connection === undefined) return 409;
  return 200;
}

/** Where it goes; a token that is limited to chats leads through no account. */
function connectionOf({ author, chat, connection, method }: Case): string | undefined {
  if (method === 'copy') return connection;
  return connection ?? (chat === 'ofOne' && author !== 'narrowToken' ? FIRST : '');
}

function add({ author, chat, connection, method: name }: Case) {
  const { method, params } = METHODS[name];
  const named = connection === undefined ? {} : { business_connection_id: connection };
  const ofBot = author.endsWith('oken') ? {} : { bot_id: bot.id };
  return clients[author]('POST', '/api/outbox/add', {
    body: { ...ofBot, method, params: { chat_id: CHATS[chat], ...params, ...named } },
  });
}

test('of every author, chat, connection and method, what may be sent is sent where it was said, and seen by whoever sees the bot', async () => {
  const cases = Object.keys(clients).flatMap((author) =>
    Object.keys(CHATS).flatMap((chat) =>
      CONNECTIONS.flatMap((connection) =>
        Object.keys(METHODS).map((method) => ({ author, chat, connection, method }) as Case),
      ),
    ),
  );
  const added: number[] = [];
  for (const one of cases) {
    const { status, json } = await add(one);
    expect([one, status]).toEqual([one, expected(one)]);
    if (status !== 200) continue;
    const { id, chat_id, params } = json as OutboxEntryResource;
    added.push(id);
    const connection = one.method === 'copy' ? params.business_connection_id : (params.business_connection_id ?? '');
    expect([one, chat_id, connection]).toEqual([one, CHATS[one.chat], connectionOf(one)]);
  }
  expect(added.length).toBeGreaterThan(50);
  for (const [author, client] of Object.entries(clients)) {
    const seen = author === 'admin' || author === 'keyOfBot';
    const list = await client('GET', '/api/outbox', { query: { limit: 200 } });
    const ids = list.status === 200 ? (list.json as OutboxEntryResource[]).map(({ id }) => id) : [];
    expect([author, ids]).toEqual([author, seen ? added.toReversed() : []]);
    const shown = await client('GET', '/api/outbox/show', { query: { id: added[0]! } });
    expect([author, shown.status === 200]).toEqual([author, seen]);
  }
}, 60_000);
