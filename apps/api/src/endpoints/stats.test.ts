import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatStatsResource } from '@flotilla/contract/stats.ts';
import { readChatStats } from '@flotilla/domain/stats/read-chat-stats.ts';
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
    const found = await readChatStats({ db, clock }, { botId: bot.id, chatId: CHAT });
    const names = { username: null, firstName: null, lastName: null };
    expect(found).toEqual({
      totalMessages: 7,
      todayMessages: 4,
      activeUsers: 2,
      topUsers: [
        { id: 1, username: 'one', firstName: 'One', lastName: 'A', messageCount: 3 },
        { id: 2, ...names, messageCount: 2 },
        { id: 4, ...names, messageCount: 1 },
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
