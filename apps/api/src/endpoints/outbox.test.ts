import type { BotResource } from '@flotilla/contract/bots.ts';
import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import { broadcastStore } from '@flotilla/domain/delivery/broadcasts/broadcast-store.ts';
import { authorRights } from '@flotilla/domain/delivery/outbox/author.ts';
import { outboxStore } from '@flotilla/domain/delivery/outbox/outbox-store.ts';
import { outboxTurnStore } from '@flotilla/domain/delivery/outbox/turn-store.ts';
import { storeMove } from '@flotilla/domain/records/moved-groups/move-group.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { waitingForLocks } from '@flotilla/testing/locked-table.ts';
import { queueEntries } from '@flotilla/testing/queued-entries.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const ADA = 424_242;
const PARAMS = { chat_id: ADA, text: 'Your order is ready.' };

const api = testApi();
let bot: BotResource;
let other: BotResource;
/** A key that sees `bot` alone. */
let limited: RestClient;

beforeAll(async () => {
  [bot, other] = [await api.addBot(), await api.addBot()];
  await api.platform.createPerson({ id: ADA });
  const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'shop', bot_ids: [bot.id] } });
  limited = restClient(api.url, (made.json as { key: string }).key);
});
beforeEach(() => api.database.db.deleteFrom('outbox').execute());

const add = (fields: object = {}, client = api.admin): Promise<RestAnswer> =>
  client('POST', '/api/outbox/add', { body: { bot_id: bot.id, method: 'sendMessage', params: PARAMS, ...fields } });
const added = async (fields: object = {}): Promise<OutboxEntryResource> => {
  const answer = await add(fields);
  expect(answer).toMatchObject({ status: 200 });
  return answer.json as OutboxEntryResource;
};
const show = async (id: number) =>
  (await api.admin('GET', '/api/outbox/show', { query: { id } })).json as OutboxEntryResource;
const list = async (query: object) =>
  (await api.admin('GET', '/api/outbox', { query: { ...query } })).json as OutboxEntryResource[];
const change = async (path: 'cancel' | 'release' | 'restore' | 'resend', body: object, client = api.admin) =>
  (await client('POST', `/api/outbox/${path}`, { body })).json;
const settle = (id: number, state: 'sent' | 'failed' | 'expired' | 'in_doubt') =>
  api.database.db
    .updateTable('outbox')
    .set({ state, settled_at: new Date(), error: 'x', attempts: 3 })
    .where('id', '=', id)
    .execute();

describe('what is handed over', () => {
  test('waits in its chat, with the name of who added it and one audit entry', async () => {
    const entry = await added({ method: 'SENDMESSAGE' });
    expect(entry).toMatchObject({ method: 'sendMessage', params: PARAMS, chat_id: ADA, state: 'queued', attempts: 0 });
    expect(entry).toMatchObject({ priority: 'normal', created_by: 'admin' });
    expect(await show(entry.id)).toEqual(entry);
    expect(entry).not.toHaveProperty('chat_title');
    const [audited] = (await api.admin('GET', '/api/adminlog')).json as object[];
    const { request_id } = entry;
    expect(audited).toMatchObject({ action: 'outbox_add', bot_id: bot.id, chat_id: ADA, request_id });
  });

  test('keeps the id of the request, as do the entries of a broadcast and what a sink gets', async () => {
    const { headers, json } = await add();
    expect(json).toMatchObject({ request_id: headers.get('x-request-id') });
    const body = {
      bot_id: bot.id,
      name: 'Sale',
      method: 'sendMessage',
      params: { text: 'x' },
      audience: { chat_types: ['private'] },
    };
    const broadcast = await api.admin('POST', '/api/broadcasts/add', { body });
    const { created_by: createdBy } = (await broadcastStore(api.database.db).find(
      (broadcast.json as { id: number }).id,
    ))!;
    expect(createdBy).toMatchObject({ requestId: broadcast.headers.get('x-request-id') });
    const key = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'told' } });
    const { json: events } = await api.admin('GET', '/api/events', { query: { kinds: 'key.created', limit: 1 } });
    expect(events).toMatchObject([{ request_id: key.headers.get('x-request-id') }]);
  });

  test('may cost Stars, be an invoice, or have a method that nobody knows, of an admin only', async () => {
    const body = { name: 'narrow', role: 'user', bot_ids: [bot.id] };
    const { key } = (await api.admin('POST', '/api/auth/api-keys', { body })).json as { key: string };
    const user = restClient(api.url, key);
    for (const [path, fields] of [
      ['params.allow_paid_broadcast', { params: { ...PARAMS, allow_paid_broadcast: true } }],
      ['method', { method: 'sendInvoice' }],
      ['method', { method: 'sendHologram' }],
    ] as const) {
      expect(await add(fields, user)).toMatchObject({ status: 400, json: { details: [{ path }] } });
      expect((await add(fields)).status).toBe(200);
    }
    expect((await add({ params: { ...PARAMS, allow_paid_broadcast: false } }, user)).status).toBe(200);
  });

  test('may have a time, at which it is scheduled, and an end', async () => {
    const inAnHour = Math.floor(Date.now() / 1000) + 3600;
    const entry = await added({ send_at: inAnHour, expires_at: inAnHour + 60, priority: 'critical' });
    expect(entry).toMatchObject({ state: 'scheduled', send_at: new Date(inAnHour * 1000).toISOString() });
    expect((await added({ send_at: '2020-01-01T00:00:00Z' })).state).toBe('queued');
    for (const [path, times] of [
      ['expires_at', { expires_at: 1_700_000_000 }],
      ['expires_at', { send_at: inAnHour, expires_at: inAnHour }],
      ['send_at', { send_at: inAnHour + 400 * 86_400 }],
    ] as const) {
      expect(await add(times)).toMatchObject({ status: 400, json: { details: [{ path }] } });
    }
  });

  test('names a chat by a public name only if the platform knows it', async () => {
    const chat = await api.platform.createChat({
      ...{ type: 'channel', creator: ADA, username: 'harbour_news' },
      admins: [{ bot: Number(bot.token.split(':')[0]) }],
    });
    const named = await added({ params: { chat_id: '@harbour_news', text: 'x' } });
    expect(named.chat_id).toBe(chat.id);
    expect(await add({ params: { chat_id: '@nobody_is_this', text: 'x' } })).toMatchObject({ status: 400 });
  });

  test.each([
    ['method', { method: 'deleteMessage' }],
    ['method', { method: 'sendChatAction' }],
    ['method', { method: 'getMe' }],
    ['method', { method: 'getHologram' }],
    ['method', { method: 'send_hologram' }],
    ['params', { params: 'nothing' }],
    ['params', { params: [1] }],
    ['params.chat_id', { params: { text: 'x' } }],
    ['params.chat_id', { params: { chat_id: 'somewhere', text: 'x' } }],
    ['params', { params: { chat_id: ADA, text: 'x'.repeat(70_000) } }],
    ['params.text', { params: { chat_id: ADA, text: 'a\u0000b' } }],
    ['params.photo', { method: 'sendPhoto', params: { chat_id: ADA, photo: 'attach://photo' } }],
    ['params.document', { method: 'sendDocument', params: { chat_id: ADA, document: 'file:///etc/passwd' } }],
    ['params.media', { method: 'sendMediaGroup', params: { chat_id: ADA, media: [{ media: 'attach://a' }] } }],
    ['params.media', { method: 'sendMediaGroup', params: { chat_id: ADA, media: '[{"media":"attach://a"}]' } }],
    ['params.document', { method: 'sendDocument', params: { chat_id: ADA, document: 'file:/etc/passwd' } }],
    ['params.media', { method: 'sendMediaGroup', params: { chat_id: ADA, media: '[{"media":"\\u0066ile:/a"}]' } }],
    ['params.media', { method: 'sendMediaGroup', params: { chat_id: ADA, media: '[{"media":"file:/a",}]' } }],
    ['params', { params: { ...PARAMS, 'a\u0000b': 1 } }],
    ['idempotency_key', { idempotency_key: 'two words' }],
  ])('is refused by %s if it cannot be sent: %j', async (path, fields) => {
    const answer = await add(fields);
    expect(answer).toMatchObject({ status: 400, json: { details: [{ path }] } });
    expect(await list({})).toEqual([]);
  });

  test('is stored with the JSON text that was checked, of which nobody can read another file', async () => {
    const media = ' [{"type":"photo","media":"file:/etc/passwd","media":"https:\\/\\/example.com/1.jpg"}]';
    const { params } = await added({ method: 'sendMediaGroup', params: { chat_id: ADA, media } });
    expect(params.media).toBe('[{"type":"photo","media":"https://example.com/1.jpg"}]');
  });

  test('may write about uploads, and counts the messages of an album', async () => {
    await added({ params: { chat_id: ADA, text: 'attach://photo is a form of the Bot API' } });
    const media = [1, 2, 3].map((id) => ({ type: 'photo', media: `https://example.com/${id}.jpg` }));
    const { id } = await added({ method: 'sendMediaGroup', params: { chat_id: ADA, media } });
    expect(await outboxStore(api.database.db).find(id)).toMatchObject({ messages: 3 });
  });

  test('is refused for a bot that is not managed, and taken for one that is disabled', async () => {
    const off = await api.addBot({ manage_enabled: false });
    expect(await add({ bot_id: off.id })).toMatchObject({ status: 400 });
    const resting = await api.addBot();
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: resting.id } });
    expect(await add({ bot_id: resting.id })).toMatchObject({ status: 200 });
  });
});

test('of one account with all its keys, or program with all its tokens, no more waits than there is room left, in entries and bytes, and others find room', async () => {
  const full = await api.addBot();
  const known = await added({ bot_id: full.id, idempotency_key: 'first' });
  const { db } = api.database;
  await queueEntries(
    db,
    { botId: full.id, priority: 'normal' },
    Array.from({ length: 49_999 }, (_, at) => at + 1),
  );
  const others = db.updateTable('outbox').where('bot_id', '=', full.id).where('id', '<>', known.id);
  const { created_by } = await db
    .selectFrom('outbox')
    .select('created_by')
    .where('id', '=', known.id)
    .executeTakeFirstOrThrow();
  await others.set({ created_by }).execute();
  const later = { state: 'scheduled', send_at: new Date(Date.now() + 3_600_000) } as const;
  await others.set(later).where('chat_id', '<=', 25_000).execute();
  await others.set({ state: 'held' }).where('chat_id', '>', 40_000).execute();
  // It is counted again after a while.
  const answers: RestAnswer[] = [];
  while (answers.at(-1)?.status !== 429 && answers.length < 1_000) answers.push(await add({ bot_id: full.id }));
  expect(answers.at(-1)).toMatchObject({ status: 429, json: { code: 'too_many_requests' } });
  expect(await add({ bot_id: full.id, idempotency_key: 'first' })).toMatchObject({ json: { id: known.id } });
  const made = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'another', bot_ids: [full.id] } });
  const another = restClient(api.url, (made.json as { key: string }).key);
  expect(await add({ bot_id: full.id }, another)).toMatchObject({ status: 429 });
  const beside = restClient(api.url, (await insertAccount(db, { username: 'beside', bots: [full.id] })).key);
  expect(await add({ bot_id: full.id }, beside)).toMatchObject({ status: 200 });
  expect(await add()).toMatchObject({ status: 200 });
  await db.deleteFrom('outbox').where('bot_id', '=', full.id).where('id', '<>', known.id).execute();
  await db
    .updateTable('outbox')
    .set({ bytes: 300 * 1024 * 1024 })
    .where('id', '=', known.id)
    .execute();
  const large = async (client: RestClient) => (await add({ bot_id: full.id }, client)).status;
  await waitFor(async () => (await large(api.admin)) === 429);
  expect(await large(beside)).toBe(200);
  const program = await api.admin('POST', '/api/programs/add', { body: { bot_id: full.id, name: 'one' } });
  const { id: program_id } = program.json as { id: number };
  const [first, second] = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const { json } = await api.admin('POST', '/api/programs/tokens/add', { body: { program_id, name } });
      return restClient(api.url, (json as { token: string }).token);
    }),
  );
  const ofToken = (client: RestClient) => add({ bot_id: undefined }, client);
  const { id } = (await ofToken(first!)).json as OutboxEntryResource;
  const byToken = db.selectFrom('outbox').select('created_by').where('id', '=', id);
  await db.updateTable('outbox').set({ created_by: byToken }).where('id', '=', known.id).execute();
  await waitFor(async () => (await large(api.admin)) === 200);
  expect([(await ofToken(first!)).status, (await ofToken(second!)).status]).toEqual([429, 429]);
  expect(await large(beside)).toBe(200);
});

describe('an idempotency key', () => {
  test('answers the same entry for the same content, also at once', async () => {
    const keyed = {
      idempotency_key: 'order-1729',
      params: { text: 'a', chat_id: ADA, reply_markup: { remove: true } },
    };
    const answers = await Promise.all(Array.from({ length: 8 }, () => added(keyed)));
    const first = answers[0] as OutboxEntryResource;
    for (const answer of answers) expect(answer).toEqual(first);
    expect(await list({})).toHaveLength(1);
    const turned = { chat_id: ADA, reply_markup: { remove: true }, text: 'a' };
    await settle(first.id, 'sent');
    expect(await added({ ...keyed, params: turned })).toMatchObject({ id: first.id, state: 'sent' });
  });

  test('refuses other content with 422, and is of one bot', async () => {
    const { id } = await added({ idempotency_key: 'k' });
    for (const fields of [{ params: { chat_id: ADA, text: 'b' } }, { priority: 'bulk' }, { method: 'sendDice' }]) {
      const answer = await add({ idempotency_key: 'k', ...fields });
      expect(answer).toMatchObject({ status: 422, json: { code: 'idempotency_mismatch' } });
    }
    expect((await added({ idempotency_key: 'k', bot_id: other.id })).id).not.toBe(id);
  });

  test('is of its author: another one has an entry of its own by it', async () => {
    const { id } = await added({ idempotency_key: 'k' });
    const foreign = await add({ idempotency_key: 'k', params: { chat_id: ADA, text: 'of the shop' } }, limited);
    expect(foreign).toMatchObject({ status: 200, json: { created_by: 'admin', idempotency_key: 'k' } });
    expect((foreign.json as OutboxEntryResource).id).not.toBe(id);
    expect((await added({ idempotency_key: 'k' })).id).toBe(id);
  });
});

describe('the list', () => {
  test('is filtered, newest first, and shows a key the entries of its bots alone', async () => {
    const [first, second] = [await added(), await added({ params: { ...PARAMS, chat_id: 7 } })];
    const foreign = await added({ bot_id: other.id });
    const ids = async (query: object) => (await list(query)).map(({ id }) => id);
    expect(await ids({})).toEqual([foreign.id, second.id, first.id]);
    expect(await ids({ bot_id: bot.id, limit: 1, offset: 1 })).toEqual([first.id]);
    expect(await ids({ chat_id: 7 })).toEqual([second.id]);
    expect(await ids({ state: 'sent' })).toEqual([]);
    expect(await ids({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await ids({ since: '2020-01-01T00:00:00Z', chat_id: 7 })).toEqual([second.id]);
    expect(await ids({ created_by: 'admin' })).toEqual([foreign.id, second.id, first.id]);
    expect(await ids({ created_by: 'nobody' })).toEqual([]);
    const seen = await limited('GET', '/api/outbox');
    expect((seen.json as OutboxEntryResource[]).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await limited('GET', '/api/outbox/show', { query: { id: foreign.id } })).toMatchObject({ status: 403 });
  });
});

test('an entry has the name of its chat', async () => {
  const person = { bot_id: bot.id, id: 707, type: 'private', first_name: 'Ada', last_name: 'Lovelace' } as const;
  await api.database.db.insertInto('chats').values(person).execute();
  const { id } = await added({ params: { ...PARAMS, chat_id: 707 } });
  expect([await show(id), ...(await list({ chat_id: 707 }))]).toMatchObject(
    Array(2).fill({ chat_title: 'Ada Lovelace' }),
  );
});

test('counts tell how many there are in each state, of the bots of the caller', async () => {
  const [failed] = [await added(), await added({ priority: 'bulk' }), await added({ bot_id: other.id })];
  await settle(failed.id, 'failed');
  const counts = async (query: object, client = api.admin) =>
    (await client('GET', '/api/outbox/counts', { query: { ...query } })).json;
  const none = {
    scheduled: 0,
    queued: 0,
    held: 0,
    sending: 0,
    sent: 0,
    failed: 0,
    in_doubt: 0,
    cancelled: 0,
    expired: 0,
  };
  expect(await counts({})).toEqual({ ...none, queued: 2, failed: 1 });
  expect(await counts({}, limited)).toEqual({ ...none, queued: 1, failed: 1 });
  expect(await counts({ priority: 'bulk' })).toEqual({ ...none, queued: 1 });
  expect(await list({ priority: 'bulk' })).toMatchObject([{ priority: 'bulk' }]);
  expect(await counts({ created_by: 'nobody' })).toEqual(none);
  const many = Array.from({ length: 10_001 }, (_, at) => at + 1);
  await queueEntries(api.database.db, { botId: bot.id, priority: 'normal' }, many);
  expect(await counts({})).toMatchObject({ queued: 10_000 });
  const { headers } = await api.admin('GET', '/api/outbox', { query: { bot_id: bot.id, limit: 1 } });
  expect(headers.get('x-total-count')).toBe('10000');
});

test('what is held is released by an admin alone, and goes out then by that admin’s right', async () => {
  const { db } = api.database;
  const later = Math.floor(Date.now() / 1000) + 3600;
  const key = { idempotency_key: 'held' };
  const [now, scheduled, ofBroadcast, ofEnded, waiting] = [
    await added(key),
    await added({ send_at: later }),
    await added(),
    await added(),
    await added(),
  ];
  const broadcast = async (ended_at: Date | null) => {
    const values = {
      bot_id: bot.id,
      name: 'sale',
      audience: '{}',
      method: 'sendMessage',
      params: '{}',
      created_by: '{}',
    };
    const state = ended_at === null ? ('running' as const) : ('done' as const);
    const row = db
      .insertInto('broadcasts')
      .values({ ...values, state, ended_at } as never)
      .returning('id');
    return (await row.executeTakeFirstOrThrow()).id;
  };
  const held = [now.id, scheduled.id, ofBroadcast.id, ofEnded.id];
  await db.updateTable('outbox').set({ state: 'held', error: 'why' }).where('id', 'in', held).execute();
  for (const [entry, endedAt] of [
    [ofBroadcast, null],
    [ofEnded, new Date()],
  ] as const) {
    await db
      .updateTable('outbox')
      .set({ broadcast_id: await broadcast(endedAt) })
      .where('id', '=', entry.id)
      .execute();
  }
  expect(await show(now.id)).toMatchObject({ state: 'held', error: 'why' });
  expect((await limited('POST', '/api/outbox/release', { body: { ids: held } })).status).toBe(200);
  await db.updateTable('outbox').set({ state: 'held', error: 'why' }).where('id', 'in', held).execute();
  const user = await api.admin('POST', '/api/auth/api-keys', { body: { name: 'no-admin', role: 'user' } });
  const asUser = restClient(api.url, (user.json as { key: string }).key);
  expect((await asUser('POST', '/api/outbox/release', { body: { ids: held } })).status).toBe(403);
  const filter = { created_by: 'admin', bot_id: bot.id };
  expect(await change('release', { filter, dry_run: true })).toMatchObject({ matched: 4, done: 0, refused: 0 });
  expect(await change('release', { filter })).toEqual({ ok: true, matched: 4, done: 4, refused: 0 });
  expect(await change('release', { ids: [...held, waiting.id] })).toMatchObject({ matched: 5, done: 0, refused: 5 });
  const shown = await Promise.all(held.map(show));
  expect(shown.map(({ state, error, send_at }) => [state, error, send_at !== undefined])).toEqual([
    ['scheduled', undefined, true],
    ['scheduled', undefined, true],
    ['scheduled', undefined, false],
    ['scheduled', undefined, true],
  ]);
  expect((await added(key)).id).toBe(now.id);
  expect(await outboxStore(db).find(now.id)).toMatchObject({ released_by: { username: 'admin' } });
  await settle(now.id, 'failed');
  expect(await change('resend', { ids: [now.id] }, asUser)).toMatchObject({ done: 1 });
  expect((await added(key)).id).toBe(now.id);
  await db.updateTable('outbox').set({ state: 'held' }).where('id', '=', now.id).execute();
  expect(await change('cancel', { ids: [now.id] })).toMatchObject({ done: 1 });
  const [audited] = (await api.admin('GET', '/api/adminlog', { query: { action: 'outbox_release' } })).json as object[];
  expect(audited).toMatchObject({ action: 'outbox_release', bot_id: bot.id, details: 'entries: 4' });
});

describe('the author of an entry', () => {
  const whyLost = async (id: number) => {
    const rights = authorRights({ db: api.database.db, clock: systemClock });
    return (await rights.lost((await outboxStore(api.database.db).find(id))!))?.why ?? null;
  };
  const post = async (path: string, body: object) => (await api.admin('POST', path, { body })).json as never;
  const tokenEntry = async () => {
    const program: { id: number } = await post('/api/programs/add', {
      bot_id: bot.id,
      name: crypto.randomUUID(),
      mode: 'pull',
    });
    const token: { id: number; token: string } = await post('/api/programs/tokens/add', {
      program_id: program.id,
      name: 't',
    });
    const answer = await add({ bot_id: undefined }, restClient(api.url, token.token));
    return { program, token, id: (answer.json as OutboxEntryResource).id };
  };
  const account = async (fields: object = {}) => {
    const body = {
      username: `u${crypto.randomUUID().slice(0, 8)}`,
      password: 'a long password',
      role: 'user',
      ...fields,
    };
    const { id }: { id: number } = await post('/api/auth/users/add', body);
    return { id, username: body.username };
  };
  const entryOf = async (createdBy: object, fields: object = {}) => {
    const { id } = await added();
    await api.database.db
      .updateTable('outbox')
      .set({ created_by: createdBy as never, ...fields })
      .where('id', '=', id)
      .execute();
    return id;
  };

  test('is a token that was revoked, or whose program is paused or gone', async () => {
    const { id, program, token } = await tokenEntry();
    expect(await whyLost(id)).toBeNull();
    await post('/api/programs/update', { id: program.id, enabled: false });
    expect(await whyLost(id)).toMatch(/program .* paused/);
    await post('/api/programs/update', { id: program.id, enabled: true });
    await api.database.db
      .updateTable('program_tokens')
      .set({ expires_at: new Date(1) })
      .where('id', '=', token.id)
      .execute();
    expect(await whyLost(id)).toMatch(/token .* expired/);
    await api.database.db.deleteFrom('program_tokens').where('id', '=', token.id).execute();
    expect(await whyLost(id)).toMatch(/token .* revoked/);
    await api.database.db.deleteFrom('programs').where('id', '=', program.id).execute();
    expect(await whyLost(id)).toMatch(/program .* deleted/);
  });

  test('is an account that lost the bot, the right to broadcast or to cost Stars, or that is gone', async () => {
    const { db } = api.database;
    const { id: accountId, username } = await account({ bot_ids: [bot.id] });
    const of = { accountId, username };
    const [plain, paid, unknown, broadcast] = [
      await entryOf(of),
      await entryOf(of, { method: 'sendInvoice' }),
      await entryOf(of, { method: 'sendHologram' }),
      await entryOf(of, { broadcast_id: 6 }),
    ];
    expect([await whyLost(plain), await whyLost(paid), await whyLost(unknown), await whyLost(broadcast)]).toEqual([
      null,
      expect.stringContaining('money'),
      expect.stringContaining('nothing is known'),
      expect.stringContaining('broadcast'),
    ]);
    await db
      .updateTable('outbox')
      .set({ released_by: { accountId: 1, username: 'admin' } })
      .where('id', '=', paid)
      .execute();
    expect(await whyLost(paid)).toBeNull();
    await db.deleteFrom('account_bots').where('account_id', '=', accountId).execute();
    expect(await whyLost(plain)).toMatch(/no right to the bot/);
    await db.deleteFrom('accounts').where('id', '=', accountId).execute();
    expect(await whyLost(plain)).toMatch(/account .* deleted/);
  });

  test('is an API key that ended, was disabled or deleted, or does not reach the bot', async () => {
    const { db } = api.database;
    const key: { id: number; key: string } = await post('/api/auth/api-keys', { name: 'soon-gone', bot_ids: [bot.id] });
    const { id } = (await add({}, restClient(api.url, key.key))).json as OutboxEntryResource;
    const ofKey = db.updateTable('api_keys').where('id', '=', key.id);
    expect(await whyLost(id)).toBeNull();
    await ofKey.set({ bot_ids: `[${other.id}]` }).execute();
    expect(await whyLost(id)).toMatch(/no right to the bot/);
    for (const ended of [{ enabled: false }, { enabled: true, expires_at: new Date(1) }]) {
      await ofKey.set({ bot_ids: `[${bot.id}]`, ...ended }).execute();
      expect(await whyLost(id)).toMatch(/key .* disabled or has expired/);
    }
    await db.deleteFrom('api_keys').where('id', '=', key.id).execute();
    expect(await whyLost(id)).toMatch(/key .* deleted/);
  });

  test('that lost the right gives way to an admin who sends the entry again, until somebody else does', async () => {
    const [gone, there] = [await tokenEntry(), await tokenEntry()];
    const ids = [gone.id, there.id];
    await api.database.db.deleteFrom('program_tokens').where('id', '=', gone.token.id).execute();
    const releasers = async () =>
      Promise.all(ids.map(async (id) => (await outboxStore(api.database.db).find(id))?.released_by ?? null));
    const { key }: { key: string } = await post('/api/auth/api-keys', { name: 'a user’s', role: 'user' });
    const user = restClient(api.url, key);
    for (const [client, released, why, details] of [
      [user, null, expect.stringContaining('revoked'), 'entries: 2'],
      [api.admin, expect.objectContaining({ username: 'admin' }), null, 'entries: 2; released: 1'],
      [user, null, expect.stringContaining('revoked'), 'entries: 2'],
    ] as const) {
      for (const id of ids) await settle(id, 'failed');
      expect(await change('resend', { ids }, client)).toMatchObject({ matched: 2, done: 2 });
      expect([await releasers(), await whyLost(gone.id)]).toEqual([[released, null], why]);
      const [audited] = (await api.admin('GET', '/api/adminlog', { query: { action: 'outbox_resend' } }))
        .json as object[];
      expect(audited).toMatchObject({ bot_id: bot.id, details });
    }
  });
});

describe('undoing a cancel', () => {
  const cancelled = async (fields: object = {}) => {
    const entry = await added(fields);
    expect(await change('cancel', { ids: [entry.id] })).toMatchObject({ done: 1 });
    return entry.id;
  };
  const restore = (...ids: number[]) => change('restore', { ids });
  const place = async (id: number) => {
    const { state, send_at } = await show(id);
    return { state, send_at };
  };

  test('lets entries wait as they did, and leaves out what is of others', async () => {
    const send_at = Math.floor(Date.now() / 1000) + 900;
    const [queued, scheduled] = [await cancelled(), await cancelled({ send_at })];
    const foreign = await cancelled({ bot_id: other.id });
    expect(await change('restore', { ids: [queued, scheduled, foreign] }, limited)).toEqual({
      ...{ ok: true, matched: 2, done: 2, refused: 0 },
    });
    expect(await place(queued)).toEqual({ state: 'queued', send_at: undefined });
    expect(await place(scheduled)).toEqual({ state: 'scheduled', send_at: new Date(send_at * 1000).toISOString() });
    expect(await place(foreign)).toMatchObject({ state: 'cancelled' });
    expect(await restore(queued)).toMatchObject({ matched: 1, done: 0, refused: 1 });
  });

  test('is refused after a minute, past the end, and when the chat went on', async () => {
    const [early, expired] = [await cancelled(), await cancelled()];
    const { db } = api.database;
    const minuteAgo = new Date(Date.now() - 61_000);
    await db.updateTable('outbox').set({ settled_at: minuteAgo }).where('id', '=', early).execute();
    await db.updateTable('outbox').set({ expires_at: new Date() }).where('id', '=', expired).execute();
    expect(await restore(early, expired)).toMatchObject({ matched: 2, done: 0, refused: 2 });
    const overtaken = await cancelled();
    const next = await added();
    await settle(next.id, 'sent');
    expect(await restore(overtaken)).toMatchObject({ matched: 1, done: 0, refused: 1 });
    const elsewhere = await cancelled({ params: { chat_id: ADA + 1, text: 'x' } });
    expect(await restore(elsewhere)).toMatchObject({ done: 1 });
  });

  test('follows a group that became a supergroup meanwhile, and is refused when that went on', async () => {
    const [group, supergroup] = [-700, -1_000_000_000_700];
    const params = { chat_id: group, text: 'x' };
    const entry = await cancelled({ params });
    const overtaken = await cancelled({ params });
    const next = await added({ params });
    await storeMove(api.database.db, { bot_id: bot.id, fromChatId: group, toChatId: supergroup }, 1);
    expect(await show(next.id)).toMatchObject({ chat_id: supergroup });
    expect(await restore(entry)).toMatchObject({ done: 1 });
    expect(await show(entry)).toMatchObject({ chat_id: supergroup });
    await settle(next.id, 'sent');
    expect(await restore(overtaken)).toMatchObject({ done: 0, refused: 1 });
  });

  test('waits for a worker that begins what stands behind, and is refused then', async () => {
    const id = await cancelled();
    const next = await added();
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const claim = await outboxTurnStore(api.database.db).claim(bot.id);
    const beginning = api.database.db.transaction().execute(async (db) => {
      expect(await outboxTurnStore(db).begin([{ id: next.id, bot_id: bot.id, claim }])).toHaveLength(1);
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    const restoring = restore(id);
    await waitFor(async () => (await waitingForLocks(api.database.db)) === 1);
    ended.resolve();
    await beginning;
    expect(await restoring).toMatchObject({ done: 0, refused: 1 });
  });
});

describe('cancelling', () => {
  test('ends what waits, refuses what has ended, and leaves out what is of others', async () => {
    const [waiting, scheduled, sent] = [
      await added(),
      await added({ send_at: Math.floor(Date.now() / 1000) + 900 }),
      await added(),
    ];
    await settle(sent.id, 'sent');
    const foreign = await added({ bot_id: other.id });
    const ids = [waiting.id, scheduled.id, sent.id, foreign.id];
    const would = { ok: true, matched: 3, done: 0, refused: 1 };
    expect(await change('cancel', { ids, dry_run: true }, limited)).toEqual(would);
    expect((await show(waiting.id)).state).toBe('queued');
    expect(await change('cancel', { ids }, limited)).toEqual({ ...would, done: 2 });
    expect(await show(waiting.id)).toMatchObject({ state: 'cancelled', settled_at: expect.any(String) });
    expect((await show(foreign.id)).state).toBe('queued');
    const [audited] = (await api.admin('GET', '/api/adminlog')).json as object[];
    expect(audited).toMatchObject({ action: 'outbox_cancel', bot_id: bot.id, details: 'entries: 2' });
  });

  test('takes a filter, which means only what waits, in portions', async () => {
    const { db } = api.database;
    const chats = Array.from({ length: 2500 }, (_, at) => at + 1);
    await queueEntries(db, { botId: bot.id, priority: 'bulk', broadcastId: 5 }, chats);
    const [newest] = await list({ broadcast_id: 5, limit: 1 });
    await settle((newest as OutboxEntryResource).id, 'failed');
    const filter = { broadcast_id: 5 };
    expect(await change('cancel', { filter, dry_run: true })).toMatchObject({ matched: 2499, done: 0, refused: 0 });
    expect(await change('cancel', { filter })).toMatchObject({ matched: 2499, done: 2499, refused: 0 });
    expect(await change('cancel', { filter })).toMatchObject({ matched: 0 });
    // Nothing that was sent can be cancelled.
    for (const dryRun of [true, false]) {
      const sent = { filter: { ...filter, state: 'sent' }, dry_run: dryRun };
      expect(await change('cancel', sent)).toMatchObject({ matched: 0, done: 0, refused: 0 });
    }
  });

  test('needs a choice', async () => {
    for (const body of [{}, { ids: [1], filter: {} }, { bot_id: bot.id, filter: { bot_id: other.id } }]) {
      expect(await api.admin('POST', '/api/outbox/cancel', { body })).toMatchObject({ status: 400 });
    }
  });
});

test('a user changes no entry of a broadcast without the right to, and resends nothing that costs Stars', async () => {
  const body = { name: 'narrow', role: 'user', bot_ids: [bot.id] };
  const { key } = (await api.admin('POST', '/api/auth/api-keys', { body })).json as { key: string };
  const user = restClient(api.url, key);
  const paid = { ...PARAMS, allow_paid_broadcast: true };
  const entries = [
    await added({ params: { ...PARAMS, allow_paid_broadcast: false } }),
    await added({ params: paid }),
    await added({ method: 'sendInvoice' }),
    await added(),
  ];
  const [ids, ofBroadcast] = [entries.map(({ id }) => id), entries.at(-1)!.id];
  await api.database.db.updateTable('outbox').set({ broadcast_id: 5 }).where('id', '=', ofBroadcast).execute();
  expect(await change('cancel', { ids: [ofBroadcast] }, user)).toMatchObject({ matched: 0 });
  expect(await change('cancel', { filter: { broadcast_id: 5 }, dry_run: true }, user)).toMatchObject({ matched: 0 });
  for (const id of ids) await settle(id, 'failed');
  expect(await change('resend', { ids }, user)).toMatchObject({ matched: 1, done: 1 });
  expect(await show(entries[0]!.id)).toMatchObject({ state: 'queued' });
  expect(await change('resend', { ids })).toMatchObject({ matched: 4, done: 3 });
});

test('what failed, expired or is in doubt is queued again as new, and nothing else is', async () => {
  const entries = [await added(), await added(), await added(), await added(), await added()];
  const [failed, expired, doubtful, sent, waiting] = entries.map(({ id }) => id) as [
    number,
    number,
    number,
    number,
    number,
  ];
  await settle(failed, 'failed');
  await settle(expired, 'expired');
  await settle(doubtful, 'in_doubt');
  await settle(sent, 'sent');
  const ids = [failed, expired, doubtful, sent, waiting];
  expect(await change('resend', { ids })).toEqual({ ok: true, matched: 5, done: 3, refused: 2 });
  const states = await Promise.all(ids.map(async (id) => (await show(id)).state));
  expect(states).toEqual(['queued', 'queued', 'queued', 'sent', 'queued']);
  expect(await show(failed)).toMatchObject({ attempts: 0 });
  expect(await show(doubtful)).not.toHaveProperty('settled_at');
  expect(await show(doubtful)).not.toHaveProperty('error');
});

test('an entry that is queued again answers its key, whatever time it had', async () => {
  const nowS = Math.floor(Date.now() / 1000);
  const content = { idempotency_key: 'again', send_at: nowS + 1, expires_at: nowS + 2 };
  const { id } = await added(content);
  await waitFor(() => Date.now() > (nowS + 2) * 1000);
  await settle(id, 'expired');
  await change('resend', { ids: [id] });
  expect(await show(id)).toMatchObject({ state: 'queued' });
  expect(await show(id)).not.toHaveProperty('expires_at');
  expect((await added(content)).id).toBe(id);
  expect((await add({ ...content, expires_at: nowS + 9 })).status).toBe(422);
});

describe('a program', () => {
  let programId: number;
  const program = async (fields: object = {}) => {
    const body = { bot_id: bot.id, name: crypto.randomUUID(), mode: 'pull', ...fields };
    programId = ((await api.admin('POST', '/api/programs/add', { body })).json as { id: number }).id;
    return programId;
  };
  const tokenOf = async (id: number, fields: object = {}): Promise<RestClient> => {
    const body = { program_id: id, name: 'app', ...fields };
    const made = await api.admin('POST', '/api/programs/tokens/add', { body });
    return restClient(api.url, (made.json as { token: string }).token);
  };

  test('hands over for its own bot, with its name and its priority, which a call may lower', async () => {
    const token = await tokenOf(await program({ priority: 'normal' }));
    const own = { bot_id: undefined };
    expect(await add(own, token)).toMatchObject({ status: 200, json: { bot_id: bot.id, priority: 'normal' } });
    expect(await add({ ...own, priority: 'bulk' }, token)).toMatchObject({ json: { priority: 'bulk' } });
    expect(await add({ ...own, priority: 'critical' }, token)).toMatchObject({ status: 403 });
    expect(await add({ bot_id: other.id }, token)).toMatchObject({ status: 403 });
    const [shown] = await list({ limit: 1 });
    expect(shown?.created_by).toBe(
      (
        await api.database.db
          .selectFrom('programs')
          .select('name')
          .where('id', '=', programId)
          .executeTakeFirstOrThrow()
      ).name,
    );
    const [audited] = (await api.admin('GET', '/api/adminlog')).json as object[];
    expect(audited).toMatchObject({ action: 'outbox_add', actor_kind: 'bot' });
    expect(await token('GET', '/api/outbox')).toMatchObject({ status: 401 });
  });

  test('keeps to the limits of its token', async () => {
    const id = await program({ priority: 'critical' });
    const token = await tokenOf(id, { methods: 'sendMessage', chats: [ADA], priority: 'bulk' });
    const own = { bot_id: undefined };
    expect(await add(own, token)).toMatchObject({ status: 200, json: { priority: 'bulk' } });
    expect(await add({ ...own, priority: 'normal' }, token)).toMatchObject({ status: 403 });
    for (const refused of [
      { method: 'sendPhoto', params: { chat_id: ADA, photo: 'AgACAgIAAxkBAAIBY2' } },
      { params: { chat_id: 7, text: 'x' } },
      { params: { chat_id: '@somewhere', text: 'x' } },
      { params: { ...PARAMS, reply_parameters: { chat_id: 7, message_id: 1 } } },
      { params: { ...PARAMS, allow_paid_broadcast: true } },
      { params: { ...PARAMS, never_heard_of: 1 } },
    ]) {
      expect([refused, await add({ ...own, ...refused }, token)]).toMatchObject([refused, { status: 403 }]);
    }
    const hologram = { ...own, method: 'sendHologram' };
    expect(await add(hologram, token)).toMatchObject({ status: 403 });
    expect(await add(hologram, await tokenOf(id, { methods: 'new', chats: [ADA] }))).toMatchObject({
      ...{ status: 200, json: { method: 'sendHologram' } },
    });
    const ofTopic = await tokenOf(id, { methods: 'send', chats: [-1_001_234], threads: [7] });
    expect(
      await add({ ...own, params: { chat_id: -1_001_234, text: 'x', message_thread_id: 7 } }, ofTopic),
    ).toMatchObject({
      status: 403,
    });
    const limitedRate = await tokenOf(id, { methods: 'send', rate: { per_minute: 1 } });
    const first = await add(own, limitedRate);
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([200, '"program-minute";q=1;w=60']);
    const second = await add(own, limitedRate);
    expect(second).toMatchObject({ status: 429 });
    const waits = second.headers.get('retry-after');
    expect(second.headers.get('ratelimit')).toBe(`"program-minute";r=0;t=${waits}`);
    await api.admin('POST', '/api/programs/update', { body: { id: programId, enabled: false } });
    expect(await add(own, token)).toMatchObject({ status: 403 });
  });

  test('does not get the entries of others by their keys', async () => {
    const token = await tokenOf(await program());
    const keyed = { idempotency_key: 'order-1729', bot_id: undefined };
    await added({ idempotency_key: 'order-1729' });
    expect(await add(keyed, token)).toMatchObject({ status: 200 });
    const mine = await add({ ...keyed, idempotency_key: 'mine' }, token);
    expect(await add({ ...keyed, idempotency_key: 'mine' }, token)).toEqual({ ...mine, headers: expect.anything() });
  });
});
