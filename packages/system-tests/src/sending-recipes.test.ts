import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { autoRetry } from '@grammyjs/auto-retry';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Bot, InputFile, InputMediaBuilder } from 'grammy';
import { Telegraf } from 'telegraf';

type WithKey = <T>(call: () => Promise<T>, key?: string) => Promise<T>;

const PAGE = join(import.meta.dirname, '../../../docs/SENDING.md');
const MODULES = join(import.meta.dirname, '../../../node_modules');
/** The library waits for seconds before it tries again. */
const WITHIN_MS = 60_000;

let fleet: Fleet;
let lossy: Server;
let apiRoot: string;
let folder: string;
let withKey: WithKey;
let bot: FleetBot;
let ada: number;
const scripts: ChildProcess[] = [];
/** The keys of each send that passed, in their order; the answer to the first of each key is lost. */
let tries: string[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 1 });
  lossy = createServer((incoming, outgoing) => {
    const key = incoming.headers['idempotency-key'];
    const isSend = /\/send\w+$/.test(incoming.url ?? '');
    const isLost = isSend && !tries.includes(String(key));
    if (isSend) tries.push(String(key));
    const { method, headers } = incoming;
    const passed = request(`${fleet.url}${incoming.url}`, { method, headers }, (answer: IncomingMessage) => {
      answer.on('end', () => isLost && outgoing.destroy());
      if (isLost) answer.resume();
      else answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers));
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => lossy.listen(0, '127.0.0.1', resolve));
  apiRoot = `http://127.0.0.1:${(lossy.address() as AddressInfo).port}/tgapi`;
  folder = await throwAwayDir();
  await symlink(MODULES, join(folder, 'node_modules'));
  for (const [, name, text] of (await readFile(PAGE, 'utf8')).matchAll(/```js\n\/\/ (\w+\.mjs)\n([\s\S]*?)```/g)) {
    await writeFile(join(folder, String(name)), String(text));
  }
  ({ withKey } = (await import(join(folder, 'keys.mjs'))) as { withKey: WithKey });
}, 60_000);
afterAll(async () => {
  for (const script of scripts) script.kill('SIGKILL');
  lossy?.closeAllConnections();
  lossy?.close();
  await fleet?.stop();
}, 60_000);
beforeEach(async () => {
  bot = await fleet.addBot({ long_poll_enabled: true });
  ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
  await fleet.control.startBot({ person: ada, bot: bot.platformId, quietly: true });
  tries = [];
}, 60_000);

async function sentByBot() {
  const { messages } = await fleet.control.readChat({ person: ada, bot: bot.platformId });
  return messages.filter(({ from }) => (from as { id: number } | undefined)?.id === bot.platformId);
}
const isTriedTwice = (key: string) => tries.filter((tried) => tried === key).length === 2;

test.each(['grammy.mjs', 'telegraf.mjs'])(
  'the bot of %s answers each message once, although every first answer is lost',
  async (file) => {
    const env = { PATH: inheritedEnv().PATH, API_ROOT: apiRoot, BOT_TOKEN: bot.token };
    const script = spawn(process.execPath, [join(folder, file)], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    scripts.push(script);
    for (const text of ['one', 'two']) {
      await fleet.control.sendMessage({ person: ada, bot: bot.platformId, text });
      await waitFor(
        async () => (await sentByBot()).at(-1)?.text === `You said: ${text}` && isTriedTwice(tries.at(-1) ?? ''),
        {
          timeoutMs: WITHIN_MS,
        },
      );
    }
    script.kill('SIGKILL');
    expect((await sentByBot()).map(({ text }) => text)).toEqual(['You said: one', 'You said: two']);
    expect(new Set(tries).size).toBe(2);
  },
  120_000,
);

const PICTURES = [Buffer.alloc(100_000, 'a'), Buffer.alloc(200_000, 'b')];

/** Sends two pictures as an album, and gives the ids of its messages. */
const ALBUMS: [name: string, send: () => Promise<{ message_id: number }[]>][] = [
  [
    'grammY',
    async () => {
      const { api } = new Bot(bot.token, { client: { apiRoot } });
      api.config.use(autoRetry({ maxRetryAttempts: 3 }));
      api.config.use((next, ...call) => withKey(() => next(...call)));
      return api.sendMediaGroup(
        ada,
        PICTURES.map((bytes) => InputMediaBuilder.photo(new InputFile(bytes))),
      );
    },
  ],
  [
    'Telegraf',
    async () => {
      const { telegram } = new Telegraf(bot.token, { telegram: { apiRoot: `${apiRoot}/` } });
      const send = () =>
        telegram.sendMediaGroup(
          ada,
          PICTURES.map((source) => ({ type: 'photo' as const, media: { source } })),
        );
      return withKey(() => send().catch(send), 'album');
    },
  ],
];

test.each(ALBUMS)(
  'an album that %s uploads again, with other names in its form, is sent once',
  async (_name, send) => {
    const messages = await send();
    expect([tries.length, new Set(tries).size]).toEqual([2, 1]);
    expect((await sentByBot()).map(({ message_id }) => message_id)).toEqual(
      messages.map(({ message_id }) => message_id),
    );
  },
  120_000,
);
