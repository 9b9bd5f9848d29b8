import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { UpdateKind } from '@flotilla/contract/bot-api/update-kinds.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { releaseChat } from '@flotilla/domain/delivery/takeover/release-chat.ts';
import { moveHold } from '@flotilla/domain/records/takeover/held-chats.ts';
import { takeOverChat } from '@flotilla/domain/records/takeover/take-over-chat.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { RedisCommands } from '@flotilla/redis/redis-commands.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { whileLocked } from '@flotilla/testing/locked-table.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const [ADA, BEN] = [501, 502];
const MISSED_AT_MOST = 1_000;

const api = testApi();
/** Stands in for workers, which accept updates. */
let worker: Context;
let bot: BotResource;
let newest = 0;

beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
  for (const id of [ADA, BEN]) await api.platform.createPerson({ id });
});
beforeEach(async () => {
  bot = await api.addBot({ long_poll_enabled: true });
  newest = 0;
  for (const chat of [ADA, BEN]) {
    await api.platform.startBot({ person: chat, bot: Number(bot.token.split(':')[0]), quietly: true });
    await storeMessages(api.database.db, bot.id, [{ chat_id: chat, id: 1, date: 1, text: 'Hello' }]);
  }
});

const nowS = () => Math.floor(Date.now() / 1000);
const message = (chat: number, text: string, fields: object = {}) => ({
  message: { message_id: 7, date: nowS(), chat: { id: chat, type: 'private' }, from: { id: chat }, text, ...fields },
});
async function accept(...contents: object[]): Promise<void> {
  const first = newest + 1;
  newest += contents.length;
  expect(await submit(first, ...contents)).toMatchObject({ outcome: 'accepted', appended: contents.length });
}
/** Hands updates over as the platform does. */
async function submit(firstId: number, ...contents: object[]) {
  await worker.directory.refresh();
  const raws = contents.map((content, at) => JSON.stringify({ update_id: firstId + at, ...content }));
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join()}]}`)!.updates;
  return acceptUpdates(withoutReserve(worker), worker.directory.byId(bot.id)!, sliced);
}

type Update = { update_id: number } & Record<string, { text?: string; data?: string } | undefined>;
/** Polls and acknowledges everything; returns the texts. */
async function poll(query: Record<string, string | number | boolean> = {}): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  for (let offset = 0; ; ) {
    const asked = { bot_id: bot.id, timeout: 0, offset, ...query };
    const answer = await api.admin('GET', '/api/updates/poll', { query: asked });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    const { result } = answer.json as { result: Update[] };
    if (result.length === 0) return texts;
    for (const { update_id: id, ...content } of result) {
      const [value] = Object.values(content);
      texts.push(value?.text ?? value?.data ?? Object.keys(content)[0]);
      offset = id + 1;
    }
  }
}

const act = (path: string, body: object = {}, client = api.admin) =>
  client('POST', `/api/chats/${path}`, { body: { bot_id: bot.id, chat_id: ADA, ...body } });
async function takeOver(body: object = {}, client: RestClient = api.admin): Promise<ChatResource> {
  const taken = await act('takeover', body, client);
  expect({ status: taken.status, text: taken.text }).toMatchObject({ status: 200 });
  return taken.json as ChatResource;
}
const release = async (deliver = false) => {
  const released = await act('release', { deliver_missed: deliver });
  expect({ status: released.status, text: released.text }).toMatchObject({ status: 200 });
  return (released.json as { delivered: number }).delivered;
};
const shown = async (chat = ADA, connection?: string) => {
  const query = { bot_id: bot.id, order: 'recent' };
  const chats = (await api.admin('GET', '/api/chats', { query })).json as ChatResource[];
  return chats.find((one) => one.id === chat && one.business_connection_id === connection);
};
const newProgram = async (fields: object): Promise<ProgramResource> => {
  const added = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, ...fields } });
  expect({ status: added.status, text: added.text }).toMatchObject({ status: 200 });
  return added.json as ProgramResource;
};
/** A new account that has the bot, with the cookie of a session. */
async function signedIn(username: string): Promise<RestClient> {
  const person = { username, password: 'a long password', bot_ids: [bot.id], must_change_password: false };
  expect((await api.admin('POST', '/api/auth/users/add', { body: person })).status).toBe(200);
  const nobody = restClient(api.url);
  const { headers } = await nobody('POST', '/api/auth/login', { body: { username, password: person.password } });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  return (method, path, call = {}) => nobody(method, path, { ...call, headers: { cookie } });
}
const audit = async () =>
  (await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id } })).json as AuditEntryResource[];

/** The decision of each kind, in an update that names the chat wherever a kind may. */
const KINDS: Record<UpdateKind, 'held' | 'passes'> = {
  message: 'held',
  edited_message: 'held',
  channel_post: 'held',
  edited_channel_post: 'held',
  business_message: 'held',
  edited_business_message: 'held',
  deleted_business_messages: 'held',
  guest_message: 'held',
  callback_query: 'held',
  message_reaction: 'held',
  message_reaction_count: 'held',
  stopped_message_generation: 'held',
  my_chat_member: 'held',
  chat_member: 'held',
  chat_join_request: 'held',
  chat_boost: 'held',
  removed_chat_boost: 'held',
  shipping_query: 'passes',
  pre_checkout_query: 'passes',
  purchased_paid_media: 'passes',
  subscription: 'passes',
  poll: 'passes',
  poll_answer: 'passes',
  inline_query: 'passes',
  chosen_inline_result: 'passes',
  business_connection: 'passes',
  managed_bot: 'passes',
  widget_query: 'held',
  shared_widget_query: 'passes',
};

/** The kinds of the updates that are kept to be delivered later. */
async function keptOfHeld(): Promise<string[]> {
  const kept = await worker.redis.commands.zrange(botKeys(bot.id).missed, '0', '-1');
  return kept.map((member) => member.split('|')[4] ?? '');
}

/** One of each kind that happens in a chat. */
const inChat = (chat: number): object[] => [
  message(chat, 'message'),
  { edited_message: message(chat, 'edited').message },
  { callback_query: { id: '1', from: { id: chat }, message: message(chat, '').message, data: 'pressed' } },
  { message_reaction: { chat: { id: chat, type: 'private' }, message_id: 7, user: { id: chat }, date: nowS() } },
  { my_chat_member: { chat: { id: chat, type: 'private' }, from: { id: chat }, date: nowS() } },
];

describe('a chat that is taken over', () => {
  test('is kept from the default poll in all that happens in it, and no other chat is', async () => {
    await accept(message(ADA, 'before'));
    const held = await takeOver({ minutes: 30 });
    expect(held).toMatchObject({ id: ADA, held_by: 'account:admin', missed: 0 });
    expect(Date.parse(held.held_until ?? '') / 1000 - nowS()).toBeGreaterThan(29 * 60);
    await accept(...inChat(ADA), message(BEN, 'of Ben'), {
      inline_query: { id: '1', from: { id: ADA }, query: 'who' },
    });
    expect(await poll()).toEqual(['before', 'of Ben', 'inline_query']);
    expect(await shown()).toMatchObject({ held_by: 'account:admin', missed: 5 });
    expect(await shown(BEN)).not.toHaveProperty('held_until');
    expect(await audit()).toMatchObject([{ action: 'chat_takeover', chat_id: ADA, details: 'for 30 min' }, {}]);
    const events = (await api.admin('GET', '/api/events', { query: { bot_id: bot.id, kinds: 'chat.held' } })).json;
    expect(events).toMatchObject([{ kind: 'chat.held', chat_id: ADA, text: expect.stringContaining(`Chat ${ADA}`) }]);
    const [{ id }] = events as [EventResource];
    const byId = async (client: RestClient) => (await client('GET', '/api/events', { query: { id } })).json;
    expect(await byId(api.admin)).toEqual(events);
    const { key } = await insertAccount(api.database.db, { username: 'elsewhere', bots: [] });
    expect(await byId(restClient(api.url, key))).toEqual([]);
  });

  test('keeps each kind of update, or lets it pass, as its decision says', async () => {
    await takeOver();
    const fields = { ...message(ADA, '').message, user: { id: ADA } };
    await accept(...Object.keys(KINDS).map((kind) => ({ [kind]: fields })));
    const held = Object.entries(KINDS).filter(([, decided]) => decided === 'held');
    expect(await keptOfHeld()).toEqual(held.map(([kind]) => kind));
  });

  test('lets through what the platform tells once: money, and what a person handed over', async () => {
    await takeOver();
    const payment = { currency: 'XTR', total_amount: 1, invoice_payload: 'sub', is_recurring: true };
    const passing = [
      ...['successful_payment', 'refunded_payment', 'gift', 'unique_gift', 'gift_upgrade_sent'],
      ...['suggested_post_paid', 'suggested_post_refunded', 'web_app_data', 'users_shared', 'chat_shared'],
      ...['write_access_allowed', 'connected_website', 'passport_data', 'managed_bot_created'],
    ];
    await accept(...passing.map((field) => message(ADA, field, { [field]: payment })));
    await accept({ business_message: { ...message(ADA, 'business').message, gift: {} } });
    const quoting = { reply_to_message: { successful_payment: payment }, refunded_payment: null };
    const held = ['contact', 'location', 'pinned_message', 'new_chat_members', 'migrate_from_chat_id'];
    await accept(message(ADA, 'about a payment', quoting));
    await accept(...held.map((field) => message(ADA, field, { [field]: {} })));
    expect(await poll()).toEqual([...passing, 'business']);
    expect((await shown())?.missed).toBe(1 + held.length);
  });

  test('is seen by programs and named consumers that ask for it, and by no other', async () => {
    const sees = { kinds: ['message', 'callback_query'], sees_held: true };
    const desk = await newProgram({ name: 'desk', ...sees });
    const refunds = await newProgram({ name: 'refunds', filter: { keyword: 'refund' }, ...sees });
    const other = await newProgram({ name: 'other' });
    await poll({ consumer: 'archive' });
    await poll({ consumer: 'watch', sees_held: true });
    await takeOver();
    await accept(message(ADA, 'a refund, please'), message(ADA, 'hello'), message(BEN, 'of Ben'));
    expect(await poll({ program_id: desk.id })).toEqual(['a refund, please', 'hello', 'of Ben']);
    expect(await poll({ program_id: refunds.id })).toEqual(['a refund, please']);
    expect(await poll({ program_id: other.id })).toEqual(['of Ben']);
    expect(await poll({ consumer: 'archive' })).toEqual(['of Ben']);
    expect(await poll({ consumer: 'watch', sees_held: true })).toEqual(['a refund, please', 'hello', 'of Ben']);
    expect((await api.admin('GET', '/api/updates/poll', { query: { bot_id: bot.id, sees_held: 'true' } })).status).toBe(
      400,
    );
    const update = await api.admin('GET', '/api/updates/show', { query: { bot_id: bot.id, update_id: 2 } });
    const outcomes = Object.fromEntries(
      (update.json as { readers: { reader: string; outcome: string }[] }).readers.map((one) => [
        one.reader,
        one.outcome,
      ]),
    );
    expect(outcomes).toMatchObject({
      pull: 'held',
      [`program:${desk.id}`]: 'delivered',
      [`program:${refunds.id}`]: 'filtered',
      [`program:${other.id}`]: 'held',
    });
  });

  test('gives what an exclusive program takes to that program only if it asks for it', async () => {
    const blind = await newProgram({ name: 'blind', exclusive: true, filter: { keyword: 'one' } });
    const sees = await newProgram({ name: 'sees', exclusive: true, filter: { keyword: 'two' }, sees_held: true });
    await takeOver();
    await accept(message(ADA, 'one'), message(ADA, 'two'), message(ADA, 'three'));
    expect(await poll({ program_id: blind.id })).toEqual([]);
    expect(await poll({ program_id: sees.id })).toEqual(['two']);
    expect(await release(true)).toBe(2);
    expect([await poll(), await poll({ program_id: blind.id }), await poll({ program_id: sees.id })]).toEqual([
      ['three'],
      ['one'],
      [],
    ]);
  });

  test('is free again when its time is over; what it missed can be delivered for another day', async () => {
    const { holds, missed } = botKeys(bot.id);
    const endAt = (chat: number, agoMs: number) =>
      worker.redis.commands.hset(holds, String(chat), `${Date.now() - agoMs} 60000 1  account:admin`);
    await takeOver();
    const press = { id: '1', from: { id: ADA }, message: message(ADA, '').message, data: 'pressed' };
    await accept(message(ADA, 'held'), { callback_query: press });
    // In the last hours of a long hold, updates and presses of its first ones would have expired.
    for (const old of await worker.redis.commands.zrange(missed, '0', '-1')) {
      await worker.redis.commands.zrem(missed, old);
      await worker.redis.commands.zadd(missed, '0', old.replace(/^(-?\d+\|\d+\|)\d+/, `$1${Date.now() - 60_000}`));
    }
    await endAt(ADA, 1);
    await accept(message(ADA, 'free'));
    expect(await poll()).toEqual(['free']);
    const ended = await shown();
    expect(ended).not.toHaveProperty('held_until');
    expect(ended).toMatchObject({ missed: 2 });
    expect(Date.parse(ended?.missed_until ?? '') - Date.now()).toBeGreaterThan(86_000_000);
    await takeOver({ chat_id: BEN });
    expect(await release(true)).toBe(1);
    expect(await poll()).toEqual(['held']);
    expect((await act('release')).status).toBe(409);
    expect(await shown()).not.toHaveProperty('missed');

    await takeOver();
    await accept(message(ADA, 'of the first'));
    await endAt(ADA, 1);
    await takeOver();
    await accept(message(ADA, 'of the second'));
    expect(await release(true)).toBe(2);
    expect(await poll()).toEqual(['of the first', 'of the second']);

    await takeOver();
    await accept(message(ADA, 'forgotten'));
    await endAt(ADA, 1);
    await release(false);
    await takeOver();
    await accept(message(ADA, 'a day ago'));
    await endAt(ADA, 86_400_001);
    expect((await act('release', { deliver_missed: true })).status).toBe(409);
    expect(await shown()).not.toHaveProperty('missed');
    await takeOver();
    expect((await shown())?.missed).toBe(0);
  });

  test('stays so with each message of a person, and of a key only if it says that a person answers', async () => {
    await takeOver({ minutes: 10 });
    const soon = Date.now() + 5_000;
    /** True if a message makes the time begin anew. */
    const renews = async (client: RestClient, fields: object = {}) => {
      await worker.redis.commands.hset(botKeys(bot.id).holds, String(ADA), `${soon} 600000 1  account:admin`);
      const body = { bot_id: bot.id, chat_id: ADA, text: 'Hello', ...fields };
      expect((await client('POST', '/api/messages/send', { body })).status).toBe(200);
      return Date.parse((await shown())?.held_until ?? '') > soon + 500_000;
    };
    const person = await signedIn(`person-${bot.id}`);
    expect(await renews(person)).toBe(true);
    expect(await renews(api.admin)).toBe(false);
    expect(await renews(api.admin, { renews_hold: true })).toBe(true);
    // A chat that nobody has taken over is not taken over by that.
    await person('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: BEN, text: 'Hello' } });
    expect(await shown(BEN)).not.toHaveProperty('held_until');
  });

  test('is answered by the bot again when Redis has lost everything', async () => {
    await takeOver();
    await worker.redis.commands.del(
      ...(Object.values(botKeys(bot.id)).filter(
        (key) => typeof key === 'string' && /hold|missed/.test(key),
      ) as string[]),
    );
    await accept(message(ADA, 'after'));
    expect(await poll()).toEqual(['after']);
  });

  test('stays so as the supergroup that a group becomes, and does not return when that is told again', async () => {
    const [group, supergroup] = [-4_100, -1_002_100_000_000];
    await storeMessages(api.database.db, bot.id, [{ chat_id: group, id: 1, date: 1, text: 'Hello' }]);
    const { held_until: until } = await takeOver({ chat_id: group, minutes: 45 });
    const migrated = {
      message: { message_id: 8, date: nowS(), chat: { id: group, type: 'group' }, migrate_to_chat_id: supergroup },
    };
    const inSupergroup = (fields: object) => ({
      message: {
        ...migrated.message,
        chat: { id: supergroup, type: 'supergroup' },
        migrate_to_chat_id: undefined,
        ...fields,
      },
    });
    await accept(message(group, 'before'), migrated, inSupergroup({ text: 'here' }));
    expect(await poll()).toEqual([]);
    expect(await shown(supergroup)).toMatchObject({ held_by: 'account:admin', held_until: until, missed: 3 });
    expect(await shown(group)).not.toHaveProperty('held_until');
    const released = await act('release', { chat_id: supergroup, deliver_missed: true });
    expect(released.json).toMatchObject({ delivered: 3 });
    await poll();
    await accept(migrated, inSupergroup({ migrate_from_chat_id: group }), inSupergroup({ text: 'after' }));
    expect(await poll()).toContain('after');
    // Whoever still names the group means the supergroup.
    expect(await takeOver({ chat_id: group })).toMatchObject({ id: supergroup, held_by: 'account:admin' });
    expect((await act('release', { chat_id: group })).status).toBe(200);
    expect(await shown(supergroup)).not.toHaveProperty('held_until');
  });

  test('stays so as a supergroup while Postgres is away', async () => {
    const [group, supergroup] = [-4_200, -1_002_200_000_000];
    await storeMessages(api.database.db, bot.id, [{ chat_id: group, id: 1, date: 1, text: 'Hello' }]);
    await takeOver({ chat_id: group });
    const migrated = message(group, '', { chat: { id: group, type: 'group' }, migrate_to_chat_id: supergroup });
    await whileLocked(api.database.db, 'chats', () => accept(migrated, message(supergroup, 'here')));
    expect(await poll()).toEqual([]);
  });

  test('ends with its chat, which the audit says, but not while Postgres refuses to delete that', async () => {
    const { holds, missed } = botKeys(bot.id);
    await takeOver();
    await accept(message(ADA, 'held'));
    await api.database.db.deleteFrom('chats').where('bot_id', '=', bot.id).where('id', '=', ADA).execute();
    expect((await act('delete')).status).toBe(404);
    expect([await worker.redis.commands.hlen(holds), await worker.redis.commands.zcard(missed)]).toEqual([1, 1]);
    await storeMessages(api.database.db, bot.id, [{ chat_id: ADA, id: 2, date: 1, text: 'Hello' }]);
    expect((await act('delete')).status).toBe(200);
    expect(await worker.redis.commands.exists(holds, missed)).toBe(0);
    const [released, deleted] = await audit();
    expect(released).toMatchObject({ action: 'chat_release', chat_id: ADA, actor_username: 'admin' });
    expect(deleted).toMatchObject({ action: 'chat_delete', chat_id: ADA });
  });

  test('belongs to those who have the bot', async () => {
    const { key } = await insertAccount(api.database.db, { username: `stranger-${bot.id}` });
    const owner = await insertAccount(api.database.db, { username: `owner-${bot.id}`, bots: [bot.id] });
    expect((await act('takeover', {}, restClient(api.url, key))).status).toBe(403);
    expect((await act('takeover', { chat_id: 999 })).status).toBe(404);
    expect(await takeOver({}, restClient(api.url, owner.key))).toMatchObject({ held_by: `account:owner-${bot.id}` });
    expect((await act('release', {}, restClient(api.url, key))).status).toBe(403);
    expect((await act('release', {}, restClient(api.url, owner.key))).status).toBe(200);
  });
});

describe('dead letters of a chat that is taken over', () => {
  const letter = (chat: number, id: number, fields: object = {}) => ({
    ...{ bot_id: bot.id, reader: 'push', update_id: id, reason: 'x', reason_code: 'refused', attempts: 1 },
    payload: JSON.stringify({ update_id: id, ...message(chat, `letter ${id}`, fields) }),
  });
  const redrive = async () =>
    (await api.admin('POST', '/api/deliveries/redrive', { body: { bot_id: bot.id, filter: {} } })).json;

  test('are not sent again before it is released, except about money', async () => {
    const letters = [letter(ADA, 1), letter(BEN, 2), letter(ADA, 3), letter(ADA, 4, { successful_payment: {} })];
    await api.database.db.insertInto('dead_letters').values(letters).execute();
    await takeOver();
    const refusals = [{ bot_id: bot.id, reader: 'push', count: 2, code: 'chat_held' }];
    expect(await redrive()).toMatchObject({ matched: 4, done: 2, refused: 2, refusals });
    expect(await poll()).toEqual(['letter 2', 'letter 4']);
    await release();
    expect(await redrive()).toMatchObject({ matched: 2, done: 2, refused: 0 });
    expect(await poll()).toEqual(['letter 1', 'letter 3']);
  });

  test('are not sent again either when their group has become a supergroup, which stays taken over', async () => {
    const [group, supergroup] = [-4_400, -1_002_400_000_000];
    await storeMessages(api.database.db, bot.id, [{ chat_id: group, id: 1, date: 1, text: 'Hello' }]);
    await takeOver({ chat_id: group });
    await accept(message(group, '', { chat: { id: group, type: 'group' }, migrate_to_chat_id: supergroup }));
    await api.database.db.insertInto('dead_letters').values(letter(group, 1)).execute();
    expect(await redrive()).toMatchObject({ matched: 1, done: 0, refused: 1, refusals: [{ code: 'chat_held' }] });
    expect((await act('release', { chat_id: supergroup })).status).toBe(200);
    expect(await redrive()).toMatchObject({ matched: 1, done: 1, refused: 0 });
  });
});

describe('a chat that is released', () => {
  test('gives its bot nothing of what was held, if nobody asks for it', async () => {
    await takeOver();
    await accept(message(ADA, 'held'));
    expect(await release()).toBe(0);
    await accept(message(ADA, 'after'));
    expect(await poll()).toEqual(['after']);
    expect(await worker.redis.commands.exists(botKeys(bot.id).missed, botKeys(bot.id).holds)).toBe(0);
  });

  test('gives its bot what was held, in order and once, under new ids, and not again to those that saw it', async () => {
    const desk = await newProgram({ name: 'desk', sees_held: true });
    const other = await newProgram({ name: 'other' });
    await poll({ consumer: 'archive' });
    await poll({ consumer: 'watch', sees_held: true });
    await takeOver();
    const texts = Array.from({ length: 250 }, (_, at) => `held ${at}`);
    for (let at = 0; at < texts.length; at += 50) {
      await accept(...texts.slice(at, at + 50).map((text) => message(ADA, text)), message(BEN, `of Ben ${at}`));
    }
    const ofBen = [0, 50, 100, 150, 200].map((at) => `of Ben ${at}`);
    expect(await poll()).toEqual(ofBen);
    expect(await release(true)).toBe(250);
    await accept(message(ADA, 'after'));
    expect(await poll()).toEqual([...texts, 'after']);
    expect((await poll({ program_id: other.id })).filter((text) => !text?.startsWith('of Ben'))).toEqual([
      ...texts,
      'after',
    ]);
    expect((await poll({ consumer: 'archive' })).filter((text) => !text?.startsWith('of Ben'))).toEqual([
      ...texts,
      'after',
    ]);
    for (const query of [{ program_id: desk.id }, { consumer: 'watch', sees_held: true }]) {
      expect((await poll(query)).filter((text) => !text?.startsWith('of Ben'))).toEqual([...texts, 'after']);
    }
    expect(await audit()).toMatchObject([
      { action: 'chat_release', details: 'what was missed was delivered: 250' },
      ...[{}, {}, {}, {}],
    ]);
  });

  test.each(['is moved', 'is released by another'])('while it %s, ends once and says so in the audit', async (what) => {
    const [group, supergroup] = [-4_300, -1_002_300_000_000];
    bot = await api.addBot({ long_poll_enabled: true, backend_url: 'http://127.0.0.1:9/' });
    await storeMessages(api.database.db, bot.id, [{ chat_id: group, id: 1, date: 1, text: 'Hello' }]);
    await takeOver({ chat_id: group });
    for (let at = 0; at < 250; at += 50) {
      await accept(...Array.from({ length: 50 }, (_, of) => message(group, `held ${at + of}`)));
    }
    const held = worker.directory.byId(bot.id)!;
    // The first that is delivered wakes push.
    const wake = async () => {
      if (what === 'is moved') await moveHold(worker, held, { fromChatId: group, toChatId: supergroup });
      else expect((await act('release', { chat_id: group, deliver_missed: true })).status).toBe(200);
    };
    const deps = { ...withoutReserve(worker), turns: { ...worker.turns, push: { ...worker.turns.push, wake } } };
    const by = { kind: 'bot', address: null } as const;
    const chat = { chat_id: group, business_connection_id: '', deliver_missed: true };
    const delivered = await releaseChat(deps, held, by, chat);
    expect(delivered).toBe(what === 'is moved' ? 250 : 100);
    expect(await poll()).toEqual(Array.from({ length: 250 }, (_, at) => `held ${at}`));
    const details = `what was missed was delivered: ${delivered}`;
    expect((await audit())[0]).toMatchObject({ action: 'chat_release', chat_id: group, details });
  });

  test('succeeds, and so does a take-over, when nobody can be told of it', async () => {
    const publish = { value: () => Promise.reject(new Error('Connection is closed.')) };
    const redis = { ...worker.redis, commands: Object.create(worker.redis.commands, { publish }) as RedisCommands };
    const deps = { ...withoutReserve(worker), redis };
    const by = { kind: 'bot', address: null } as const;
    const chat = { chat_id: ADA, business_connection_id: '' };
    await worker.directory.refresh();
    const held = worker.directory.byId(bot.id)!;
    expect(await takeOverChat(deps, held, chat, { holder: { kind: 'owner' }, minutes: 5 })).toBe(ADA);
    expect(await releaseChat(deps, held, by, { ...chat, deliver_missed: false })).toBe(0);
  });

  test('has the newest 1,000 updates, and no presses that have expired', async () => {
    await takeOver();
    const press = { id: '1', from: { id: ADA }, message: message(ADA, '').message, data: 'pressed' };
    await accept({ callback_query: press });
    const { missed } = botKeys(bot.id);
    const [old = ''] = await worker.redis.commands.zrange(missed, '0', '0');
    await worker.redis.commands.zrem(missed, old);
    await worker.redis.commands.zadd(missed, '0', old.replace(/^(-?\d+\|\d+\|)\d+/, '$11'));
    for (let at = 0; at < MISSED_AT_MOST; at += 100) {
      await accept(...Array.from({ length: 100 }, (_, of) => message(ADA, `held ${at + of}`)));
    }
    await accept(message(ADA, 'last'));
    expect((await shown())?.missed).toBe(MISSED_AT_MOST);
    await release(true);
    const got = await poll();
    expect([got.length, got[0], got.at(-1)]).toEqual([MISSED_AT_MOST, 'held 1', 'last']);
  });
});

describe('the list of chats', () => {
  const STOLEN = 'takeover-filter';
  const listed = async (query: Record<string, string | number>, client = api.admin) => {
    const answer = await client('GET', '/api/chats', { query });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return (answer.json as ChatResource[]).map(({ bot_id: botId, id }) => `${botId}:${id}`);
  };

  test.each(['id', 'recent'])('by %s finds those that are held, over all bots that the caller sees', async (order) => {
    const [first, second] = [bot, await api.addBot()];
    await storeMessages(api.database.db, second.id, [{ chat_id: ADA, id: 1, date: 2, text: 'Hello' }]);
    const { key } = await insertAccount(api.database.db, { username: `${STOLEN}-${order}`, bots: [first.id] });
    const limited = restClient(api.url, key);
    const ofFirst = { bot_id: first.id, order };
    expect(await listed({ ...ofFirst, held: 1 })).toEqual([]);
    expect(await listed({ ...ofFirst, held: 0 })).toHaveLength(2);
    await takeOver();
    await takeOver({ chat_id: BEN }, limited);
    await takeOver({ bot_id: second.id });
    const [adas, bens, others] = [`${first.id}:${ADA}`, `${first.id}:${BEN}`, `${second.id}:${ADA}`];
    const all = await listed({ order, held: 1, limit: 1_000 });
    expect(all).toEqual(expect.arrayContaining([adas, bens, others]));
    expect((await listed({ order, held: 1 }, limited)).toSorted()).toEqual([adas, bens]);
    expect(await listed({ ...ofFirst, held: 0 })).toEqual([]);
    expect(await listed({ ...ofFirst, held_by: 'me' }, limited)).toEqual([bens]);
    expect(await listed({ ...ofFirst, held_by: 'account:admin', held: 1 }, limited)).toEqual([adas]);
    expect(await listed({ ...ofFirst, held_by: 'owner' })).toEqual([]);
    const page = await api.admin('GET', '/api/chats', { query: { ...ofFirst, held: 1, limit: 1 } });
    expect([page.headers.get('x-total-count'), (page.json as unknown[]).length]).toEqual(['2', 1]);
    await release();
    expect(await listed({ ...ofFirst, held: 1 })).toEqual([bens]);
    await worker.redis.commands.zadd(botKeys(first.id).heldChats, 1, bens);
    expect(await listed({ ...ofFirst, held: 1 })).toEqual([]);
  });

  test('refuses what contradicts itself', async () => {
    const query = { held: 0, held_by: 'me' };
    expect((await api.admin('GET', '/api/chats', { query })).status).toBe(400);
  });
});

describe('the owner of a business account', () => {
  const business = (from: number, text: string, fields: object = {}) => ({
    business_message: {
      ...{
        message_id: 7,
        date: nowS(),
        business_connection_id: 'c',
        chat: { id: ADA, type: 'private' },
        from: { id: from },
      },
      ...{ text, ...fields },
    },
  });

  test('holds what comes through their own account alone: anybody may connect the bot to one', async () => {
    await accept(business(9, 'an answer'));
    const elsewhere = business(ADA, 'to another account', { business_connection_id: 'd' });
    await accept(business(ADA, 'thanks'), message(ADA, 'to the bot itself'), elsewhere);
    expect(await poll()).toEqual(['to the bot itself', 'to another account']);
    await takeOver();
    await accept(business(9, 'answered again'), message(ADA, 'to a person'));
    expect(await poll()).toEqual([]);
    expect(await shown()).toMatchObject({ held_by: 'account:admin' });
  });

  test('does not take over again a chat that was released, by an answer that the platform sends once more', async () => {
    const stored = { chat_id: ADA, id: 1, date: 1, text: 'Hello', business_connection_id: 'c' };
    await storeMessages(api.database.db, bot.id, [stored]);
    await accept(business(9, 'an answer'));
    expect(await shown(ADA, 'c')).toMatchObject({ held_by: 'owner' });
    expect((await act('release', { business_connection_id: 'c' })).status).toBe(200);
    expect(await submit(newest, business(9, 'an answer'))).toMatchObject({ appended: 0, duplicates: 1 });
    expect(await shown(ADA, 'c')).not.toHaveProperty('held_until');
  });

  test('keeps intake waiting once, however many chats they answer in while Postgres is slow', async () => {
    const answers = Array.from({ length: 50 }, (_, at) =>
      business(9, 'an answer', { chat: { id: 1_000 + at, type: 'private' } }),
    );
    await whileLocked(api.database.db, 'audit_log', () => accept(...answers));
    expect(await worker.redis.commands.hlen(botKeys(bot.id).holds)).toBe(50);
  });

  test('takes a chat over by answering in it', async () => {
    const stored = { chat_id: ADA, id: 1, date: 1, text: 'Hello', business_connection_id: 'c' };
    await storeMessages(api.database.db, bot.id, [stored]);
    await accept(business(ADA, 'a question'));
    await accept(
      business(9, 'greeting', { is_from_offline: true }),
      business(9, 'x', { sender_business_bot: { id: 1 } }),
    );
    await accept(business(9, 'old', { date: nowS() - 4_000 }));
    expect(await shown(ADA, 'c')).not.toHaveProperty('held_until');
    await accept(business(9, 'an answer'), business(ADA, 'thanks'));
    expect(await poll()).toEqual(['a question', 'greeting', 'x', 'old']);
    expect(await shown(ADA, 'c')).toMatchObject({ held_by: 'owner', missed: 2 });
    expect(await shown()).not.toHaveProperty('held_until');
    expect((await audit())[0]).toMatchObject({
      ...{ action: 'chat_takeover', actor_kind: 'bot' },
      details: 'for 60 min; the owner of the business account answered',
    });
  });
});
