import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ShownChatResource } from '@flotilla/contract/chats.ts';
import type { NoteResource } from '@flotilla/contract/notes.ts';
import { storeMove } from '@flotilla/domain/records/moved-groups/move-group.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';

const CHAT = 71;
const [GROUP, SUPERGROUP] = [-4_100, -1_002_100_000_000];

const api = testApi();
let bot: BotResource;
let ada: { client: RestClient; id: number };
let bob: { client: RestClient; id: number };
/** Has another bot. */
let eve: { client: RestClient; id: number };
let accounts = 0;

beforeEach(async () => {
  bot = await api.addBot();
  const other = await api.addBot();
  [ada, bob, eve] = [await newAccount([bot.id, other.id]), await newAccount([bot.id]), await newAccount([other.id])];
  await storeMessages(
    api.database.db,
    bot.id,
    [CHAT, GROUP].map((chat_id) => ({ id: 1, chat_id, date: 1_770_000_000, text: 'Hello' })),
  );
});

async function newAccount(bots: number[]): Promise<{ client: RestClient; id: number }> {
  accounts += 1;
  const { id, key } = await insertAccount(api.database.db, { username: `note-${accounts}`, bots });
  return { client: restClient(api.url, key), id };
}

const act = (path: string, body: object, client = ada.client) => client('POST', `/api/notes/${path}`, { body });
const add = async (fields: object = {}, client = ada.client) =>
  (await act('add', { bot_id: bot.id, chat_id: CHAT, text: 'Refund agreed', ...fields }, client)).json as NoteResource;
const listed = async (query: Record<string, string | number | boolean> = {}, client = ada.client) =>
  (await client('GET', '/api/notes', { query: { bot_id: bot.id, ...query } })).json as NoteResource[];
const shown = async (chat_id = CHAT) =>
  (await ada.client('GET', '/api/chats/show', { query: { bot_id: bot.id, chat_id } })).json as ShownChatResource;

describe('a note', () => {
  test('is refused for a chat that has 1,000, and for no other', async () => {
    const { rows } = await sql<{
      id: number;
    }>`insert into notes (bot_id, chat_id, account_id, account, text, search_text)
      select ${bot.id}, ${CHAT}, ${ada.id}, 'ada', 'x', 'x' from generate_series(1, 1000) returning id`.execute(
      api.database.db,
    );
    expect(rows).toHaveLength(1000);
    const body = { bot_id: bot.id, chat_id: CHAT, text: 'One more' };
    expect(await act('add', body)).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(await act('add', { ...body, chat_id: GROUP })).toMatchObject({ status: 200 });
  });

  test('is for the team only: it is with the chat, in search and in the log, and sent to nobody', async () => {
    const added = await add({ text: 'Überweisung läuft', mentions: [] });
    expect(added).toMatchObject({ chat_id: CHAT, account_id: ada.id, text: 'Überweisung läuft', mentions: [] });
    await add({ text: 'Other' }, bob.client);
    expect(await listed({ chat_id: CHAT }, bob.client)).toMatchObject([{ text: 'Other' }, { id: added.id }]);
    expect(await listed({ q: 'uberweisung' })).toEqual([added]);
    expect((await shown()).desk_log).toMatchObject([{ note: { text: 'Other' } }, { note: added }]);
    const sent = await ada.client('GET', '/api/messages', { query: { bot_id: bot.id, chat_id: CHAT } });
    expect(sent.json).toHaveLength(1);
    const log = (await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, chat_id: CHAT } })).json;
    expect((log as AuditEntryResource[])[1]).toMatchObject({ action: 'note_add', details: `note ${added.id}` });
  });

  test('is changed and deleted by its author and by admins only, and read by whoever has the bot', async () => {
    const { id } = await add();
    for (const path of ['update', 'delete']) {
      expect((await act(path, { id, text: 'No' }, bob.client)).status).toBe(403);
      expect((await act(path, { id, text: 'No' }, eve.client)).status).toBe(403);
    }
    expect((await act('update', { id, text: 'Refunded' })).json).toMatchObject({ id, edited_at: expect.any(String) });
    expect(await listed({ q: 'refunded' }, bob.client)).toMatchObject([{ id }]);
    expect((await eve.client('GET', '/api/notes', { query: { chat_id: CHAT } })).json).toEqual([]);
    expect((await act('delete', { id }, api.admin)).json).toEqual({ ok: true });
    expect([await listed(), (await act('delete', { id }, api.admin)).status]).toEqual([[], 404]);
  });

  test('needs a chat that is known, and mentions accounts that have the bot', async () => {
    expect((await act('add', { bot_id: bot.id, chat_id: 99, text: 'a' })).status).toBe(404);
    expect((await act('add', { bot_id: bot.id, chat_id: CHAT, text: ' ' })).status).toBe(400);
    const refused = await act('add', { bot_id: bot.id, chat_id: CHAT, text: 'a', mentions: [eve.id] });
    expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'mentions' }] } });
  });

  test('is unread by those it mentions until they open the chat', async () => {
    const { id } = await add({ mentions: [bob.id, ada.id] });
    await add({ text: 'For nobody' });
    expect(await listed({ unread: true })).toEqual([]);
    expect(await listed({ unread: true }, bob.client)).toMatchObject([{ id }]);
    await act('read', { bot_id: bot.id, chat_id: CHAT }, bob.client);
    await act('update', { id, text: 'Still the same' });
    expect(await listed({ unread: true }, bob.client)).toEqual([]);
  });

  test('follows a group that becomes a supergroup, and goes with its chat', async () => {
    const { id } = await add({ chat_id: GROUP });
    const move = { bot_id: bot.id, fromChatId: GROUP, toChatId: SUPERGROUP };
    await api.database.db.transaction().execute((transaction) => storeMove(transaction, move, 1_770_000_000));
    expect(await listed({ chat_id: SUPERGROUP })).toMatchObject([{ id }]);
    const later = await add({ chat_id: GROUP, text: 'Later' });
    expect(later.chat_id).toBe(SUPERGROUP);
    await ada.client('POST', '/api/chats/delete', { body: { bot_id: bot.id, chat_id: SUPERGROUP } });
    expect(await listed()).toEqual([]);
  });
});

test('what people do with a chat is shown with it', async () => {
  const body = { bot_id: bot.id, chat_id: CHAT };
  for (const [path, more] of [
    ['takeover', { minutes: 30 }],
    ['assign', { account_id: bob.id }],
    ['done', {}],
  ] as const) {
    expect((await ada.client('POST', `/api/chats/${path}`, { body: { ...body, ...more } })).status).toBe(200);
  }
  const { desk_log: log } = await shown();
  expect(log.map(({ action }) => action)).toEqual(['chat_done', 'chat_assign', 'chat_takeover']);
  expect(log[1]).toMatchObject({ account: expect.any(String), target: expect.stringMatching(/^note-/) });
});
