import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ADMIN_KEY = 'flt_system-tests-admin-key-0123456789';
const PEOPLE = 60;
const PATIENCE = { timeoutMs: 60_000 };

let fleet: Fleet;
let bot: FleetBot;
let people: number[] = [];

/** People who wrote to the bot, which the history knows. */
beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  bot = await fleet.addBot({ proxy_enabled: true });
  people = await Promise.all(
    Array.from({ length: PEOPLE }, async () => {
      const { id } = await fleet.control.createPerson({});
      await fleet.control.sendMessage({ person: id, bot: bot.platformId, text: 'Hello' });
      return id;
    }),
  );
  await waitFor(async () => (await chats()).length === PEOPLE, PATIENCE);
}, 90_000);
afterAll(() => fleet?.stop(), 60_000);

const chats = () => fleet.rest<ChatResource[]>(`/api/chats?bot_id=${bot.id}&limit=1000`);
const begin = (text: string, fields: object = {}) =>
  fleet.rest<BroadcastResource>('/api/broadcasts/add', {
    ...{ bot_id: bot.id, name: text, audience: { chat_types: ['private'] } },
    ...{ method: 'sendMessage', params: { text } },
    ...fields,
  });
const shown = (id: number) => fleet.rest<BroadcastResource>(`/api/broadcasts/show?id=${id}`);
const act = (name: 'pause' | 'resume' | 'cancel', id: number) =>
  fleet.rest<BroadcastResource>(`/api/broadcasts/${name}`, { id });
const when = (id: number, is: (broadcast: BroadcastResource) => boolean, message: string) =>
  waitFor(
    async () => {
      const broadcast = await shown(id);
      return is(broadcast) && broadcast;
    },
    { ...PATIENCE, message },
  ) as Promise<BroadcastResource>;
const done = (id: number) => when(id, ({ state }) => state === 'done', 'the broadcast being done');

/** The people who were sent this text, in that order. */
async function sentTo(text: string): Promise<number[]> {
  const { calls } = await fleet.control.readCalls({ bot: bot.platformId, method: 'sendMessage' });
  return calls.filter(({ params }) => params.text === text).map(({ params }) => Number(params.chat_id));
}
const sorted = (ids: number[]) => ids.toSorted((one, other) => one - other);

test('everybody of the audience that was counted gets it once, and whoever watches sees how far it is', async () => {
  const live = await openLive(fleet.url, `bot:${bot.id}`, { key: ADMIN_KEY });
  const counted = await begin('News', { dry_run: true });
  expect(counted.counts).toMatchObject({ total: PEOPLE, blocked: 0 });
  const { id } = await begin('News');
  const { counts } = await done(id);
  expect(counts).toEqual({ total: PEOPLE, queued: 0, sent: PEOPLE, failed: 0, blocked: 0, in_doubt: 0, cancelled: 0 });
  expect(sorted(await sentTo('News'))).toEqual(sorted(people));
  const told = await waitFor(() => live.named('broadcast').findLast(({ data }) => data.state === 'done'));
  expect(told).toMatchObject({ data: { bot_id: bot.id, id, counts: { sent: PEOPLE } } });
  live.close();
  const [event] = await fleet.rest<EventResource[]>(`/api/events?bot_id=${bot.id}&kinds=broadcast.done`);
  expect(event?.text).toBe(`Broadcast ${id}, News: sent to ${PEOPLE} of ${PEOPLE} chats`);
}, 90_000);

type Sent = { message_id: number };
/** How people who look after chats find them: what waits, what is unread, in their order. */
const desk = async () => {
  const listed = await fleet.rest<ChatResource[]>(`/api/chats?bot_id=${bot.id}&order=recent&limit=200`);
  return listed.map(({ id, awaits_answer: awaits, unread }) => ({ id, awaits, unread }));
};
const lastOf = async (id: number) =>
  (await fleet.rest<ChatResource>(`/api/chats/show?bot_id=${bot.id}&chat_id=${id}`)).last_message;
/** A person hands over what goes out later. */
async function sendLater(chat: number, text: string): Promise<void> {
  const person = { username: 'grace', password: 'a long password', bot_ids: [bot.id], must_change_password: false };
  await fleet.rest('/api/auth/users/add', person);
  const nobody = restClient(fleet.url);
  const { headers } = await nobody('POST', '/api/auth/login', {
    body: { username: person.username, password: person.password },
  });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const body = { bot_id: bot.id, method: 'sendMessage', params: { chat_id: chat, text } };
  expect((await nobody('POST', '/api/outbox/add', { body, headers: { cookie } })).status).toBe(200);
}
const handOver = (chat: number, text: string, fields: object = {}) =>
  fleet.rest('/api/outbox/add', {
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: chat, text, ...fields } },
  });

/** A rule brings a message of the customer to a group; a colleague replies to it there, and the reply goes back. */
async function replyBack(
  group: number,
  { customer, colleague }: Record<'customer' | 'colleague', number>,
): Promise<void> {
  const rule = { source_bot_id: bot.id, target_bot_id: bot.id, target_chat_id: group, action: 'copy' };
  await fleet.rest('/api/routes/add', { ...rule, condition_type: 'keyword', condition_value: 'operator' });
  await fleet.control.sendMessage({ person: customer, bot: bot.platformId, text: 'An operator, please' });
  const copy = async () =>
    (await fleet.control.readChat({ chat: group })).messages.find(({ text }) => text === 'An operator, please');
  const copied = (await waitFor(copy, { ...PATIENCE, message: 'the copy' })) as Sent;
  await fleet.control.sendMessage({ person: colleague, chat: group, text: 'Here I am', replyTo: copied.message_id });
  await waitFor(async () => (await lastOf(customer))?.text === 'Here I am', { ...PATIENCE, message: 'the reply' });
}

test('a broadcast, a rule and what a key hands over answer nobody: who waits goes on waiting, unread, in their place', async () => {
  const texts = new Map<number, number>();
  for (const person of people.slice(0, 30)) {
    const { messageId } = await fleet.control.sendMessage({ person, bot: bot.platformId, text: 'Where is my order?' });
    texts.set(person, messageId);
  }
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = people;
  const waiting = async () => (await desk()).filter(({ awaits }) => awaits);
  await waitFor(
    async () =>
      (await waiting()).length >= 30 &&
      (await Promise.all(people.slice(0, 30).map(lastOf))).every((last) => last?.text === 'Where is my order?'),
    PATIENCE,
  );
  const before = await desk();
  const { id } = await begin('Sale');
  await done(id);
  await handOver(first, 'Reminder');
  const rule = { source_bot_id: bot.id, target_bot_id: bot.id, target_chat_id: second, action: 'copy' };
  const { id: ruleId } = await fleet.rest<{ id: number }>('/api/routes/add', {
    ...{ ...rule, condition_type: 'keyword', condition_value: 'pass' },
  });
  const group = (await fleet.control.createChat({ type: 'supergroup', admins: [{ bot: bot.platformId }] })).id;
  await fleet.control.sendMessage({ person: third, chat: group, text: 'pass this on' });
  const labels = async () => {
    const last = await Promise.all([first, second, third].map(lastOf));
    return last.map((message) => message?.automatic);
  };
  const kinds = async () => (await labels()).map((label) => label?.kind).join();
  await waitFor(async () => (await kinds()) === 'outbox,rule,broadcast', { ...PATIENCE, message: 'the labels' });
  const broadcast = { kind: 'broadcast', id, name: 'Sale' };
  expect(await labels()).toEqual([
    { kind: 'outbox', name: expect.any(String) },
    { kind: 'rule', id: ruleId },
    broadcast,
  ]);
  await waitFor(async () => (await lastOf(people[29] ?? 0))?.automatic, { ...PATIENCE, message: 'the last chat' });
  expect((await desk()).filter(({ id: chat }) => chat !== group)).toEqual(before);
  await fleet.rest('/api/routes/delete', { id: ruleId });

  // The bot's own program answers by the proxy, a person also later, and whoever replies to a message answers it.
  const sent = await fleet.rest<{ result: Sent }>(`/tgapi/bot${bot.token}/sendMessage`, {
    chat_id: first,
    text: 'It is on its way',
  });
  expect(sent).toMatchObject({ ok: true });
  await sendLater(fourth, 'I looked it up');
  await replyBack(group, { customer: fifth, colleague: third });
  await handOver(second, 'Tomorrow', { reply_parameters: { message_id: texts.get(second) } });
  const awaits = async (chat: number) => (await desk()).find((one) => one.id === chat);
  await waitFor(
    async () => (await Promise.all([first, second, fourth, fifth].map(awaits))).every((one) => one?.awaits === false),
    { ...PATIENCE, message: 'the answers' },
  );
  expect(await awaits(third)).toEqual(before.find((one) => one.id === third));
}, 120_000);

test('a pause holds at once, while other messages of the bot go out; it goes on where it was', async () => {
  const { id } = await begin('Paused', { per_second: 5 });
  await when(id, ({ counts }) => counts.sent >= 3, 'some messages');
  expect(await act('pause', id)).toMatchObject({ state: 'paused' });
  const query = `/api/outbox?bot_id=${bot.id}&broadcast_id=${id}`;
  const list = (state: string) => fleet.rest<OutboxEntryResource[]>(`${query}&state=${state}`);
  await waitFor(async () => (await list('sending')).length === 0, { message: 'the last answers' });
  const before = (await sentTo('Paused')).length;
  expect(before).toBeLessThan(PEOPLE);
  // The owner of the outbox is at work all the while.
  const other = await fleet.rest<OutboxEntryResource>('/api/outbox/add', {
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: people.at(-1), text: 'Beside' }, priority: 'bulk' },
  });
  const isSent = async () =>
    (await fleet.rest<OutboxEntryResource>(`/api/outbox/show?id=${other.id}`)).state === 'sent';
  await waitFor(isSent, { ...PATIENCE, message: 'another message' });
  expect((await sentTo('Paused')).length).toBe(before);
  expect(await list('queued')).toEqual([]);
  await act('resume', id);
  expect((await done(id)).counts.sent).toBe(PEOPLE);
  expect(sorted(await sentTo('Paused'))).toEqual(sorted(people));
}, 90_000);

test('one that is cancelled sends nothing more', async () => {
  const { id } = await begin('Cancelled', { per_second: 5 });
  await when(id, ({ counts }) => counts.sent >= 3, 'some messages');
  expect(await act('cancel', id)).toMatchObject({ state: 'cancelled' });
  const { counts } = await when(id, ({ ended_at: at }) => at !== undefined, 'the end');
  expect(counts.sent + counts.cancelled).toBe(PEOPLE);
  expect(counts.cancelled).toBeGreaterThan(0);
  expect((await sentTo('Cancelled')).length).toBe(counts.sent);
}, 90_000);

test('one whose author lost the right holds what is left, and goes on when an admin releases it', async () => {
  const made = await fleet.rest<{ id: number; key: string }>('/api/auth/api-keys', {
    name: 'caster',
    bot_ids: [bot.id],
  });
  const answer = await fetch(`${fleet.url}/api/broadcasts/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ bot_id: bot.id, name: 'Held', audience: { chat_types: ['private'] }, per_second: 10 },
      ...{ method: 'sendMessage', params: { text: 'Held' } },
    }),
  });
  const { id } = (await answer.json()) as BroadcastResource;
  await when(id, ({ counts }) => counts.sent >= 3, 'some messages');
  await fleet.rest('/api/auth/api-keys/delete', { id: made.id });
  const held = () => fleet.rest<{ held: number; sending: number }>(`/api/outbox/counts?broadcast_id=${id}`);
  const all = await waitFor(async () => {
    const now = await held();
    const { counts } = await shown(id);
    return now.held > 0 && now.held + counts.sent === PEOPLE && { ...now, sent: counts.sent };
  }, PATIENCE);
  expect((await sentTo('Held')).length).toBe((all as { sent: number }).sent);
  expect(await shown(id)).toMatchObject({ state: 'running' });
  await fleet.rest('/api/outbox/release', { filter: { broadcast_id: id } });
  expect((await done(id)).counts).toMatchObject({ sent: PEOPLE, failed: 0, in_doubt: 0 });
  expect((await sentTo('Held')).length).toBe(PEOPLE);
}, 120_000);

test('who has blocked the bot is marked, left out by the next one, and comes back by writing', async () => {
  const refusal = { kind: 'status', status: 403, description: 'Forbidden: bot was blocked by the user' } as const;
  await fleet.control.setFault({ bot: bot.platformId, method: 'sendMessage', count: 1, effect: refusal });
  const first = await begin('Refused');
  expect((await done(first.id)).counts).toMatchObject({ sent: PEOPLE - 1, blocked: 1, failed: 0 });
  const blocked = await waitFor(async () => (await chats()).find((chat) => chat.blocked), { message: 'the mark' });
  expect((await begin('Next', { dry_run: true })).counts).toMatchObject({ total: PEOPLE - 1, blocked: 1 });
  const next = await begin('Next');
  expect((await done(next.id)).counts).toMatchObject({ total: PEOPLE - 1, sent: PEOPLE - 1, blocked: 0 });
  expect(await sentTo('Next')).not.toContain(blocked?.id);
  await fleet.control.sendMessage({ person: blocked?.id ?? 0, bot: bot.platformId, text: 'I am back' });
  await waitFor(async () => (await chats()).every((chat) => !chat.blocked), { ...PATIENCE, message: 'no mark' });
  expect((await begin('After', { dry_run: true })).counts).toMatchObject({ total: PEOPLE, blocked: 0 });
  // The platform says the same without a message of the bot.
  await fleet.control.blockBot({ person: people[0] ?? 0, bot: bot.platformId, blocked: true });
  await waitFor(async () => (await chats()).some((chat) => chat.blocked), { ...PATIENCE, message: 'the mark' });
  await fleet.control.blockBot({ person: people[0] ?? 0, bot: bot.platformId, blocked: false });
  await waitFor(async () => (await chats()).every((chat) => !chat.blocked), { ...PATIENCE, message: 'no mark' });
}, 120_000);
