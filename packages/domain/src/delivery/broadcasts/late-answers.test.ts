import type { OutboxEntry } from '@flotilla/contract/outbox.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EVERYTHING } from '../../people/accounts/scope.ts';
import { movedGroupStore } from '../../records/moved-groups/moved-group-store.ts';
import { outboxStore } from '../outbox/outbox-store.ts';
import { type OutboxWrites, outboxWrites } from '../outbox/outbox-writes.ts';
import type { Outcome } from '../outbox/send-outcome.ts';
import { outboxTurnStore } from '../outbox/turn-store.ts';
import { advanceBroadcast } from './advance-broadcast.ts';
import { countsOf } from './broadcast.ts';
import { broadcastStore } from './broadcast-store.ts';

let database: TestDatabase;
let writes: OutboxWrites;
let bot_id: number;

beforeAll(async () => {
  database = await testDatabase();
  writes = outboxWrites({ db: database.db, log: createLogger({ name: 'test', level: 'silent' }) });
});
afterAll(async () => {
  writes.close();
  await database.drop();
});
beforeEach(async () => {
  bot_id = await storedBot(database.db);
});

const turns = () => outboxTurnStore(database.db);
const shown = async (id: number) => (await outboxStore(database.db).find(id)) as OutboxEntry;
const statesOf = async (ids: number[]) => (await Promise.all(ids.map(shown))).map(({ state }) => state);

/** A broadcast to these groups, with the ids of its entries, which wait in the queue of the bot. */
async function broadcastTo(...groups: number[]): Promise<{ id: number; entries: number[] }> {
  const chats = groups.map((id) => ({ bot_id, id, type: 'group' }));
  await database.db.insertInto('chats').values(chats).execute();
  const { id } = await broadcastStore(database.db).insert({
    ...{ bot_id, name: 'News', method: 'sendMessage', params: { text: 'Hi' }, messages: 1, per_second: null },
    ...{
      needs_new_worker: false,
      audience: { chat_ids: groups, exclude_blocked: true },
      send_at: null,
      created_by: { username: 'grace' },
    },
  });
  await advance(id);
  const rows = database.db.selectFrom('outbox').select(['id', 'chat_id']).where('broadcast_id', '=', id);
  const ids = new Map((await rows.execute()).map((row) => [row.chat_id, row.id]));
  return { id, entries: groups.map((group) => ids.get(group)!) };
}
async function advance(id: number) {
  while ((await advanceBroadcast({ db: database.db, clock: systemClock }, id))?.more);
  const broadcast = (await broadcastStore(database.db).find(id))!;
  return { ...broadcast, counts: countsOf(broadcast) };
}
const begin = async (claim: number, ids: number[]) => turns().begin(ids.map((id) => ({ id, bot_id, claim })));
const settle = (claim: number, id: number, outcome: Outcome) =>
  writes.settle({ ...outcome, id, bot_id, claim } as Parameters<OutboxWrites['settle']>[0]);

const SENT: Outcome = { event: 'sent', message_id: 9, result: null };
const HELD: Outcome = { event: 'hold', error: 'The token was revoked' };
const notMade = (chatId: number): Outcome => ({
  ...{ event: 'again', error_code: null, error: 'no connection', chat_id: chatId, afterMs: 0, counts: false },
});

describe('Of a broadcast that was cancelled', () => {
  test('what was not sent stays unsent, also if that is known only after its end', async () => {
    const { id, entries } = await broadcastTo(-1, -2, -3, -4);
    const [never, held, sent, inFlight] = entries as [number, number, number, number];
    const former = await turns().claim(bot_id);
    await begin(former, [never, held, sent]);
    const claim = await turns().claim(bot_id);
    await turns().doubtFormer(bot_id, claim);
    await begin(claim, [inFlight]);
    await broadcastStore(database.db).change(id, { state: 'cancelled', made: true });
    await settle(claim, inFlight, notMade(-4));
    expect(await advance(id)).toMatchObject({ ended_at: expect.any(Date), counts: { in_doubt: 3, cancelled: 1 } });
    await settle(former, never, notMade(-1));
    await settle(former, held, HELD);
    await settle(former, sent, SENT);
    expect(await statesOf(entries)).toEqual(['cancelled', 'cancelled', 'sent', 'cancelled']);
    expect(await shown(never)).toMatchObject({ attempts: 0, error: 'no connection', settled_at: expect.any(Date) });
    expect(await advance(id)).toMatchObject({ counts: { total: 4, sent: 1, cancelled: 3, in_doubt: 0, queued: 0 } });
  });

  test('an entry that a person sends again is tried again as any other', async () => {
    const { id, entries } = await broadcastTo(-1);
    const [resent] = entries as [number];
    const claim = await turns().claim(bot_id);
    await begin(claim, [resent]);
    await settle(claim, resent, { event: 'doubt', error: 'no answer' });
    await broadcastStore(database.db).change(id, { state: 'cancelled', made: true });
    await advance(id);
    await outboxStore(database.db).change(EVERYTHING, 'resend', { ids: [resent] }, {});
    await begin(claim, [resent]);
    await settle(claim, resent, notMade(-1));
    expect(await statesOf(entries)).toEqual(['queued']);
  });
});

test.each([
  ['held', HELD],
  ['tried again', notMade(-1)],
])(
  'An entry that is to be %s after its group moved ends if the supergroup has one of the broadcast',
  async (_, outcome) => {
    const { entries } = await broadcastTo(-1, -1_001);
    const [ofGroup, ofSupergroup] = entries as [number, number];
    const claim = await turns().claim(bot_id);
    await begin(claim, [ofGroup]);
    await movedGroupStore(database.db).point({ bot_id, fromChatId: -1, toChatId: -1_001 });
    await settle(claim, ofGroup, outcome);
    const { error } = outcome as { error: string };
    expect(await shown(ofGroup)).toMatchObject({ state: 'failed', error, chat_id: -1 });
    expect(await shown(ofSupergroup)).toMatchObject({ state: 'queued' });
  },
);
