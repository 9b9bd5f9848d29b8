import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatStatsResource } from '@flotilla/contract/stats.ts';
import { readChatStats } from '@flotilla/domain/records/stats/read-chat-stats.ts';
import { readChatWeekdays } from '@flotilla/domain/records/stats/read-chat-weekdays.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const CHAT = -1_003_000_000_003;
const DAY_S = 86_400;
/** 2026-03-05 00:00 UTC. */
const TODAY_S = 1_772_668_800;

const api = testApi();
let bot: BotResource;

beforeAll(async () => {
  bot = await api.addBot();
});

const stats = async (chat_id: number) =>
  (await api.admin('GET', '/api/stats', { query: { bot_id: bot.id, chat_id } })).json as ChatStatsResource;

describe('the statistics of a chat', () => {
  test('are zeros, with all 24 hours, for a chat that is not tracked', async () => {
    expect(await stats(404)).toEqual({
      total_messages: 0,
      today_messages: 0,
      active_users: 0,
      top_users: [],
      hourly: Array.from({ length: 24 }, (_, hour) => ({ hour, message_count: 0 })),
    });
  });

  test('count today from midnight UTC, by hour, and leave out what was deleted', async () => {
    const { db } = api.database;
    const message = (id: number, date: number, user_id: number, more: object = {}) => ({
      bot_id: bot.id,
      chat_id: CHAT,
      id,
      date,
      user_id,
      ...more,
    });
    await db
      .insertInto('messages')
      .values([
        message(1, TODAY_S - 1, 1),
        message(2, TODAY_S - DAY_S, 2),
        message(3, TODAY_S, 1),
        message(4, TODAY_S + 3599, 1),
        message(5, TODAY_S + 3600, 2),
        message(6, TODAY_S + 23 * 3600, 9, { outgoing: true }),
        message(7, TODAY_S + 3600, 3, { deleted_at: new Date() }),
        message(8, TODAY_S + DAY_S, 4),
      ])
      .execute();
    await db.insertInto('chats').values({ bot_id: bot.id, id: CHAT, type: 'supergroup', message_count: 7 }).execute();
    await db
      .insertInto('chat_users')
      .values({ bot_id: bot.id, chat_id: CHAT, user_id: 1, username: 'one', first_name: 'One', last_name: 'A' })
      .execute();
    const clock = { nowMs: () => (TODAY_S + 5 * 3600) * 1000 };
    const found = await readChatStats({ db, clock }, { bot_id: bot.id, chat_id: CHAT });
    const names = { username: null, first_name: null, last_name: null };
    expect(found).toEqual({
      total_messages: 7,
      today_messages: 4,
      active_users: 2,
      top_users: [
        { id: 1, username: 'one', first_name: 'One', last_name: 'A', message_count: 3 },
        { id: 2, ...names, message_count: 2 },
        { id: 4, ...names, message_count: 1 },
      ],
      hourly: [2, 1, ...Array(20).fill(0), 0, 1],
    });
  });

  test('have the ten busiest users only, and what was just sent', async () => {
    const chat_id = CHAT - 1;
    const users = Array.from({ length: 12 }, (_, at) => at + 1);
    const rows = users.flatMap((user_id) =>
      Array.from({ length: user_id }, (_, at) => ({ user_id, id: user_id * 100 + at })),
    );
    const date = Math.floor(Date.now() / 1000);
    const message = { bot_id: bot.id, chat_id, date, first_name: 'Name' };
    await api.database.db
      .insertInto('messages')
      .values(rows.map((row) => ({ ...message, ...row })))
      .execute();
    const { top_users } = await stats(chat_id);
    expect(top_users.map(({ id, message_count }) => [id, message_count])).toEqual(
      users
        .slice(2)
        .map((user) => [user, user])
        .reverse(),
    );
    expect(top_users[0]).toEqual({ id: 12, first_name: 'Name', message_count: 12 });
  });
});

describe('the messages of a chat by weekday and hour', () => {
  const chat_id = CHAT - 2;
  /** A Thursday. */
  const NOW_S = TODAY_S + 12 * 3600;
  const WEEK_S = 7 * DAY_S;
  const clock = { nowMs: () => NOW_S * 1000 };
  /** The counts that are not zero: [weekday, hour, count]. */
  const found = (counts: number[][]) =>
    counts.flatMap((hours, weekday) => hours.flatMap((count, hour) => (count === 0 ? [] : [[weekday, hour, count]])));
  const read = async (timeZone: string, weeks = 12, at = clock) => {
    const chat = { bot_id: bot.id, chat_id };
    return found(await readChatWeekdays({ db: api.database.db, clock: at }, chat, { weeks, time_zone: timeZone }));
  };

  beforeAll(async () => {
    const dates = [
      ...[TODAY_S, TODAY_S + 3599, TODAY_S - WEEK_S, TODAY_S - DAY_S + 23 * 3600 + 50 * 60],
      ...[NOW_S - 12 * WEEK_S, NOW_S - 12 * WEEK_S - 1],
    ];
    const messages = dates.map((date, at) => ({ bot_id: bot.id, chat_id, id: at + 1, date, deleted_at: null }));
    const deleted = { bot_id: bot.id, chat_id, id: 90, date: TODAY_S, deleted_at: new Date() };
    await api.database.db
      .insertInto('messages')
      .values([...messages, deleted])
      .execute();
  });

  test('are those of the weeks that were asked for, without deleted ones', async () => {
    expect(await read('UTC')).toEqual([
      [3, 23, 1],
      [4, 0, 3],
      [4, 12, 1],
    ]);
    expect(await read('UTC', 1)).toEqual([
      [3, 23, 1],
      [4, 0, 2],
    ]);
  });

  test('go by the clocks of the time zone, also where they differ by a quarter of an hour, and in summer', async () => {
    expect(await read('America/New_York')).toEqual([
      [3, 18, 1],
      [3, 19, 3],
      [4, 7, 1],
    ]);
    expect(await read('Asia/Kathmandu')).toEqual([
      [4, 5, 3],
      [4, 6, 1],
      [4, 17, 1],
    ]);
    const inSummer = { nowMs: () => (TODAY_S + 30 * DAY_S) * 1000 };
    const message = { bot_id: bot.id, chat_id, id: 91, date: TODAY_S + 28 * DAY_S };
    await api.database.db.insertInto('messages').values(message).execute();
    expect(await read('Europe/Berlin', 2, inSummer)).toEqual([[4, 2, 1]]);
  });

  test('come with the statistics if they are asked for, and a zone that is not known is refused', async () => {
    const ask = (query: object) => api.admin('GET', '/api/stats', { query: { bot_id: bot.id, chat_id, ...query } });
    expect((await ask({})).json).not.toHaveProperty('by_weekday');
    const answer = await ask({ weeks: 12, time_zone: 'Europe/Berlin' });
    const { by_weekday: weekdays = [] } = answer.json as ChatStatsResource;
    expect(weekdays.map(({ weekday, message_counts }) => [weekday, message_counts.length])).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((weekday) => [weekday, 24]),
    );
    expect(await ask({ weeks: 12, time_zone: 'Atlantis' })).toMatchObject({
      status: 400,
      json: { details: [{ path: 'time_zone', reason: 'must be a time zone such as Europe/Berlin' }] },
    });
    expect(await ask({ weeks: 13 })).toMatchObject({ status: 400, json: { details: [{ path: 'weeks' }] } });
  });
});
