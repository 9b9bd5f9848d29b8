import { createHash } from 'node:crypto';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FILE } from './echo-bots/echo-bot-settings.ts';
import { askForFile, type EchoSession, openEchoSession, sayText, sendFile } from './echo-bots/echo-session.ts';
import { type EchoBot, LIBRARIES, type Library, startEchoBot } from './echo-bots/start-echo-bot.ts';

/** A page of the history holds all answers in the shared chat. */
const MESSAGES = 20;
const SECRET = 'a-secret_2';

type Seat = { library: Library; mode: 'pull' | 'webhook'; programId: number; own: EchoSession; running: EchoBot };
type Row = { text?: string; outgoing: boolean; program_id?: number };

let fleet: Fleet;
let bot: FleetBot;
let shared: EchoSession;
const seats: Seat[] = [];

beforeAll(async () => {
  fleet = await startFleet();
  bot = await fleet.addBot();
  shared = await openEchoSession(fleet.control, bot.platformId);
  for (const [at, library] of LIBRARIES.entries()) seats.push(await seat(library, at % 2 === 0 ? 'pull' : 'webhook'));
}, 180_000);
afterAll(async () => {
  await Promise.all(seats.map(({ running }) => running.stop()));
  await fleet.stop();
}, 60_000);

/** A program for this library that gets two chats, and its unchanged bot, which has the program's token only. */
async function seat(library: Library, mode: 'pull' | 'webhook'): Promise<Seat> {
  const own = await openEchoSession(fleet.control, bot.platformId);
  const { id: programId } = await fleet.rest<{ id: number }>('/api/programs/add', {
    bot_id: bot.id,
    name: library,
    filter: { chat_ids: [own.person, shared.person] },
  });
  const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
    program_id: programId,
    name: 'own',
  });
  const running = await startEchoBot(library, { apiRoot: `${fleet.url}/tgapi`, token, mode, secret: SECRET });
  return { library, mode, programId, own, running };
}

test('unchanged bots in seven libraries are programs of one bot: each answers in its chats, and in order', async () => {
  const said = Array.from({ length: MESSAGES }, (_, number) => `number ${number}`);
  for (const { own } of seats) expect((await sayText(own, 'hello')).text).toBe('hello');
  for (const { own } of seats) {
    const { echoed, sentSha256 } = await sendFile(own, { kind: 'document', name: 'a report.bin', bytes: 40_000 });
    expect(echoed.file?.sha256).toBe(sentSha256);
  }
  for (const [at, text] of said.entries()) {
    for (const { person } of [...seats.map(({ own }) => own), shared]) {
      await fleet.control.sendMessage({ person, bot: bot.platformId, text });
    }
    // The other worker goes on with what this one had in hand.
    if (at === MESSAGES / 2) await replaceWorker();
  }
  for (const { own, programId } of seats) {
    expect(await answersOf(programId, own, ['hello', ...said])).toEqual(['hello', ...said]);
    expect(await answersOf(programId, shared, said)).toEqual(said);
    expect(await programsIn(own)).toEqual([programId]);
  }
  expect(await modes()).toEqual(seats.map(({ mode }) => (mode === 'pull' ? 'pull' : 'push')));
  expect((await fleet.control.readWebhook({ bot: bot.platformId })).url).toBe('');
}, 180_000);

test.each(LIBRARIES)(
  'an unchanged bot in %s sends a file with a token of its chat, and gets no further',
  async (library) => {
    const [own, other] = [await openEchoSession(fleet.control, bot.platformId), seats[0]!.own];
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', {
      ...{ bot_id: bot.id, name: `${library} in one chat`, filter: { chat_ids: [own.person, other.person] } },
    });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      ...{ program_id: id, name: 'own', chats: [own.person] },
    });
    const running = await startEchoBot(library, { apiRoot: `${fleet.url}/tgapi`, token, mode: 'pull' });
    try {
      await fleet.control.sendMessage({ person: other.person, bot: bot.platformId, text: `not for ${library}` });
      const { file } = await askForFile(own);
      expect(file).toMatchObject({ name: FILE.name, sha256: createHash('sha256').update(FILE.bytes).digest('hex') });
      expect((await sayText(own, 'hello')).text).toBe('hello');
      await waitFor(async () => (await rowsOf(own)).length === 2, { timeoutMs: 60_000 });
      expect(await programsIn(own)).toEqual([id]);
      expect(await programsIn(other)).not.toContain(id);
    } finally {
      await running.stop();
      await fleet.rest('/api/programs/delete', { id });
    }
  },
  90_000,
);

async function replaceWorker(): Promise<void> {
  await fleet.workers.shift()!.kill();
  await fleet.start('worker');
}

/** What the bot wrote there, the oldest first. */
async function rowsOf({ person }: EchoSession): Promise<Row[]> {
  const rows = await fleet.rest<Row[]>(`/api/messages?bot_id=${bot.id}&chat_id=${person}&limit=200`);
  return rows.filter(({ outgoing }) => outgoing).reverse();
}
const programsIn = async (session: EchoSession) => [...new Set((await rowsOf(session)).map((row) => row.program_id))];

/** What this program wrote there, in order and each text once: an update may come twice when its worker is killed. */
async function answersOf(programId: number, session: EchoSession, wanted: string[]): Promise<unknown[]> {
  let texts: unknown[] = [];
  const complete = async () => {
    const rows = (await rowsOf(session)).filter((row) => row.program_id === programId && row.text !== undefined);
    texts = [...new Set(rows.map(({ text }) => text))];
    return texts.length === wanted.length;
  };
  await waitFor(complete, { timeoutMs: 60_000 }).catch(() => {});
  return texts;
}

async function modes(): Promise<string[]> {
  const programs = await fleet.rest<{ id: number; mode: string }[]>(`/api/programs?bot_id=${bot.id}`);
  return seats.map(({ programId }) => programs.find(({ id }) => id === programId)!.mode);
}
