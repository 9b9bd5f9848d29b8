import type { OutboxEntry } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { waitingForLocks } from '@flotilla/testing/locked-table.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { queueEntries } from '@flotilla/testing/queued-entries.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { EVERYTHING } from '../../people/accounts/scope.ts';
import { storeMove } from '../../records/moved-groups/move-group.ts';
import { outboxStore } from './outbox-store.ts';
import { type Settlement, settlementStore } from './settlement-store.ts';
import { outboxTurnStore, selectFirstOfChats } from './turn-store.ts';
import { outboxUpkeepStore } from './upkeep-store.ts';

const [ADA, BEN] = [5, 6];
const FROM_FIRST = { aboveChat: -Number.MAX_SAFE_INTEGER, chats: 10, ofEach: 10 };

let database: TestDatabase;
let bot_id: number;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  bot_id = await storedBot(database.db);
});

const turns = () => outboxTurnStore(database.db);
const upkeep = () => outboxUpkeepStore(database.db);
const settle = (settled: readonly Settlement[]) => settlementStore(database.db).settle(settled);
const shown = async (id: number) => (await outboxStore(database.db).find(id)) as OutboxEntry;
async function queued(chats: number[], priority: 'critical' | 'normal' | 'bulk' = 'normal'): Promise<number[]> {
  await queueEntries(database.db, { botId: bot_id, priority }, chats);
  const rows = database.db.selectFrom('outbox').select('id').where('bot_id', '=', bot_id).orderBy('id', 'desc');
  return (await rows.limit(chats.length).execute()).map(({ id }) => id).reverse();
}
const begin = async (ids: number[], claim: number) =>
  (await turns().begin(ids.map((id) => ({ id, bot_id, claim })))).map(({ id }) => id).toSorted((one, two) => one - two);
const sent = (id: number, claim: number): Settlement => ({
  ...{ id, bot_id, claim, event: 'sent' },
  ...{ message_id: 9, result: '{"message_id": 9}' },
});

describe('an owner', () => {
  test('begins only the first entry of a chat and priority, and those of other chats beside it', async () => {
    const claim = await turns().claim(bot_id);
    const [first, second, other] = (await queued([ADA, ADA, BEN])) as [number, number, number];
    const [urgent] = (await queued([ADA], 'critical')) as [number];
    expect(await begin([first, second, other, urgent], claim)).toEqual([first, other, urgent]);
    expect(await shown(first)).toMatchObject({ state: 'sending', attempts: 1 });
    expect(await begin([first, second], claim)).toEqual([]);
    await settle([sent(first, claim)]);
    expect(await begin([second], claim)).toEqual([second]);
  });

  test('begins nothing that rests, expired or was cancelled', async () => {
    const claim = await turns().claim(bot_id);
    const [resting, expired, cancelled] = (await queued([1, 2, 3])) as [number, number, number];
    const change = (id: number, fields: object) =>
      database.db.updateTable('outbox').set(fields).where('id', '=', id).execute();
    await change(resting, { next_attempt_at: new Date(Date.now() + 60_000) });
    await change(expired, { expires_at: new Date(Date.now() - 1_000) });
    await outboxStore(database.db).change(EVERYTHING, 'cancel', { ids: [cancelled] }, {});
    expect(await begin([resting, expired, cancelled], claim)).toEqual([]);
    expect(await upkeep().expire(10)).toBeGreaterThanOrEqual(1);
    expect((await shown(expired)).state).toBe('expired');
  });

  test('begins nothing behind an entry that is being restored, also by what it saw before that', async () => {
    const claim = await turns().claim(bot_id);
    const [first] = (await queued([ADA])) as [number];
    const cancel = () => outboxStore(database.db).change(EVERYTHING, 'cancel', { ids: [first] }, {});
    const restore = (db: Database) => outboxStore(db).restore(EVERYTHING, [first]);
    await cancel();
    const next = await database.db.transaction().execute(async (transaction) => {
      expect(await restore(transaction)).toMatchObject([{ bot_id, count: 1 }]);
      const [behind] = (await queued([ADA])) as [number];
      expect(await begin([behind], claim)).toEqual([]);
      return behind;
    });
    await cancel();
    let beginning: Promise<number[]> | undefined;
    await database.db.transaction().execute(async (transaction) => {
      await sql`select from outbox_claims where bot_id = ${bot_id} for update`.execute(transaction);
      let isOver = false;
      beginning = begin([next], claim).finally(() => {
        isOver = true;
      });
      await waitFor(async () => isOver || (await waitingForLocks(database.db)) > 0);
      await restore(transaction);
    });
    expect(await beginning).toEqual([]);
    expect(await begin([first, next], claim)).toEqual([first]);
  });

  test('begins nothing any more once there is another one, which declares in doubt what it had begun', async () => {
    const former = await turns().claim(bot_id);
    const [begun, waiting] = (await queued([ADA, BEN])) as [number, number];
    await begin([begun], former);
    const claim = await turns().claim(bot_id);
    expect(await turns().doubtFormer(bot_id, claim)).toBe(1);
    expect(await shown(begun)).toMatchObject({ state: 'in_doubt', settled_at: expect.any(Date) });
    expect(await begin([waiting], former)).toEqual([]);
    expect(await begin([waiting], claim)).toEqual([waiting]);
    expect(await turns().doubtFormer(bot_id, claim)).toBe(0);
  });

  test('settles by an answer that comes late, also what was resent, held or cancelled since, unless it was begun again', async () => {
    const former = await turns().claim(bot_id);
    const ids = await queued([1, 2, 3, 4, 5]);
    const [late, resent, held, cancelled, begun] = ids as [number, number, number, number, number];
    await begin(ids, former);
    const claim = await turns().claim(bot_id);
    await turns().doubtFormer(bot_id, claim);
    await outboxStore(database.db).change(EVERYTHING, 'resend', { ids: [resent, held, cancelled, begun] }, {});
    await database.db.updateTable('outbox').set({ state: 'held' }).where('id', '=', held).execute();
    await outboxStore(database.db).change(EVERYTHING, 'cancel', { ids: [cancelled] }, {});
    await begin([begun], claim);
    await settle(ids.map((id) => sent(id, former)));
    const sentLate = { state: 'sent', message_id: 9, error: null, attempts: 1, settled_at: expect.any(Date) };
    for (const id of [late, resent, held, cancelled]) expect(await shown(id)).toMatchObject(sentLate);
    expect(await shown(begun)).toMatchObject({ state: 'sending', message_id: null });
    expect(await begin([resent], claim)).toEqual([]);
  });

  test('that knows late that nothing was sent queues the entry again, also out of doubt', async () => {
    const former = await turns().claim(bot_id);
    const [never, flooded] = (await queued([ADA, BEN])) as [number, number];
    await begin([never, flooded], former);
    await turns().doubtFormer(bot_id, await turns().claim(bot_id));
    const again = {
      bot_id,
      claim: former,
      event: 'again',
      error_code: null,
      error: 'x',
      counts: false,
    } as const;
    await settle([
      { ...again, id: never, afterMs: 0, chat_id: ADA },
      { ...again, id: flooded, afterMs: 60_000, chat_id: BEN },
    ]);
    expect(await shown(never)).toMatchObject({ state: 'queued', attempts: 0, settled_at: null, next_attempt_at: null });
    expect(await shown(flooded)).toMatchObject({ state: 'queued', attempts: 0, next_attempt_at: expect.any(Date) });
  });

  test('tries again in the same place, or in the chat that took the place of the old one', async () => {
    const claim = await turns().claim(bot_id);
    const [again, moved] = (await queued([ADA, BEN])) as [number, number];
    await begin([again, moved], claim);
    const failed = {
      bot_id,
      claim,
      event: 'again',
      error_code: 500,
      error: 'Bad\0 Gateway',
      counts: true,
    } as const;
    await settle([
      { ...failed, id: again, afterMs: 60_000, chat_id: ADA },
      { ...failed, id: moved, afterMs: 0, chat_id: -77 },
    ]);
    expect(await shown(again)).toMatchObject({ state: 'queued', attempts: 1, error_code: 500, error: 'Bad Gateway' });
    expect(await shown(moved)).toMatchObject({ state: 'queued', chat_id: -77, next_attempt_at: null });
    const found = await turns().firstOfChats(bot_id, 'normal', FROM_FIRST);
    expect(found.map(({ id }) => id)).toEqual([moved, again]);
    expect(found[1]!.restsMs).toBeGreaterThan(30_000);
  });

  test('begins nothing in a supergroup before what was begun in its group, which follows it when it is tried again', async () => {
    const claim = await turns().claim(bot_id);
    const move = { bot_id, fromChatId: -4_100, toChatId: -1_002_100_000_000 };
    const [first, second] = (await queued([move.fromChatId, move.fromChatId])) as [number, number];
    await begin([first], claim);
    await database.db.transaction().execute((transaction) => storeMove(transaction, move, 1_800_000_000));
    expect([(await shown(second)).chat_id, await begin([second], claim)]).toEqual([move.toChatId, []]);
    const again = {
      bot_id,
      claim,
      event: 'again',
      error_code: null,
      error: '',
      afterMs: 0,
      counts: false,
    } as const;
    await settle([{ ...again, id: first, chat_id: move.fromChatId }]);
    expect(await shown(first)).toMatchObject({ state: 'queued', chat_id: move.toChatId });
    expect(await begin([second], claim)).toEqual([]);
    expect(await begin([first], claim)).toEqual([first]);
    await settle([sent(first, claim)]);
    expect(await begin([second], claim)).toEqual([second]);
  });

  test('queues what is due, and knows when the next one is', async () => {
    const [due, later] = (await queued([ADA, BEN])) as [number, number];
    for (const [id, inMs] of [
      [due, -1_000],
      [later, 60_000],
    ] as const) {
      const at = { state: 'scheduled' as const, send_at: new Date(Date.now() + inMs) };
      await database.db.updateTable('outbox').set(at).where('id', '=', id).execute();
    }
    const { count, nextMs } = await turns().queueDue(bot_id, 10);
    expect([count, (await shown(due)).state, (await shown(later)).state]).toEqual([1, 'queued', 'scheduled']);
    expect(nextMs).toBeGreaterThan(30_000);
    expect(nextMs).toBeLessThanOrEqual(60_000);
  });
});

test('bots whose entries could have been sent long ago are found, and others are not', async () => {
  const [old] = (await queued([ADA])) as [number];
  const ago = sql<Date>`now() - interval '1 minute'`;
  await sql`update outbox set created_at = ${ago} where id = ${old}`.execute(database.db);
  expect(await upkeep().lateBots(10_000)).toContain(bot_id);
  await sql`update outbox set next_attempt_at = now() + interval '1 minute' where id = ${old}`.execute(database.db);
  expect(await upkeep().lateBots(10_000)).not.toContain(bot_id);
});

test('what a worker had begun when its bot was switched off is in doubt after a minute', async () => {
  const [old, young, other] = (await queued([ADA, BEN, BEN + 1])) as [number, number, number];
  await begin([old, young], await turns().claim(bot_id));
  await sql`update outbox set created_at = now() - interval '2 minutes' where id in (${old}, ${other})`.execute(
    database.db,
  );
  expect(await upkeep().doubtStopped(60_000)).toBe(0);
  await sql`update bots set disabled = true where id = ${bot_id}`.execute(database.db);
  expect(await upkeep().doubtStopped(60_000)).toBe(1);
  const states = [await shown(old), await shown(young), await shown(other)].map(({ state }) => state);
  expect(states).toEqual(['in_doubt', 'sending', 'queued']);
});

describe('a look into a long queue', () => {
  const MANY = 20_000;
  /** Pages that Postgres looks at; the table has 500 and more. */
  const pagesRead = async (): Promise<number> => {
    const look = selectFirstOfChats(bot_id, 'normal', FROM_FIRST);
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
      explain (analyze, buffers, format json) ${look}`.execute(database.db);
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
  };

  test.each([
    ['of one chat', 10, () => 1],
    ['over as many chats', 100, (at: number) => Math.floor(at / 10) + 1],
  ])('%s reads only what it finds', async (_name, found, chatOf) => {
    await queued(Array.from({ length: MANY }, (_, at) => chatOf(at)));
    await sql`analyze outbox`.execute(database.db);
    expect(await turns().firstOfChats(bot_id, 'normal', FROM_FIRST)).toHaveLength(found);
    expect(await pagesRead()).toBeLessThan(300);
  });
});
