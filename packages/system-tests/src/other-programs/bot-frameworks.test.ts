import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer, type Server } from 'node:tls';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FILE } from '../echo-bots/echo-bot-settings.ts';
import {
  askForFile,
  type EchoSession,
  editText,
  openEchoSession,
  pressButton,
  sayText,
  sendFile,
  textsOfBot,
} from '../echo-bots/echo-session.ts';
import { type EchoBot, startBotProgram } from '../echo-bots/start-echo-bot.ts';

type Mode = 'pull' | 'webhook';
type Program = 'telebot' | 'nestjs-telegraf' | 'chat-sdk' | 'grammy-plugins';

const SECRET = 'a-secret_3';
const SHA256_OF_FILE = createHash('sha256').update(FILE.bytes).digest('hex');
const MINUTES = 120_000;

let fleet: Fleet;
/** @grammyjs/files downloads by https only. */
let front: { url: string; caFile: string; server: Server };
const running: EchoBot[] = [];

beforeAll(async () => {
  [fleet, front] = await Promise.all([startFleet(), startTlsFront()]);
}, 60_000);
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  front.server.close();
  await fleet.stop();
}, 60_000);

async function startTlsFront(): Promise<typeof front> {
  const { caFile, certFile, keyFile } = await (await startTlsAuthority()).issue('IP:127.0.0.1');
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const server = createServer({ cert, key }, (client) => {
    const service = connect(Number(new URL(fleet.url).port), '127.0.0.1');
    pipeline(client, service, client, () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caFile, server };
}

async function start(program: Program, mode: Mode, token: string): Promise<void> {
  const host = program === 'grammy-plugins' ? front.url : fleet.url;
  const settings = { apiRoot: `${host}/tgapi`, token, mode, secret: SECRET };
  const environment = { NODE_EXTRA_CA_CERTS: front.caFile };
  running.push(await startBotProgram(new URL(`./${program}.ts`, import.meta.url), settings, environment));
}

/** A new bot, and this program with the bot's own token or with a token of a program of the bot. */
async function startWith(of: 'bot' | 'program', program: Program, mode: Mode): Promise<FleetBot> {
  const bot = await fleet.addBot({ long_poll_enabled: mode === 'pull' });
  if (of === 'bot') await start(program, mode, bot.token);
  else {
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: program });
    const made = await fleet.rest<{ token: string }>('/api/programs/tokens/add', { program_id: id, name: 'own' });
    await start(program, mode, made.token);
  }
  return bot;
}

const sessionWith = (bot: FleetBot): Promise<EchoSession> => openEchoSession(fleet.control, bot.platformId);

async function expectFiles(session: EchoSession): Promise<void> {
  expect((await askForFile(session)).file).toMatchObject({ name: FILE.name, sha256: SHA256_OF_FILE });
  const sent = await sendFile(session, { kind: 'document', name: 'a report.bin', bytes: 300_000 });
  expect(sent.echoed.file).toMatchObject({ name: 'a report.bin', sha256: sent.sentSha256 });
}

async function expectOrder(bot: FleetBot): Promise<void> {
  const session = await sessionWith(bot);
  const said = Array.from({ length: 20 }, (_, number) => `number ${number}`);
  for (const text of said) await fleet.control.sendMessage({ person: session.person, bot: bot.platformId, text });
  expect(await textsOfBot(session, said.length)).toEqual(said);
}

/** Waits until the history has what both sides wrote there. */
async function expectStored(bot: FleetBot, { person }: EchoSession, texts: string[]): Promise<void> {
  const missing = async () => {
    const rows = await fleet.rest<{ text?: string }[]>(`/api/messages?bot_id=${bot.id}&chat_id=${person}&limit=200`);
    return texts.filter((wanted) => !rows.some(({ text }) => text === wanted));
  };
  await waitFor(async () => (await missing()).length === 0, { timeoutMs: 15_000 }).catch(() => {});
  expect(await missing()).toEqual([]);
}

const WAYS = [
  ['pull', 'bot'],
  ['pull', 'program'],
  ['webhook', 'bot'],
  ['webhook', 'program'],
] as const;

describe.each([
  ['telebot', WAYS],
  // Its webhook is the one of Telegraf, which has tests of its own.
  ['nestjs-telegraf', WAYS.filter(([mode]) => mode === 'pull')],
] as const)('an unchanged bot in %s', (program, ways) => {
  test.each(ways)(
    'works as it does at the platform, in %s mode with a token of the %s',
    async (mode, of) => {
      const bot = await startWith(of, program, mode);
      const session = await sessionWith(bot);
      expect((await sayText(session, 'hello, wörld & <b>')).text).toBe('hello, wörld & <b>');
      await expectFiles(session);
      expect(await pressButton(session)).toEqual({ text: 'pressed', answered: 'ok' });
      expect((await editText(session, 'better')).text).toBe('edited: better');
      await expectOrder(bot);
      await expectStored(bot, session, ['hello, wörld & <b>', 'pressed', 'edited: better']);
      expect((await fleet.control.readWebhook({ bot: bot.platformId })).url).toBe('');
    },
    MINUTES,
  );
});

describe('a chat of the Chat SDK with its Telegram adapter', () => {
  test.each(WAYS)(
    'works as it does at the platform, in %s mode with a token of the %s',
    async (mode, of) => {
      const bot = await startWith(of, 'chat-sdk', mode);
      const session = await sessionWith(bot);
      expect((await sayText(session, 'hello, wörld & <b>')).text).toBe('hello, wörld & <b>');
      await expectFiles(session);
      // The adapter answers the press itself, without a text.
      expect(await pressButton(session)).toEqual({ text: 'pressed', answered: undefined });
      // It is sent as dots, and edited into a rich message while it comes.
      await fleet.control.sendMessage({ person: session.person, bot: bot.platformId, text: 'stream one two' });
      await waitFor(async () => (await shownOfBot(session)).includes('"text":"one two"'), { timeoutMs: 30_000 });
      await expectStored(bot, session, ['hello, wörld & <b>', 'pressed', 'one two']);
    },
    MINUTES,
  );
});

describe('a bot in grammY with its runner, auto-retry, files, conversations and menu', () => {
  test.each(['bot', 'program'] as const)(
    'works as it does at the platform, with a token of the %s',
    async (of) => {
      const bot = await startWith(of, 'grammy-plugins', 'pull');
      const session = await sessionWith(bot);
      const { control, person } = session;
      expect((await sayText(session, 'hello')).text).toBe('hello');
      const sent = await sendFile(session, { kind: 'document', name: 'a report.bin', bytes: 300_000 });
      expect(sent.echoed.file).toMatchObject({ name: 'a report.bin', sha256: sent.sentSha256 });

      for (const [said, answer] of [
        ['/order', 'How many?'],
        ['three', 'Which colour?'],
        ['red', 'three in red'],
        ['red', 'red'],
      ] as const) {
        expect((await sayText(session, said)).text).toBe(answer);
      }

      const { message_id: messageId } = await sayText(session, '/menu');
      const press = (text: string) => control.pressButton({ person, bot: bot.platformId, messageId, text });
      await press('more');
      await waitFor(async () => (await buttonsOf(session, messageId)).includes('done'), { timeoutMs: 30_000 });
      const { queryId } = await press('done');
      await waitFor(async () => (await shownOfBot(session)).includes('"text":"chosen"'), { timeoutMs: 30_000 });
      await waitFor(async () => (await control.readQuery({ queryId })).answer !== null, { timeoutMs: 30_000 });

      const effect = { kind: 'status', status: 429, retryAfterS: 1 } as const;
      await control.setFault({ bot: bot.platformId, method: 'sendMessage', count: 1, effect });
      expect((await sayText(session, 'after a flood')).text).toBe('after a flood');
      await expectOrder(bot);
    },
    MINUTES,
  );
});

async function messagesOf({ control, bot, person }: EchoSession) {
  return (await control.readChat({ person, bot })).messages;
}
/** The bot's last message, as JSON. */
async function shownOfBot(session: EchoSession): Promise<string> {
  const messages = await messagesOf(session);
  return JSON.stringify(messages.findLast(({ from }) => (from as { id?: number } | undefined)?.id === session.bot));
}
async function buttonsOf(session: EchoSession, messageId: number): Promise<string[]> {
  const message = (await messagesOf(session)).find(({ message_id }) => message_id === messageId);
  const markup = message?.reply_markup as { inline_keyboard: { text: string }[][] } | undefined;
  return (markup?.inline_keyboard ?? []).flat().map(({ text }) => text);
}
