import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

/** On a busy machine a request of the second before may come late. `npm run bench outbox` measures the limit itself. */
const LATE = 3;

type Sent = { chat: number; text: string; atMs: number; status: number | null };

let fleet: Fleet;
let bot: FleetBot;
let people: number[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 });
  bot = await fleet.addBot();
  people = await Promise.all(Array.from({ length: 40 }, () => reader(bot)));
}, 60_000);
afterEach(() => fleet.control.clearFaults({}));
afterAll(() => fleet?.stop(), 60_000);

/** Somebody who has started the bot. */
async function reader({ platformId }: FleetBot): Promise<number> {
  const { id } = await fleet.control.createPerson({});
  await fleet.control.startBot({ person: id, bot: platformId, quietly: true });
  return id;
}
const add = (chat: number, text: string, fields: object = {}) =>
  fleet.rest<OutboxEntryResource>('/api/outbox/add', {
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: chat, text } },
    ...fields,
  });
const show = (id: number) => fleet.rest<OutboxEntryResource>(`/api/outbox/show?id=${id}`);
const inState = (id: number, state: string, timeoutMs = 15_000) =>
  waitFor(
    async () => {
      const entry = await show(id);
      return entry.state === state && entry;
    },
    { message: `entry ${id} being ${state}`, timeoutMs },
  ) as Promise<OutboxEntryResource>;
const sentBy = async ({ platformId }: FleetBot): Promise<Sent[]> => {
  const { calls } = await fleet.control.readCalls({ bot: platformId, method: 'sendMessage' });
  return calls.map(({ params, atMs, status }) => ({
    ...{ chat: Number(params.chat_id), text: params.text ?? '', atMs, status },
  }));
};
const textsTo = async (chat: number) =>
  (await sentBy(bot)).filter((sent) => sent.chat === chat).map(({ text }) => text);

describe('an entry', () => {
  test('is sent, and its message is in the history with who handed it over', async () => {
    const [chat] = people as [number];
    const keyboard = [[{ text: 'On my way' }, { text: 'Later' }]];
    const { id } = await add(chat, 'Your order is ready.', {
      params: { chat_id: chat, text: 'Your order is ready.', reply_markup: { keyboard } },
    });
    const entry = await inState(id, 'sent');
    expect(entry).toMatchObject({ attempts: 1, message_id: expect.any(Number), settled_at: expect.any(String) });
    expect(entry.result).toMatchObject({ text: 'Your order is ready.', chat: { id: chat } });
    const stored = () =>
      fleet.rest<{ id: number; outgoing: boolean }[]>(`/api/messages?bot_id=${bot.id}&chat_id=${chat}`);
    const message = await waitFor(async () => (await stored()).find((one) => one.id === entry.message_id));
    expect(message).toMatchObject({ outgoing: true, keyboard: [['On my way', 'Later']] });
    const audited = () => fleet.rest<object[]>(`/api/adminlog?bot_id=${bot.id}&chat_id=${chat}&action=send`);
    await waitFor(async () => (await audited()).length === 1, { message: 'the audit entry' });
    expect((await audited())[0]).toMatchObject({
      ...{ actor_username: 'admin', target_id: entry.message_id, request_id: entry.request_id },
    });
  });

  test('waits for its time, or expires', async () => {
    const chat = people[1] as number;
    const dueS = Math.ceil(Date.now() / 1000) + 3;
    const later = await add(chat, 'later', { send_at: dueS });
    const late = await add(chat, 'late', { send_at: dueS + 600, expires_at: dueS + 601 });
    expect(later.state).toBe('scheduled');
    await inState(later.id, 'sent');
    const [sent] = (await sentBy(bot)).filter(({ text }) => text === 'later');
    expect(sent?.atMs).toBeGreaterThanOrEqual(dueS * 1000);
    await fleet.rest('/api/outbox/cancel', { ids: [late.id] });
    expect(await show(late.id)).toMatchObject({ state: 'cancelled' });
    await fleet.control.setFault({ method: 'sendMessage', effect: { kind: 'status', status: 502 } });
    const soon = await add(chat, 'soon over', { expires_at: Math.ceil(Date.now() / 1000) + 2 });
    expect(await inState(soon.id, 'expired')).toMatchObject({ error_code: 502 });
  });
});

test('a token that was replaced while a message was sent does not make the bot rest for long', async () => {
  const own = await fleet.addBot();
  const chat = await reader(own);
  const { token } = await fleet.control.revokeToken({ bot: own.platformId });
  const { id } = await add(chat, 'with the new token', { bot_id: own.id });
  await waitFor(async () => (await show(id)).error_code === 401, { message: 'the old token to be refused' });
  await fleet.rest('/api/bots/update', { id: own.id, token });
  await inState(id, 'sent');
});

test('one chat gets its entries in their order, while others go side by side; the most urgent go first', async () => {
  const chats = people.slice(2, 6) as [number, number, number, number];
  // All of them wait while there is no worker.
  await Promise.all(fleet.workers.splice(0).map((worker) => worker.stop()));
  const entries: OutboxEntryResource[] = [];
  for (const chat of chats) {
    for (const [at, priority] of ['bulk', 'normal', 'normal', 'critical'].entries()) {
      entries.push(await add(chat, `${priority} ${at}`, { priority }));
    }
  }
  await Promise.all([fleet.start('worker'), fleet.start('worker')]);
  for (const { id } of entries) await inState(id, 'sent', 30_000);
  for (const chat of chats) expect(await textsTo(chat)).toEqual(['critical 3', 'normal 1', 'normal 2', 'bulk 0']);
  const sent = await sentBy(bot);
  const timesOf = (wanted: string) => sent.filter(({ text }) => text === wanted).map(({ atMs }) => atMs);
  expect(Math.max(...timesOf('critical 3'))).toBeLessThan(Math.min(...timesOf('bulk 0')));
}, 90_000);

test('what is less urgent waits for the answer to what is more urgent in its chat, however long that takes', async () => {
  const chat = people[13] as number;
  // Longer than the pace of a chat, whose next time would be free meanwhile.
  const slowly = { bot: bot.platformId, method: 'sendMessage', count: 1 };
  await fleet.control.setFault({ ...slowly, effect: { kind: 'delay', delayMs: 2_000 } });
  const first = await add(chat, 'normal 0');
  await inState(first.id, 'sending');
  const bulk = await add(chat, 'bulk 1', { priority: 'bulk' });
  await add(chat, 'normal 2');
  await inState(bulk.id, 'sent');
  expect(await textsTo(chat)).toEqual(['normal 0', 'normal 2', 'bulk 1']);
});

describe('what the platform answers', () => {
  test('429: the chat rests for so long, and others do not', async () => {
    const [limited, other] = people.slice(6, 8) as [number, number];
    await fleet.control.setFault({
      ...{ bot: bot.platformId, method: 'sendMessage', count: 1 },
      effect: { kind: 'status', status: 429, retryAfterS: 3, description: 'Too Many Requests: retry after 3' },
    });
    const first = await add(limited, 'first');
    await waitFor(async () => (await show(first.id)).error_code === 429);
    const [second, elsewhere] = [await add(limited, 'second'), await add(other, 'elsewhere')];
    await inState(elsewhere.id, 'sent');
    expect((await show(first.id)).state).not.toBe('sent');
    await inState(second.id, 'sent');
    expect(await show(first.id)).toMatchObject({ state: 'sent', attempts: 1 });
    const sent = (await sentBy(bot)).filter(({ chat }) => chat === limited);
    expect(sent.map(({ text }) => text)).toEqual(['first', 'first', 'second']);
    expect(sent[1]!.atMs - sent[0]!.atMs).toBeGreaterThanOrEqual(3_000);
  });

  test('429 of a gateway, as a page: it is obeyed', async () => {
    const page = { status: 429, body: '<h1>slow down</h1>', contentType: 'text/html' };
    await fleet.control.setFault({ method: 'sendMessage', count: 1, effect: { kind: 'status', ...page } });
    const { id } = await add(people[9] as number, 'after the page');
    expect(await inState(id, 'sent')).toMatchObject({ attempts: 1 });
  });

  test('a refusal fails the entry with its words, and the next one goes on', async () => {
    const blocking = people[12] as number;
    await fleet.control.blockBot({ person: blocking, bot: bot.platformId, blocked: true });
    const refused = await add(blocking, 'are you there?');
    expect(await inState(refused.id, 'failed')).toMatchObject({ error_code: 403, error: expect.stringMatching(/\w/) });
    const wrong = await add(people[8] as number, '');
    expect(await inState(wrong.id, 'failed')).toMatchObject({ error_code: 400, attempts: 1 });
  });

  test('500: it is tried again, with pauses', async () => {
    const chat = people[9] as number;
    await fleet.control.setFault({ method: 'sendMessage', count: 2, effect: { kind: 'status', status: 500 } });
    const { id } = await add(chat, 'at the third try');
    expect(await inState(id, 'sent')).toMatchObject({ attempts: 3 });
  });

  test('no answer: it is in doubt and not repeated, until somebody resends it', async () => {
    const chat = people[10] as number;
    await fleet.control.setFault({ method: 'sendMessage', count: 1, effect: { kind: 'lose-answer' } });
    const { id } = await add(chat, 'perhaps');
    const next = await add(chat, 'next');
    expect(await inState(id, 'in_doubt')).toMatchObject({ attempts: 1, error: expect.stringContaining('No answer') });
    await inState(next.id, 'sent');
    expect(await textsTo(chat)).toEqual(['perhaps', 'next']);
    await fleet.rest('/api/outbox/resend', { ids: [id] });
    await inState(id, 'sent');
    expect(await textsTo(chat)).toEqual(['perhaps', 'next', 'perhaps']);
  });
});

test('workers that are told to stop leave nothing in doubt, and others go on at once', async () => {
  const moved = await fleet.addBot();
  const chats = await Promise.all(Array.from({ length: 30 }, () => reader(moved)));
  const entries = await Promise.all(
    chats.flatMap((chat) => [1, 2, 3].map((at) => add(chat, `${at}`, { bot_id: moved.id }))),
  );
  await waitFor(async () => (await sentBy(moved)).length > 10, { message: 'the first sends' });
  await fleet.start('worker');
  for (const worker of fleet.workers.splice(0, 2)) await worker.stop();
  await fleet.start('worker');
  for (const { id } of entries) expect(await inState(id, 'sent', 30_000)).toMatchObject({ attempts: 1 });
}, 90_000);

test('a group that becomes a supergroup gets what waits for it there', async () => {
  const admins = [{ bot: bot.platformId }];
  const { id: group } = await fleet.control.createChat({ type: 'group', creator: people[11] as number, admins });
  const { id: waiting } = await add(group, 'for later', { send_at: Math.ceil(Date.now() / 1000) + 4 });
  const { id: supergroup } = await fleet.control.migrateGroup({ chat: group, person: people[11] as number });
  const { id } = await add(group, 'into the group');
  expect(await inState(id, 'sent')).toMatchObject({ chat_id: supergroup });
  expect(await inState(waiting, 'sent')).toMatchObject({ chat_id: supergroup });
});

test('a bot keeps its own pace, which leaves bulk a fifth less, and counts what its program sends', async () => {
  const busy = await fleet.addBot({ pace: { per_second: 10 } });
  const chats = await Promise.all(Array.from({ length: 60 }, () => reader(busy)));
  const entries = await Promise.all(
    chats.map((chat, at) => add(chat, `${at}`, { bot_id: busy.id, priority: at < 40 ? 'normal' : 'bulk' })),
  );
  for (const { id } of entries) await inState(id, 'sent', 60_000);
  const sent = (await sentBy(busy)).toSorted((one, other) => one.atMs - other.atMs);
  expect(sent).toHaveLength(60);
  expect(mostInASecond(sent)).toBeLessThanOrEqual(10 + LATE);
  const [normal, bulk] = [sent.filter(({ text }) => Number(text) < 40), sent.filter(({ text }) => Number(text) >= 40)];
  expect(normal.at(-1)!.atMs - normal[0]!.atMs).toBeGreaterThan(3_500);
  expect(mostInASecond(bulk)).toBeLessThanOrEqual(8 + LATE);

  // Twenty calls of the program are two seconds of the pace.
  await fleet.control.forgetCalls({ bot: busy.platformId });
  const late = await add(chats[0] as number, 'late', { bot_id: busy.id, priority: 'bulk' });
  await inState(late.id, 'sent');
  for (const chat of chats.slice(1, 21)) {
    await fetch(`${fleet.url}/tgapi/bot${busy.token}/sendMessage?chat_id=${chat}&text=mine`);
  }
  const begunAtMs = Date.now();
  const after = await Promise.all(chats.slice(30, 50).map((chat) => add(chat, 'after', { bot_id: busy.id })));
  for (const { id } of after) await inState(id, 'sent', 60_000);
  expect((await sentBy(busy)).findLast(({ text }) => text === 'after')!.atMs - begunAtMs).toBeGreaterThan(1_500);
}, 90_000);

test('what a revoked token had handed over is held and said why, until an admin releases it; others go on', async () => {
  const quiet = await fleet.addBot();
  const chats = await Promise.all(Array.from({ length: 4 }, () => reader(quiet)));
  const program = await fleet.rest<{ id: number }>('/api/programs/add', {
    bot_id: quiet.id,
    name: 'gone',
    mode: 'pull',
  });
  const token = await fleet.rest<{ id: number; token: string }>('/api/programs/tokens/add', {
    ...{ program_id: program.id, name: 'app' },
  });
  await fleet.rest('/api/bots/toggle-disabled', { id: quiet.id });
  const ofToken: OutboxEntryResource[] = [];
  for (const chat of [...chats, ...chats]) {
    const answer = await fetch(`${fleet.url}/api/outbox/add`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ method: 'sendMessage', params: { chat_id: chat, text: 'of the token' } }),
    });
    ofToken.push((await answer.json()) as OutboxEntryResource);
  }
  const mine = await Promise.all(chats.map((chat) => add(chat, 'mine', { bot_id: quiet.id })));
  await fleet.rest('/api/programs/tokens/delete', { id: token.id });
  await fleet.rest('/api/bots/toggle-disabled', { id: quiet.id });
  for (const { id } of ofToken) {
    expect((await inState(id, 'held')).error).toBe('The token that handed it over was revoked');
  }
  for (const { id } of mine) await inState(id, 'sent');
  const query = `bot_id=${quiet.id}&created_by=gone`;
  const held = await fleet.rest<OutboxEntryResource[]>(`/api/outbox?${query}&state=held`);
  expect(held.map(({ id }) => id)).toEqual(ofToken.map(({ id }) => id).reverse());
  expect(await fleet.rest(`/api/outbox/counts?${query}`)).toMatchObject({ held: ofToken.length, sent: 0 });
  expect((await sentBy(quiet)).filter(({ text }) => text === 'of the token')).toEqual([]);
  const [first, ...others] = ofToken as [OutboxEntryResource, ...OutboxEntryResource[]];
  await fleet.rest('/api/outbox/cancel', { ids: [first.id] });
  await fleet.rest('/api/outbox/release', { filter: { bot_id: quiet.id, created_by: 'gone' } });
  for (const { id } of others) expect(await inState(id, 'sent', 30_000)).toMatchObject({ created_by: 'gone' });
}, 90_000);

test('keeps within the limits of the platform while its machine is busy', async () => {
  const busy = await fleet.addBot();
  const chats = await Promise.all(Array.from({ length: 40 }, () => reader(busy)));
  await fleet.control.setLimits({ bot: busy.platformId, limits: { perSecond: 2 * 25, perChatSecond: 2 } });
  const entries = await Promise.all(
    chats.flatMap((chat) => [1, 2, 3].map((at) => add(chat, `${at}`, { bot_id: busy.id }))),
  );
  for (const { id } of entries) await inState(id, 'sent', 60_000);
  const sent = await sentBy(busy);
  expect(sent).toHaveLength(120);
  // All that was held up for a second may arrive beside what is due.
  expect(mostInASecond(sent)).toBeLessThanOrEqual(2 * 25);
  expect(await fleet.control.readLimits({ bot: busy.platformId })).toMatchObject({ refused: 0 });
}, 90_000);

function mostInASecond(sent: readonly { atMs: number }[]): number {
  const times = sent.map(({ atMs }) => atMs);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));
}
