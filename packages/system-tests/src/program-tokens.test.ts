import type { MessageResource } from '@flotilla/contract/messages.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Bot } from 'grammy';
import { sql } from 'kysely';
import { openEchoSession, sayText } from './echo-bots/echo-session.ts';
import { startEchoBot } from './echo-bots/start-echo-bot.ts';

type Entry = { action: string; actor_kind: string; details: string };

const PATIENCE = { timeoutMs: 60_000 };

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
}, 60_000);
afterAll(() => fleet.stop(), 60_000);

const exported = async (path: string): Promise<MessageResource[]> => {
  const answer = await fetch(`${fleet.url}${path}`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  return (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as MessageResource);
};

test.each(['grammy', 'telegraf'] as const)(
  'an unchanged bot in %s polls with a token of its program, beside the one with the token of the bot',
  async (library) => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const program = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: library });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      program_id: program.id,
      name: 'own',
    });
    const live = await openLive(fleet.url, `bot:${bot.id}`, { key: ADMIN_KEY });
    const running = await startEchoBot(library, { apiRoot: `${fleet.url}/tgapi`, token, mode: 'pull', secret: '' });
    try {
      const session = await openEchoSession(fleet.control, bot.platformId);
      expect((await sayText(session, 'hello')).text).toBe('hello');
      const answer = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getUpdates`);
      const { result } = (await answer.json()) as { result: { message?: { text?: string } }[] };
      expect(result.map(({ message }) => message?.text)).toContain('hello');
      const chat = `bot_id=${bot.id}&chat_id=${session.person}`;
      const echoed = await waitFor(async () => {
        const messages = await fleet.rest<MessageResource[]>(`/api/messages?${chat}`);
        return messages.find(({ outgoing }) => outgoing);
      }, PATIENCE);
      expect(echoed).toMatchObject({ text: 'hello', program_id: program.id, program: library });
      const lines = await exported(`/api/messages/export?${chat}&format=ndjson`);
      expect(lines.find(({ outgoing }) => outgoing)).toMatchObject({ program_id: program.id, program: library });
      await waitFor(() => live.named('call').length > 0, PATIENCE);
      expect(live.named('call')[0]?.data).toMatchObject({ program_id: program.id, program: library });
      const method = `deleteMessage?chat_id=${session.person}&message_id=${echoed!.id}`;
      await fetch(`${fleet.url}/tgapi/bot${token}/${method}`);
      const log = () => fleet.rest<Entry[]>(`/api/adminlog?${chat}`);
      await waitFor(async () => (await log()).some(({ action }) => action === 'delete'), PATIENCE);
      expect((await log()).filter(({ action }) => action !== 'export')).toEqual([
        expect.objectContaining({
          action: 'delete',
          actor_kind: 'bot',
          details: expect.stringContaining(`program ${program.id} (${library})`),
        }),
      ]);
      await fleet.rest('/api/programs/delete', { id: program.id });
      const kept = await fleet.rest<MessageResource[]>(`/api/messages?${chat}&include_deleted=true`);
      const left = kept.find(({ outgoing }) => outgoing);
      expect([left?.program_id, left?.program]).toEqual([program.id, undefined]);
    } finally {
      live.close();
      await running.stop();
    }
  },
  120_000,
);

test('two programs answer one press of a button: the second gets true, which is listed and counted', async () => {
  const bot = await fleet.addBot();
  const programs: { id: number; token: string }[] = [];
  for (const name of ['one', 'other']) {
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name });
    const wanted = { program_id: id, name: 'own' };
    programs.push({ id, token: (await fleet.rest<{ token: string }>('/api/programs/tokens/add', wanted)).token });
  }
  const [first, second] = programs as [(typeof programs)[0], (typeof programs)[0]];
  const call = async (token: string, method: string, replica = 0) => {
    const answer = await fetch(`http://127.0.0.1:${fleet.apis[replica]!.port}/tgapi/bot${token}/${method}`);
    return { status: answer.status, ...((await answer.json()) as { result?: unknown; description?: string }) };
  };
  const person = await fleet.control.createPerson({});
  await fleet.control.startBot({ person: person.id, bot: bot.platformId });
  const keyboard = encodeURIComponent('{"inline_keyboard":[[{"text":"Press","callback_data":"x"}]]}');
  const asked = await call(bot.token, `sendMessage?chat_id=${person.id}&text=ask&reply_markup=${keyboard}`);
  const { message_id: messageId } = asked.result as { message_id: number };
  const press = () => fleet.control.pressButton({ person: person.id, bot: bot.platformId, messageId });
  const answer = (token: string, id: string, replica = 0) =>
    call(token, `answerCallbackQuery?callback_query_id=${id}`, replica);
  const { queryId } = await press();
  // At once, and through two replicas: neither knows at first what the other one's call will get.
  const both = await Promise.all([answer(first.token, queryId, 0), answer(second.token, queryId, 1)]);
  expect(both).toEqual([1, 2].map(() => ({ status: 200, ok: true, result: true })));
  const other = await press();
  expect(await answer(bot.token, other.queryId)).toMatchObject({ status: 200 });
  expect(await answer(second.token, other.queryId, 1)).toMatchObject({ status: 200, result: true });
  expect(await answer(bot.token, other.queryId)).toMatchObject({
    ...{ status: 400, description: expect.stringContaining('query is too old') },
  });
  expect(await answer(second.token, '1')).toMatchObject({ status: 400 });
  const listed = async () => {
    const pages = programs.map(({ id }) => fleet.rest<{ reason: string }[]>(`/api/programs/refusals?id=${id}`));
    return (await Promise.all(pages)).flat().filter(({ reason }) => reason === 'answered').length;
  };
  await waitFor(async () => (await listed()) > 0, PATIENCE);
  const counts = fleet.apis.map((api) => readMetric(api, 'flotilla_callbacks_answered_before_total'));
  expect((await Promise.all(counts)).reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(2);
}, 120_000);

test('two grammY programs without an error handler both answer every press, and both go on', async () => {
  const bot = await fleet.addBot({ long_poll_enabled: true });
  const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'beside' });
  const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', { program_id: id, name: 'own' });
  const person = await fleet.control.createPerson({});
  await fleet.control.startBot({ person: person.id, bot: bot.platformId });
  const answered: string[][] = [[], []];
  const ended: unknown[] = [];
  const programs = [bot.token, token].map((own, at) => {
    const program = new Bot(own, { client: { apiRoot: `http://127.0.0.1:${fleet.apis[at]!.port}/tgapi` } });
    program.on('callback_query:data', async (context) => {
      await context.answerCallbackQuery('taken');
      answered[at]!.push(context.callbackQuery.id);
    });
    return program;
  });
  const running = programs.map((program) => program.start().catch((error: unknown) => void ended.push(error)));
  try {
    const keyboard = { inline_keyboard: [[{ text: 'Press', callback_data: 'x' }]] };
    const { message_id: messageId } = await programs[0]!.api.sendMessage(person.id, 'ask', { reply_markup: keyboard });
    for (const presses of [1, 2, 3]) {
      await fleet.control.pressButton({ person: person.id, bot: bot.platformId, messageId });
      await waitFor(() => answered.every(({ length }) => length === presses) || ended.length > 0, PATIENCE);
      expect(ended).toEqual([]);
    }
    expect(answered[0]).toEqual(answered[1]);
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
    await Promise.all(running);
  }
}, 120_000);

test('workers publish a revocation that was only stored, also while another bot cannot be read', async () => {
  const [unreadable, bot] = [await fleet.addBot(), await fleet.addBot()];
  const program = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'one' });
  const wanted = { program_id: program.id, name: 'own' };
  const { id, token } = await fleet.rest<{ id: number; token: string }>('/api/programs/tokens/add', wanted);
  const status = async () => (await fetch(`${fleet.url}/tgapi/bot${token}/getMe`)).status;
  expect(await status()).toBe(200);
  const db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  const revision = sql<number>`nextval('bot_revisions')`;
  const seal = (sealed: string) =>
    db.updateTable('bots').set({ token_sealed: sealed, revision }).where('id', '=', unreadable.id).execute();
  const row = db.selectFrom('bots').select('token_sealed').where('id', '=', unreadable.id);
  const { token_sealed: sealed } = await row.executeTakeFirstOrThrow();
  try {
    await seal('unreadable');
    await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('program_tokens').where('id', '=', id).execute();
      await transaction.updateTable('bots').set({ revision }).where('id', '=', bot.id).execute();
    });
    await waitFor(async () => (await status()) === 401, PATIENCE);
  } finally {
    await seal(sealed);
    await db.destroy();
  }
}, 120_000);
