import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEchoSession, sayText } from './echo-bots/echo-session.ts';
import { startEchoBot } from './echo-bots/start-echo-bot.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
}, 60_000);
afterAll(() => fleet.stop(), 60_000);

test.each(['grammy', 'telegraf'] as const)(
  'an unchanged bot in %s polls with a token of its program, beside the one with the token of the bot',
  async (library) => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const program = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: library });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      program_id: program.id,
      name: 'own',
    });
    const running = await startEchoBot(library, { apiRoot: `${fleet.url}/tgapi`, token, mode: 'pull', secret: '' });
    try {
      const session = await openEchoSession(fleet.control, bot.platformId);
      expect((await sayText(session, 'hello')).text).toBe('hello');
      const answer = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getUpdates`);
      const { result } = (await answer.json()) as { result: { message?: { text?: string } }[] };
      expect(result.map(({ message }) => message?.text)).toContain('hello');
      type Entry = { action: string; actor_kind: string; details: string };
      const log = () => fleet.rest<Entry[]>(`/api/adminlog?bot_id=${bot.id}&chat_id=${session.person}`);
      await waitFor(async () => (await log()).length > 0, { timeoutMs: 15_000 });
      expect(await log()).toContainEqual(
        expect.objectContaining({ action: 'send', actor_kind: 'bot', details: `program ${program.id} (${library})` }),
      );
    } finally {
      await running.stop();
    }
  },
  120_000,
);
