import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type EchoSession,
  editText,
  LARGE_FILE_BYTES,
  openEchoSession,
  pressButton,
  sayText,
  sendFile,
  textsOfBot,
} from './echo-bots/echo-session.ts';
import { type EchoBot, LIBRARIES, type Library, startEchoBot } from './echo-bots/start-echo-bot.ts';
import { movingBots } from './moving-bots.ts';
import { type SideBySide, startSideBySide } from './servers-side-by-side.ts';

const CHATS = 4;
const MESSAGES_PER_CHAT = 50;
const SECRET = 'a-secret_1';
/** The cloud gives out 20 MiB at most. */
const LARGER_THAN_AT_CLOUD = 21 * 1024 * 1024;

type Mode = 'pull' | 'webhook';
type Running = { bot: FleetBot; program: EchoBot };

let servers: SideBySide;
let bots: ReturnType<typeof movingBots>;

beforeAll(async () => {
  servers = await startSideBySide({ apis: 2, workers: 2 });
  bots = movingBots(servers);
}, 60_000);
afterAll(() => servers?.stop(), 60_000);

/** A bot with its unchanged program, which knows the token and the API root only. */
async function start(library: Library, mode: Mode): Promise<Running> {
  const { bot } = await bots.botWithPerson({ long_poll_enabled: mode === 'pull' });
  const settings = { apiRoot: `${servers.fleet.url}/tgapi`, token: bot.token, mode, secret: SECRET };
  return { bot, program: await startEchoBot(library, settings) };
}

describe.each(LIBRARIES)('an unchanged bot in %s, through two api and two worker processes', (library) => {
  test.each(['pull', 'webhook'] as const)(
    'works as it does at the platform, in %s mode',
    async (mode) => {
      const { bot, program } = await start(library, mode);
      try {
        await expectEchoes(bot, LARGE_FILE_BYTES);
        await expectOrder(bot);
        await expectMode(bot, mode);
      } finally {
        await program.stop();
      }
    },
    120_000,
  );
});

describe('while unchanged bots run, their bots move to a local server', () => {
  const moved = new Map<Library, Running & { mode: Mode; session: EchoSession }>();
  beforeAll(async () => {
    for (const [at, library] of LIBRARIES.entries()) {
      const mode = at % 2 === 0 ? 'pull' : 'webhook';
      const running = await start(library, mode);
      const session = await openEchoSession(servers.cloud, running.bot.platformId);
      moved.set(library, { ...running, mode, session });
      expect((await sayText(session, 'hello')).text).toBe('hello');
      await bots.move(running.bot, 'local');
    }
    for (const { bot } of moved.values()) await bots.arrives(bot, 'local');
  }, 180_000);
  afterAll(async () => {
    for (const { program } of moved.values()) await program.stop();
  }, 60_000);

  test.each(LIBRARIES)(
    '%s works on there, with files that are on the disk and larger than those of the cloud',
    async (library) => {
      const { bot, mode, session } = moved.get(library)!;
      expect((await sayText(session, 'hello again')).text).toBe('hello again');
      await expectEchoes(bot, LARGER_THAN_AT_CLOUD);
      await expectMode(bot, mode);
      const { calls } = await servers.cloud.readCalls({ bot: bot.platformId, method: 'sendDocument' });
      expect(calls.map(({ server }) => server)).toEqual(['local']);
    },
    120_000,
  );
});

async function expectEchoes(bot: FleetBot, bytes: number): Promise<void> {
  const session = await openEchoSession(servers.cloud, bot.platformId);
  expect((await sayText(session, 'hello, wörld & <b>')).text).toBe('hello, wörld & <b>');
  const photo = await sendFile(session, { kind: 'photo', name: 'p.jpg', bytes: 40_000 });
  expect(photo.echoed.file?.sha256).toBe(photo.sentSha256);
  const document = await sendFile(session, { kind: 'document', name: 'a report.bin', bytes });
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
    const rows = await servers.fleet.rest<Row[]>(`/api/messages?bot_id=${bot.id}&chat_id=${chat}&limit=200`);
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
    Array.from({ length: CHATS }, () => openEchoSession(servers.cloud, bot.platformId)),
  );
  const said = Array.from({ length: MESSAGES_PER_CHAT }, (_, number) => `number ${number}`);
  for (const text of said) {
    for (const { person } of sessions) {
      await servers.cloud.sendMessage({ person, bot: bot.platformId, text });
    }
  }
  for (const session of sessions) expect(await textsOfBot(session, said.length)).toEqual(said);
}

/** setWebhook sets the bot's backend here and keeps its secret; the platform must never get a webhook. */
async function expectMode(bot: FleetBot, mode: Mode): Promise<void> {
  expect((await servers.cloud.readWebhook({ bot: bot.platformId })).url).toBe('');
  const { backend_url, secret_token } = await bots.shown(bot);
  expect([backend_url === '', secret_token]).toEqual(mode === 'pull' ? [true, ''] : [false, SECRET]);
}
