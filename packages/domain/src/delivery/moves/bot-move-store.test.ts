import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BotMove, botMoveStore } from './bot-move-store.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const moves = () => botMoveStore(database.db);
const active = async (botId: number) => (await moves().active(botId)) as BotMove;

async function begun(): Promise<number> {
  const botId = await storedBot(database.db);
  await moves().begin({ bot_id: botId, from_upstream: 'default', to_upstream: 'local' }, {});
  return botId;
}

test('a move that is sent elsewhere remembers where the bot may be logged in, until it goes back there', async () => {
  const botId = await begun();
  await moves().left(await active(botId));
  const redirected = async (to: string) => {
    expect(await moves().redirect(await active(botId), to, 'log_in')).toBe(true);
    return (await active(botId)).logs_out_of;
  };
  expect(await redirected('second')).toBe('local');
  expect(await redirected('third')).toBe('local');
  expect(await redirected('local')).toBeNull();
  await moves().change(await active(botId), { logs_out_of: null });
  expect(await redirected('default')).toBe('local');
});

test('a move that gives its first server up has left it, and asks nobody to log the bot out', async () => {
  const botId = await begun();
  await moves().change(await active(botId), { step: 'log_out' });
  expect(await moves().leave(await active(botId))).toBe(true);
  expect(await moves().redirect(await active(botId), 'local', 'log_in')).toBe(true);
  expect(await active(botId)).toMatchObject({ step: 'log_in', logs_out_of: null, left_at: expect.any(Date) });
});

test('the time in which processes hear of a step counts from when they could, again after that is lost', async () => {
  const botId = await begun();
  await moves().change(await active(botId), { step: 'log_out' });
  const since = (seconds: number) =>
    database.db
      .updateTable('bot_moves')
      .set({ step_since: new Date(0), known_since: new Date(Date.now() - seconds * 1000) })
      .where('bot_id', '=', botId)
      .execute();
  expect(await moves().isSettled(await active(botId), 5)).toBe(false);
  await since(6);
  expect(await moves().isSettled(await active(botId), 5)).toBe(true);
  await moves().unsettle(await active(botId));
  expect(await moves().isSettled(await active(botId), 5)).toBe(false);
});
