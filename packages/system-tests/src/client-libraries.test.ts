import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  editText,
  LARGE_FILE_BYTES,
  openEchoSession,
  pressButton,
  sayText,
  sendFile,
  textsOfBot,
} from './echo-bots/echo-session.ts';
import { LIBRARIES, startEchoBot } from './echo-bots/start-echo-bot.ts';

const CHATS = 4;
const MESSAGES_PER_CHAT = 50;
const SECRET = 'a-secret_1';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
}, 60_000);
afterAll(() => fleet.stop(), 60_000);

describe.each(LIBRARIES)('an unchanged bot in %s, through two api and two worker processes', (library) => {
  test.each(['pull', 'webhook'] as const)(
    'works as it does at the platform, in %s mode',
    async (mode) => {
      const bot = await fleet.addBot({ long_poll_enabled: mode === 'pull' });
      const program = await startEchoBot(library, {
        apiRoot: `${fleet.url}/tgapi`,
        token: bot.token,
        mode,
        secret: SECRET,
      });
      try {
        await expectEchoes(bot);
        await expectOrder(bot);
        await expectMode(bot, mode);
      } finally {
        await program.stop();
      }
    },
    120_000,
  );
});

async function expectEchoes(bot: FleetBot): Promise<void> {
  const session = await openEchoSession(fleet.control, bot.platformId);
  expect((await sayText(session, 'hello, wörld & <b>')).text).toBe('hello, wörld & <b>');
  const photo = await sendFile(session, { kind: 'photo', name: 'p.jpg', bytes: 40_000 });
  expect(photo.echoed.file?.sha256).toBe(photo.sentSha256);
  const document = await sendFile(session, { kind: 'document', name: 'a report.bin', bytes: LARGE_FILE_BYTES });
  expect(document.echoed.file).toMatchObject({ name: 'a report.bin', sha256: document.sentSha256 });
  expect(await pressButton(session)).toEqual({ text: 'pressed', answered: 'ok' });
  expect((await editText(session, 'better')).text).toBe('edited: better');
  await expectHistory(bot, session.person);
}

/** The history has both sides of the conversation: the person's texts and button presses, and the bot's messages. */
async function expectHistory(bot: FleetBot, chat: number): Promise<void> {
  type Row = { text?: string; outgoing: boolean; media_type?: string };
  const wanted: Row[] = [
    { text: 'hello, wörld & <b>', outgoing: false },
    { text: 'hello, wörld & <b>', outgoing: true },
    { media_type: 'document', outgoing: false },
    { media_type: 'document', outgoing: true },
    { media_type: 'callback', outgoing: false },
    { text: 'pressed', outgoing: true },
    { text: 'better', outgoing: false },
    { text: 'edited: better', outgoing: true },
  ];
  const missing = async () => {
    const rows = await fleet.rest<Row[]>(`/api/messages?bot_id=${bot.id}&chat_id=${chat}&limit=200`);
    return wanted.filter(
      (row) => !rows.some((found) => Object.entries(row).every(([name, value]) => found[name as keyof Row] === value)),
    );
  };
  await waitFor(async () => (await missing()).length === 0, { timeoutMs: 15_000 }).catch(() => {});
  expect(await missing()).toEqual([]);
}

/** Sends many messages in several chats at once; the answers of each chat must keep its order. */
async function expectOrder(bot: FleetBot): Promise<void> {
  const sessions = await Promise.all(
    Array.from({ length: CHATS }, () => openEchoSession(fleet.control, bot.platformId)),
  );
  const said = Array.from({ length: MESSAGES_PER_CHAT }, (_, number) => `number ${number}`);
  for (const text of said) {
    for (const { person } of sessions) {
      await fleet.control.sendMessage({ person, bot: bot.platformId, text });
    }
  }
  for (const session of sessions) expect(await textsOfBot(session, said.length)).toEqual(said);
}

/** setWebhook sets the bot's backend here and keeps its secret; the platform must never get a webhook. */
async function expectMode(bot: FleetBot, mode: 'pull' | 'webhook'): Promise<void> {
  expect((await fleet.control.readWebhook({ bot: bot.platformId })).url).toBe('');
  const bots = await fleet.rest<{ id: number; backend_url: string; secret_token: string }[]>('/api/bots');
  const { backend_url, secret_token } = bots.find(({ id }) => id === bot.id)!;
  expect([backend_url === '', secret_token]).toEqual(mode === 'pull' ? [true, ''] : [false, SECRET]);
}
