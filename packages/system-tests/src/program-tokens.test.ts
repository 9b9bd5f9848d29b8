import type { MessageResource } from '@flotilla/contract/messages.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

test('two programs answer one press of a button: both calls reach the platform, which takes the first', async () => {
  const bot = await fleet.addBot();
  const tokens: string[] = [];
  for (const name of ['one', 'other']) {
    const program = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name });
    const wanted = { program_id: program.id, name: 'own' };
    tokens.push((await fleet.rest<{ token: string }>('/api/programs/tokens/add', wanted)).token);
  }
  const call = async (token: string, method: string) => {
    const answer = await fetch(`${fleet.url}/tgapi/bot${token}/${method}`);
    return { status: answer.status, ...((await answer.json()) as { result?: unknown; description?: string }) };
  };
  const person = await fleet.control.createPerson({});
  await fleet.control.startBot({ person: person.id, bot: bot.platformId });
  const keyboard = encodeURIComponent('{"inline_keyboard":[[{"text":"Press","callback_data":"x"}]]}');
  const asked = await call(bot.token, `sendMessage?chat_id=${person.id}&text=ask&reply_markup=${keyboard}`);
  const { message_id: messageId } = asked.result as { message_id: number };
  await fleet.control.pressButton({ person: person.id, bot: bot.platformId, messageId });
  const pressOf = async (token: string) => {
    const { result } = await call(token, 'getUpdates?timeout=5');
    return (result as { callback_query?: { id: string } }[]).find(({ callback_query: query }) => query)?.callback_query;
  };
  const presses = await Promise.all(tokens.map((token) => waitFor(() => pressOf(token), PATIENCE)));
  const [id] = presses.map((press) => press!.id);
  expect(presses.map((press) => press!.id)).toEqual([id, id]);
  const [first, second] = await Promise.all(
    tokens.map((token) => call(token, `answerCallbackQuery?callback_query_id=${id}`)),
  );
  expect([first!.status, second!.status].toSorted()).toEqual([200, 400]);
  const refused = [first!, second!].find(({ status }) => status === 400);
  expect(refused?.description).toMatch(/query is too old/);
  const { byMethod } = await fleet.control.readCalls({ bot: bot.platformId });
  expect(byMethod.answercallbackquery).toBe(2);
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
