import type { BroadcastAudience } from '@flotilla/contract/broadcast-audience.ts';
import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { blockedChatStore } from '../../records/chats/blocked-chat-store.ts';
import { movedGroupStore } from '../../records/moved-groups/moved-group-store.ts';
import { removalStore } from '../../records/retention/removal-store.ts';
import { advanceBroadcast } from './advance-broadcast.ts';
import { countAudience } from './audience.ts';
import { readAudienceChoices } from './audience-choices.ts';
import { countsOf } from './broadcast.ts';
import { broadcastEntryStore } from './broadcast-entry-store.ts';
import { broadcastStore } from './broadcast-store.ts';
import { chatListStore } from './chat-list-store.ts';
import { MOST_RELEASED } from './release-entries.ts';

const ALL: BroadcastAudience = { chat_types: ['private', 'group', 'supergroup', 'channel'], exclude_blocked: true };
const PRIVATE: BroadcastAudience = { chat_types: ['private'], exclude_blocked: true };

let database: TestDatabase;
let bot_id: number;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  bot_id = await storedBot(database.db);
});

const deps = () => ({ db: database.db, clock: systemClock });

/** Chats that the bot knows, by kind and last message of others. */
async function chat(
  id: number,
  fields: { type?: string; writtenS?: number | null; blocked?: boolean; migratedTo?: number; of?: number } = {},
) {
  const { type = id > 0 ? 'private' : 'group', writtenS = 1_780_000_000, blocked = false, migratedTo = null } = fields;
  await database.db
    .insertInto('chats')
    .values({
      ...{ bot_id: fields.of ?? bot_id, id, type, last_incoming_date: writtenS, migrated_to_chat_id: migratedTo },
      ...{ last_incoming_id: writtenS === null ? null : 1, blocked_at: blocked ? new Date() : null },
    })
    .execute();
}
async function people(count: number) {
  await sql`
    insert into chats (bot_id, id, type, last_incoming_date, last_incoming_id)
    select ${bot_id}, id, 'private', 1780000000, 1 from generate_series(1, ${count}::bigint) as id`.execute(
    database.db,
  );
}

const added = (
  audience: BroadcastAudience,
  fields: { perSecond?: number; sendAt?: Date; params?: Broadcast['params'] } = {},
): Promise<Broadcast> =>
  broadcastStore(database.db).insert({
    ...{
      bot_id,
      name: 'News',
      audience,
      method: 'sendMessage',
      params: fields.params ?? { text: 'Hi' },
      messages: 1,
    },
    ...{
      needs_new_worker: false,
      per_second: fields.perSecond ?? null,
      send_at: fields.sendAt ?? null,
      created_by: { username: 'grace' },
    },
  });
const shown = async (id: number) => {
  const broadcast = (await broadcastStore(database.db).find(id))!;
  return { ...broadcast, counts: countsOf(broadcast) };
};

/** Goes on until it waits for the outbox. */
async function advanced(id: number): ReturnType<typeof shown> {
  for (let step = 0; step < 1_000; step += 1) {
    if (!(await advanceBroadcast(deps(), id))?.more) break;
  }
  return shown(id);
}

type State = 'scheduled' | 'queued' | 'sending' | 'sent' | 'failed' | 'in_doubt' | 'cancelled' | 'expired';
async function chatsOf(id: number, ...states: State[]): Promise<number[]> {
  let entries = database.db.selectFrom('outbox').select('chat_id').where('broadcast_id', '=', id).orderBy('id');
  if (states.length > 0) entries = entries.where('state', 'in', states);
  return (await entries.execute()).map((row) => row.chat_id);
}
/** What an owner of the outbox does with those that are queued. */
async function settle(id: number, state: State, { code = null as number | null, limit = 1_000 } = {}) {
  const isSettled = !['scheduled', 'queued', 'sending'].includes(state);
  await sql`
    update outbox set state = ${state}, error_code = ${code}, settled_at = ${isSettled ? new Date() : null} where id in (
      select id from outbox where broadcast_id = ${id} and state in ('queued', 'sending') order by id limit ${limit})`.execute(
    database.db,
  );
}

describe('An audience', () => {
  const sizeOf = (audience: BroadcastAudience) => countAudience(database.db, bot_id, audience);
  const reached = async (audience: BroadcastAudience) => {
    const { id, counts } = await advanced((await added(audience)).id);
    const chats = await chatsOf(id);
    expect({ total: counts.total, counted: (await sizeOf(audience)).total }).toEqual({
      ...{ total: chats.length, counted: chats.length },
    });
    return chats.toSorted((a, b) => a - b);
  };

  test('has people who wrote, and groups and channels that the bot is in, of this bot alone', async () => {
    await chat(5);
    await chat(6, { writtenS: null });
    await chat(-7);
    await chat(-8, { type: 'supergroup', writtenS: null });
    await chat(-9, { type: 'channel' });
    await chat(-10, { migratedTo: -8 });
    await chat(11, { of: await storedBot(database.db) });
    expect(await reached(ALL)).toEqual([-9, -8, -7, 5]);
    expect(await reached(PRIVATE)).toEqual([5]);
    expect(await reached({ ...ALL, chat_types: ['channel', 'group'] })).toEqual([-9, -7]);
  });

  test('leaves out who blocked the bot unless it is asked for, and groups that the bot left in any case', async () => {
    await chat(5);
    await chat(6, { blocked: true });
    await chat(-7, { blocked: true });
    expect(await reached(ALL)).toEqual([5]);
    expect(await sizeOf(ALL)).toEqual({ total: 1, blocked: 2 });
    expect(await reached({ ...ALL, exclude_blocked: false })).toEqual([5, 6]);
    expect(await reached({ chat_ids: [5, 6, -7], exclude_blocked: false })).toEqual([5, 6]);
  });

  test('names chats one by one: those that the bot does not know are left out', async () => {
    await chat(5);
    await chat(6);
    await chat(-7);
    expect(await reached({ chat_ids: [-7, 6, 6, 999], exclude_blocked: true })).toEqual([-7, 6]);
    expect(await reached({ chat_ids: [-7, 6], chat_types: ['private'], exclude_blocked: true })).toEqual([6]);
    expect(await reached({ chat_ids: [], exclude_blocked: true })).toEqual([]);
  });

  test('may be a list, by pages of which each chat comes once, also by way of a group that became a supergroup', async () => {
    for (const id of [5, 6]) await chat(id);
    await chat(-1_007, { type: 'supergroup' });
    await chat(-7, { migratedTo: -1_007 });
    const lists = chatListStore(database.db);
    const list = await lists.insert({ name: 'Customers', account_id: null, created_by: 'grace' });
    await lists.append(list.id, [999, 6, -7, 6]);
    await lists.append(list.id, [6, -1_007]);
    expect(await lists.find('all', list.id)).toMatchObject({ size: 4 });
    expect(await sizeOf({ list_id: list.id, exclude_blocked: true })).toEqual({ total: 2, blocked: 0 });
    expect(await reached({ list_id: list.id, exclude_blocked: true })).toEqual([-1_007, 6]);
    expect(await reached({ list_id: list.id, chat_types: ['private'], exclude_blocked: true })).toEqual([6]);
  });

  test('may be the chats that did not get another broadcast, all or for one reason', async () => {
    await people(6);
    const former = await added(PRIVATE);
    await advanced(former.id);
    await settle(former.id, 'failed', { limit: 2, code: 400 });
    await sql`update outbox set error = 'chat not found' where broadcast_id = ${former.id} and chat_id = 1`.execute(
      database.db,
    );
    await settle(former.id, 'in_doubt', { limit: 1 });
    await settle(former.id, 'sent');
    const of = (fields: object) =>
      reached({ failures_of: { broadcast_id: former.id, ...fields }, exclude_blocked: true });
    expect(await of({})).toEqual([1, 2]);
    expect(await of({ error: 'chat not found' })).toEqual([1]);
    expect(await of({ state: 'in_doubt' })).toEqual([3]);
    const failed = await broadcastEntryStore(database.db).failedAfter(former.id, {}, 1, 10);
    expect(failed).toEqual([expect.objectContaining({ chat_id: 2, state: 'failed', error_code: 400 })]);
  });

  test('may be people whose app has a language, and chats that were silent since a time', async () => {
    for (const [id, language] of [
      [5, 'pt-BR'],
      [6, 'PT'],
      [7, 'en'],
      [8, null],
    ] as const) {
      await chat(id, { writtenS: id * 1_000 });
      const user = { bot_id, chat_id: id, user_id: id, language_code: language };
      await database.db
        .insertInto('chat_users')
        .values({ ...user, username: null, first_name: null, last_name: null, search: null })
        .execute();
    }
    expect(await reached({ ...ALL, language_codes: ['pt', 'e'] })).toEqual([5, 6]);
    expect(await reached({ ...ALL, language_codes: ['pt-br', 'EN'] })).toEqual([5, 7]);
    expect(await reached({ ...ALL, inactive_since: new Date(7_000_000).toISOString() })).toEqual([5, 6]);
    expect(await readAudienceChoices(deps(), { bot_id, q: '' })).toEqual({
      tags: [],
      languages: [
        { language_code: 'pt', people: 2 },
        { language_code: 'en', people: 1 },
      ],
    });
  });

  test('may be people with a tag, in whatever chat they got it, and chats with a late message of others', async () => {
    for (const id of [5, 6, 7]) await chat(id, { writtenS: id * 1_000 });
    await chat(-8, { writtenS: 9_000 });
    const tag = (user: number, chatId: number, name: string) =>
      database.db
        .insertInto('tags')
        .values({ bot_id, chat_id: chatId, user_id: user, tag: name, color: '#000000' })
        .execute();
    await tag(5, -8, 'vip');
    await tag(6, 6, 'vip');
    await tag(7, 7, 'other');
    expect(await reached({ ...ALL, tags: ['VIP', 'none'] })).toEqual([5, 6]);
    expect(await readAudienceChoices(deps(), { bot_id, q: 'VI' })).toMatchObject({
      tags: [{ tag: 'vip', people: 2 }],
    });
    expect(await reached({ ...ALL, tags: [] })).toEqual([]);
    const since = new Date(6_000_000).toISOString();
    expect(await reached({ ...ALL, active_since: since })).toEqual([-8, 6, 7]);
    expect(await reached({ ...ALL, active_since: since, tags: ['vip'] })).toEqual([6]);
  });

  test('has no chat that the bot knows through a business account only', async () => {
    await chat(5);
    await chat(6);
    await chat(7);
    await storeMessages(database.db, bot_id, [
      { chat_id: 5, id: 1, date: 1_780_000_000, text: 'to the account', business_connection_id: 'c1' },
      { chat_id: 6, id: 1, date: 1_780_000_000, text: 'to the account', business_connection_id: 'c1' },
      { chat_id: 6, id: 2, date: 1_780_000_000, text: 'to the bot' },
    ]);
    // Of the third, retention removed all messages.
    expect(await reached(ALL)).toEqual([6, 7]);
  });
});

describe('Names in a text', () => {
  test('are those of the person, or the fallback, and are escaped; a chat of many has none', async () => {
    await chat(5);
    await chat(6);
    await chat(-7);
    const names = { first_name: 'Tom & <Co>', username: null };
    await database.db.updateTable('chats').set(names).where('bot_id', '=', bot_id).where('id', '=', 5).execute();
    await database.db
      .updateTable('chats')
      .set({ first_name: 'Group' })
      .where('bot_id', '=', bot_id)
      .where('id', '=', -7)
      .execute();
    const text = '<b>Hi {first_name|<i>friend</i>}</b>, {username|you}{last_name}!';
    const { id } = await added(ALL, { params: { text, parse_mode: 'HTML' } });
    expect(await advanced(id)).toMatchObject({ made: true, counts: { total: 3 } });
    const entries = database.db.selectFrom('outbox').select('params').where('broadcast_id', '=', id).orderBy('chat_id');
    expect((await entries.execute()).map(({ params }) => params.text)).toEqual([
      '<b>Hi <i>friend</i></b>, you!',
      '<b>Hi Tom &#38; &#60;Co&#62;</b>, you!',
      '<b>Hi <i>friend</i></b>, you!',
    ]);
  });

  test('are made in steps, and by nobody of the release before', async () => {
    await people(1_200);
    const { id } = await added(PRIVATE, { params: { text: 'Hi {first_name|friend}' } });
    await database.db.updateTable('broadcasts').set({ needs_new_worker: true }).where('id', '=', id).execute();
    await expect(broadcastStore(database.db).change(id, { after_chat_id: 500 })).rejects.toThrow('newer release');
    await expect(broadcastStore(database.db).change(id, { made: true })).rejects.toThrow('newer release');
    expect(await advanceBroadcast(deps(), id)).toMatchObject({ more: true, broadcast: { total: 500, made: false } });
    expect(await advanced(id)).toMatchObject({ made: true, counts: { total: 1_200 } });
    const cancelled = await added(PRIVATE);
    await database.db
      .updateTable('broadcasts')
      .set({ needs_new_worker: true })
      .where('id', '=', cancelled.id)
      .execute();
    await broadcastStore(database.db).change(cancelled.id, { state: 'cancelled', made: true });
  });
});

describe('A broadcast', () => {
  test('makes its entries in steps, in the order of chats, and releases some of them', async () => {
    await people(9_000);
    const { id } = await added(PRIVATE);
    const first = await advanceBroadcast(deps(), id);
    expect(first).toMatchObject({ more: true, released: MOST_RELEASED, broadcast: { made: false } });
    expect(await advanced(id)).toMatchObject({ state: 'running', made: true, counts: { total: 9_000, queued: 9_000 } });
    const chats = await chatsOf(id);
    expect(chats).toEqual(Array.from({ length: 9_000 }, (_, at) => at + 1));
    expect(await chatsOf(id, 'queued')).toEqual(chats.slice(0, MOST_RELEASED));
    const entry = database.db.selectFrom('outbox').selectAll().where('broadcast_id', '=', id).orderBy('id', 'desc');
    expect(await entry.limit(1).executeTakeFirst()).toMatchObject({
      ...{ bot_id, method: 'sendMessage', params: { text: 'Hi' }, priority: 'bulk', send_at: null },
      created_by: { username: 'grace' },
    });
  });

  test('is taken over where it was left, without a second entry for a chat', async () => {
    await people(9_000);
    const { id } = await added(PRIVATE);
    await advanceBroadcast(deps(), id);
    // A worker that was killed lost its transaction; even a cursor of before, as of a backup, makes no second entry.
    const killed = database.db.transaction().execute(async (db) => {
      await broadcastEntryStore(db).makeNext(await shown(id), 4_000);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    await broadcastStore(database.db).change(id, { after_chat_id: 2_000 });
    expect(await advanced(id)).toMatchObject({ made: true, counts: { total: 9_000 } });
    expect(await chatsOf(id)).toHaveLength(9_000);
  });

  test('is worked on by one worker at a time', async () => {
    await people(10);
    const { id } = await added(PRIVATE);
    await database.db.transaction().execute(async (db) => {
      await broadcastStore(db).lock(id);
      expect(await advanceBroadcast(deps(), id)).toBeNull();
    });
    expect(await advanceBroadcast(deps(), id)).toMatchObject({ more: true });
  });

  test('counts what becomes of its entries, and is done with the last one', async () => {
    await people(7);
    const { id } = await added(PRIVATE);
    await advanced(id);
    await settle(id, 'sent', { limit: 2 });
    await settle(id, 'failed', { limit: 1, code: 403 });
    await settle(id, 'failed', { limit: 1, code: 400 });
    await settle(id, 'in_doubt', { limit: 1 });
    await settle(id, 'expired', { limit: 1 });
    const counts = { total: 7, queued: 1, sent: 2, failed: 2, blocked: 1, in_doubt: 1, cancelled: 0 };
    expect(await advanced(id)).toMatchObject({ state: 'running', counts });
    await settle(id, 'sent');
    expect(await advanced(id)).toMatchObject({
      ...{ state: 'done', ended_at: expect.any(Date), counts: { ...counts, queued: 0, sent: 3 } },
    });
    const events = database.db.selectFrom('events').select(['kind', 'text']).where('bot_id', '=', bot_id);
    expect(await events.execute()).toEqual([
      {
        kind: 'broadcast.done',
        text: `Broadcast ${id}, News: sent to 3 of 7 chats; failed: 2; blocked: 1; in_doubt: 1`,
      },
    ]);
    // The late answer of one that was in doubt is the truth; one that failed is queued again by hand.
    await sql`update outbox set state = 'sent' where broadcast_id = ${id} and state = 'in_doubt'`.execute(database.db);
    await sql`update outbox set state = 'queued', settled_at = null, error_code = null
      where broadcast_id = ${id} and error_code = 400`.execute(database.db);
    expect((await shown(id)).counts).toMatchObject({ sent: 4, failed: 1, in_doubt: 0, queued: 1 });
  });

  test('without chats is done at once', async () => {
    const { id } = await added(PRIVATE);
    expect(await advanced(id)).toMatchObject({ state: 'done', counts: { total: 0 } });
  });

  test('begins at its time', async () => {
    await people(3);
    const { id } = await added(PRIVATE, { sendAt: new Date(Date.now() + 3_600_000) });
    const unfinished = async () => (await broadcastStore(database.db).unfinished()).find((one) => one.id === id);
    await broadcastStore(database.db).beginDue();
    expect(await unfinished()).toEqual({ id, state: 'scheduled', isDue: false });
    expect(await advanced(id)).toMatchObject({ state: 'scheduled', started_at: null, counts: { total: 0 } });
    await broadcastStore(database.db).change(id, { send_at: new Date(Date.now() - 1_000) });
    expect(await unfinished()).toEqual({ id, state: 'scheduled', isDue: true });
    await broadcastStore(database.db).beginDue();
    expect(await unfinished()).toEqual({ id, state: 'running', isDue: false });
    expect(await advanced(id)).toMatchObject({ state: 'running', started_at: expect.any(Date), counts: { total: 3 } });
  });

  test('releases no more than its own pace allows', async () => {
    await people(100);
    const { id } = await added(PRIVATE, { perSecond: 5 });
    await advanced(id);
    expect((await chatsOf(id, 'queued')).length).toBeLessThanOrEqual(10);
    await database.db.updateTable('broadcasts').set({ released_to: new Date() }).where('id', '=', id).execute();
    await settle(id, 'sent');
    const clock = { nowMs: () => Date.now() + 1_000 };
    expect(await advanceBroadcast({ ...deps(), clock }, id)).toMatchObject({ released: 5 });
  });

  test('is told to those who watch when it got further, once a second over all workers, and at its end', async () => {
    await people(10);
    const { id } = await added(PRIVATE);
    const news = async (atMs = Date.now()) =>
      (await advanceBroadcast({ ...deps(), clock: { nowMs: () => atMs } }, id))?.isNews;
    const startMs = Date.now();
    expect([await news(startMs), await news(startMs + 5_000)]).toEqual([true, false]);
    await settle(id, 'sent', { limit: 4 });
    expect([await news(startMs + 900), await news(startMs + 1_100), await news(startMs + 1_500)]).toEqual([
      ...[false, true, false],
    ]);
    await settle(id, 'sent');
    expect([await news(startMs + 1_600), await news(startMs + 9_000)]).toEqual([true, undefined]);
  });

  test('of a disabled bot releases nothing', async () => {
    await people(3);
    await database.db.updateTable('bots').set({ disabled: true }).where('id', '=', bot_id).execute();
    const { id } = await added(PRIVATE);
    await advanced(id);
    expect(await chatsOf(id, 'queued')).toEqual([]);
  });

  test('that was cancelled cancels what waits, in steps, and leaves what is being sent', async () => {
    await people(9_000);
    const { id } = await added(PRIVATE);
    await advanced(id);
    await settle(id, 'sent', { limit: 10 });
    await settle(id, 'sending', { limit: 1 });
    await broadcastStore(database.db).change(id, { state: 'cancelled', made: true });
    expect(await advanced(id)).toMatchObject({
      ...{ state: 'cancelled', ended_at: null },
      counts: { total: 9_000, sent: 10, cancelled: 8_989, queued: 1 },
    });
    await settle(id, 'sent');
    expect(await advanced(id)).toMatchObject({ ended_at: expect.any(Date), counts: { sent: 11, queued: 0 } });
  });

  test('follows a group that becomes a supergroup, and writes there once', async () => {
    await chat(-7);
    await chat(-8);
    const waiting = await added(
      { chat_ids: [-8, -7], exclude_blocked: true },
      { sendAt: new Date(Date.now() + 60_000) },
    );
    const made = await added(ALL);
    await advanced(made.id);
    const store = movedGroupStore(database.db);
    const move = { bot_id, fromChatId: -7, toChatId: -1_007 };
    expect([await store.moveSends(move), await store.moveAudiences(move)]).toEqual([1, 1]);
    expect(await chatsOf(made.id)).toEqual([-8, -1_007]);
    expect((await shown(waiting.id)).audience.chat_ids?.toSorted((a, b) => a - b)).toEqual([-1_007, -8]);
    // Of a supergroup that has an entry already, that of the group stays where the platform refuses it.
    expect(await store.moveSends({ bot_id, fromChatId: -8, toChatId: -1_007 })).toBe(0);
  });

  test('is removed some months after it ended, and with its bot', async () => {
    const { id } = await added(PRIVATE);
    const kept = await added(PRIVATE);
    await broadcastStore(database.db).change(id, { ended_at: new Date('2024-01-01T00:00Z') });
    await removalStore(database.db).removeBroadcastsBefore(new Date('2024-02-01T00:00Z'), 100);
    expect([await broadcastStore(database.db).find(id), await broadcastStore(database.db).find(kept.id)]).toEqual([
      ...[null, expect.anything()],
    ]);
    await database.db.deleteFrom('bots').where('id', '=', bot_id).execute();
    expect(await broadcastStore(database.db).find(kept.id)).toBeNull();
  });
});

test('a pause takes back what was released and is not begun', async () => {
  await people(1_000);
  const { id } = await added(PRIVATE);
  await advanced(id);
  await settle(id, 'sending', { limit: 3 });
  const locked = await database.db.transaction().execute(async (db) => {
    // An owner of the outbox just begins one.
    await sql`select from outbox where broadcast_id = ${id} and state = 'queued' order by id limit 1 for update`.execute(
      db,
    );
    return broadcastEntryStore(database.db).hold(id, 2_000);
  });
  expect(locked).toBe(MOST_RELEASED - 4);
  expect(await broadcastEntryStore(database.db).countReleased(id)).toBe(4);
  const times = database.db.selectFrom('outbox').select(['state', 'send_at']).where('broadcast_id', '=', id).distinct();
  expect(new Map((await times.execute()).map((row) => [row.state, row.send_at !== null]))).toEqual(
    new Map([
      ['sending', true],
      ['queued', true],
      ['scheduled', false],
    ]),
  );
});

test('what comes back to the queue of a paused broadcast is taken back, too', async () => {
  await people(3);
  const [{ id }, running] = [await added(PRIVATE), await added(PRIVATE)];
  await advanced(id);
  await advanced(running.id);
  await broadcastStore(database.db).change(id, { state: 'paused' });
  // The platform had the one that was being sent wait, and somebody resent the others.
  await sql`update outbox set state = 'queued', settled_at = null where broadcast_id = ${id}`.execute(database.db);
  await broadcastEntryStore(database.db).holdOfPaused(2);
  expect(await chatsOf(id, 'queued')).toHaveLength(1);
  await broadcastEntryStore(database.db).holdOfPaused(2);
  expect(await chatsOf(id, 'scheduled')).toEqual([1, 2, 3]);
  expect(await chatsOf(running.id, 'queued')).toEqual([1, 2, 3]);
});

test('who was blocked is skipped by the next broadcast', async () => {
  await people(2);
  await blockedChatStore(database.db).note({ bot_id, chat_id: 1 });
  const { id } = await advanced((await added(PRIVATE)).id);
  expect(await chatsOf(id)).toEqual([2]);
});
