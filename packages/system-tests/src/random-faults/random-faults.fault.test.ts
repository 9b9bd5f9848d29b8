import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '@flotilla/runtime/env.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { seededRandom } from '@flotilla/testing/random.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Ledger, ledger } from '../ledger.ts';
import { type Fault, makeFaults, type Refusal } from './faults.ts';
import { lacksPins, lacksReceived, lacksRouted, lacksSent, readHistory, type Sent } from './history-books.ts';
import { type Installation, startInstallation, untilReady } from './installation.ts';
import {
  type Bot,
  type Call,
  ROUTED_PAUSE_MS,
  startPolling,
  startSending,
  startWatchingBuffers,
  startWriting,
  type Written,
} from './traffic.ts';

const settings = readSettings(
  z.object({
    /** The seed of an earlier run, to repeat its faults. */
    FAULT_SEED: z.coerce.number().int().optional(),
    FAULT_SECONDS: z.coerce.number().int().positive().default(60),
    /** A folder for the logs of the processes. */
    FAULT_LOGS: z.string().optional(),
  }),
);
const SEED = settings.FAULT_SEED ?? randomInt(2 ** 32);
const WRITERS_PER_BOT = 3;
/** A breaker probes at least every 60 s, and the platform repeats a push after one or two minutes. */
const WHOLE_AGAIN_MS = 240_000;
/** A share of what each reader got: updates in flight during a fault may arrive twice. */
const TWICE_AT_MOST = 0.05;
/** The largest number of faults that a failed assertion prints. */
const SHOWN_AT_MOST = 30;

let installation: Installation;
let bots: { all: Bot; pushed: Bot; target: Bot };
const books: Record<'backend' | 'pushedBackend' | 'poll' | 'consumer' | 'routed', Ledger> = {
  backend: ledger(),
  pushedBackend: ledger(),
  poll: ledger(),
  consumer: ledger(),
  routed: ledger(),
};
const cleanUp = new AsyncDisposableStack();
let refusal: Refusal;
/** A rule copies messages from chat `from` to chat `to`. */
let routedChats: { from: number; to: number };

beforeAll(async () => {
  installation = cleanUp.adopt(await startInstallation(), (started) => started.stop());
  let refusing = false;
  const backend = cleanUp.adopt(
    await startBackend((request, response) => {
      if (refusing) {
        response.writeHead(503).end();
        return;
      }
      (request.url === '/pushed' ? books.pushedBackend : books.backend).record(request.text);
      response.end();
    }),
    (started) => started.stop(),
  );
  refusal = {
    name: 'backend',
    turn: (on) => {
      refusing = on;
    },
  };
  const way = await installation.link('workers to backend', 'backend', () => Number(new URL(backend.url).port));
  const backend_url = `http://127.0.0.1:${way.port}`;
  const add = async (fields: object): Promise<Bot> => {
    const known = await installation.control.createBot({});
    const { id } = await installation.rest<{ id: number }>('/api/bots/add', { token: known.token, ...fields });
    return { id, token: known.token, platformId: known.id };
  };
  bots = {
    all: await add({ proxy_enabled: true, long_poll_enabled: true, backend_url: `${backend_url}/all` }),
    pushed: await add({ webhook_mode: true, proxy_enabled: true, backend_url: `${backend_url}/pushed` }),
    target: await add({}),
  };
  routedChats = { from: await newPerson(bots.all), to: await newPerson(bots.target) };
  await installation.rest('/api/routes/add', {
    source_bot_id: bots.all.id,
    target_bot_id: bots.target.id,
    condition_type: 'chat_id',
    condition_value: String(routedChats.from),
    action: 'copy',
    target_chat_id: routedChats.to,
  });
}, 180_000);
afterAll(() => cleanUp.disposeAsync(), 60_000);

test(
  `random faults of every process, store and link, for ${settings.FAULT_SECONDS} s: every reader gets everything in order, and what bots sent is kept`,
  async () => {
    report(`FAULT_SEED=${SEED} FAULT_SECONDS=${settings.FAULT_SECONDS}`);
    const { control, apis, apiUrls, workers, parts, links } = installation;
    const written: Written[] = [startWriting(control, bots.all, routedChats.from, ROUTED_PAUSE_MS)];
    for (const bot of [bots.all, bots.pushed]) {
      for (let at = 0; at < WRITERS_PER_BOT; at += 1) written.push(startWriting(control, bot, await newPerson(bot)));
    }
    const polling = [
      startPolling(apiUrls, `/tgapi/bot${bots.all.token}/getUpdates`, books.poll),
      startPolling(apiUrls.toReversed(), `/api/updates/poll?bot_id=${bots.all.id}&consumer=second`, books.consumer),
    ];
    const sending: ReturnType<typeof startSending>[] = [];
    for (const bot of [bots.all, bots.pushed]) {
      for (const [at, api] of apis.entries()) {
        sending.push(startSending(api, apiUrls[at]!, bot, await newPerson(bot), `s${sending.length}`));
      }
    }
    const buffers = startWatchingBuffers(installation);

    const faults = await makeFaults(seededRandom(SEED), { parts, links, refusals: [refusal] }, settings.FAULT_SECONDS);
    await Promise.all([...written, ...sending].map((one) => one.stop()));
    const calls = sending.flatMap((one) => one.calls);
    const wholeSinceMs = Date.now();
    await untilReady([...apis, ...workers], WHOLE_AGAIN_MS);
    await waitFor(async () => (await whatIsMissing(written)).length === 0, { timeoutMs: WHOLE_AGAIN_MS }).catch(
      () => null,
    );
    await waitFor(nothingWaits, { timeoutMs: WHOLE_AGAIN_MS });
    const tookMs = Date.now() - wholeSinceMs;
    await Promise.all([...polling, buffers].map((one) => one.stop()));

    const promises = { faults, storedUpToMs: buffers.storedUpToMs };
    const lives = workers.flatMap((worker) => worker.lives);
    const judge = async () => {
      const history = await readHistory(installation);
      const sent = await Promise.all([...new Map(calls.map((call) => [call.chat, call])).values()].map(shownIn));
      const routed = await shownIn({ bot: bots.target, chat: routedChats.to });
      return {
        sent: lacksSent(history, sent.flat(), calls, promises),
        pins: lacksPins(history, calls, promises),
        routed: lacksRouted(history, routed, lives, promises),
        shown: sent.flat().length + routed.length,
      };
    };
    // Turns write the history, so calls on its stream are stored a little later.
    const isWhole = async () => {
      const { sent, pins, routed } = await judge();
      return [sent, pins, routed].every((one) => one.faults.length === 0);
    };
    await waitFor(isWhole, { timeoutMs: 30_000 }).catch(() => null);
    const judged = await judge();
    await writeLogs();
    report(summary(faults, written, calls, judged, tookMs));

    expect((await whatIsMissing(written)).slice(0, SHOWN_AT_MOST)).toEqual([]);
    expect(Object.values(books).flatMap((book) => book.disorder())).toEqual([]);
    expect([...judged.sent.faults, ...judged.pins.faults, ...judged.routed.faults].slice(0, SHOWN_AT_MOST)).toEqual([]);
    const twice = Object.entries(books).filter(([, book]) => book.duplicates() > 10 + book.count() * TWICE_AT_MOST);
    expect(twice.map(([name, book]) => `${name}: ${book.duplicates()} of ${book.count()} came twice`)).toEqual([]);
    expect(endedByThemselves()).toEqual([]);
    expect(await deadLetters()).toEqual([]);
  },
  (settings.FAULT_SECONDS + 600) * 1000,
);

async function newPerson(bot: Bot): Promise<number> {
  const { id } = await installation.control.createPerson({});
  await installation.control.startBot({ person: id, bot: bot.platformId, quietly: true });
  return id;
}

/** Updates that the platform accepted but a reader or the history lacks. */
async function whatIsMissing(written: Written[]): Promise<string[]> {
  await readRouted();
  const { backend, pushedBackend, poll, consumer, routed } = books;
  const lacking = written.flatMap(({ bot, chat, taken }) => {
    const ofBot = bot === bots.all ? { backend, poll, consumer } : { pushedBackend };
    const readers = chat === routedChats.from ? { ...ofBot, routed } : ofBot;
    return Object.entries(readers).flatMap(([name, book]) =>
      taken.flatMap((number) => (book.has(chat, number) ? [] : [`${name}: u${number} of chat ${chat}`])),
    );
  });
  if (lacking.length > 0) return lacking;
  return lacksReceived(await readHistory(installation), written).map((one) => `history: ${one}`);
}

let routedSeen = 0;
/** The routing rule delivers to a chat of the platform: read its new messages. */
async function readRouted(): Promise<void> {
  const shown = await shownIn({ bot: bots.target, chat: routedChats.to });
  for (const { text } of shown.slice(routedSeen)) {
    const source = / of (\d+)$/.exec(text)?.[1];
    books.routed.record(`"chat":{"id":${source}},"text":"${text}"`);
  }
  routedSeen = shown.length;
}

async function shownIn({ bot, chat }: { bot: Bot; chat: number }): Promise<Sent[]> {
  const { messages } = await installation.control.readChat({ person: chat, bot: bot.platformId });
  return messages.flatMap(({ message_id: id, text, date, from }) =>
    text !== undefined && (from as { is_bot: boolean }).is_bot ? [{ bot, chat, id, text, atMs: date * 1000 }] : [],
  );
}

async function nothingWaits(): Promise<boolean> {
  const states = await installation.rest<{ id: number; pending_update_count: number }[]>('/api/bots');
  const atPlatform = await Promise.all(
    Object.values(bots).map(({ platformId }) => installation.control.pendingUpdates({ bot: platformId })),
  );
  const services = [...installation.apis, ...installation.workers];
  const waiting = await Promise.all(
    services.map(({ lives }) => readMetric(lives.at(-1)!.process, 'flotilla_captured_calls_waiting')),
  );
  return (
    states.every((state) => state.pending_update_count === 0) &&
    atPlatform.every(({ count }) => count === 0) &&
    waiting.every((count) => count === 0 || count === undefined)
  );
}

function endedByThemselves(): string[] {
  return [...installation.apis, ...installation.workers].flatMap(({ name, lives }) =>
    lives.flatMap(({ process, killedAtMs }) =>
      process.hasEnded() && killedAtMs === null ? [`${name}: ${process.output().slice(-500)}`] : [],
    ),
  );
}

async function deadLetters(): Promise<unknown[]> {
  const letters = Object.values(bots).map(({ id }) =>
    installation.rest<unknown[]>(`/api/deliveries?bot_id=${id}&state=dead`),
  );
  return (await Promise.all(letters)).flat();
}

async function writeLogs(): Promise<void> {
  const folder = settings.FAULT_LOGS;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const { name, lives } of [...installation.apis, ...installation.workers]) {
    for (const [at, life] of lives.entries()) {
      await writeFile(join(folder, `${name.replace(/ \(.*/, '').replace(' ', '-')}.${at}.log`), life.process.output());
    }
  }
}

function report(lines: string): void {
  process.stderr.write(`${lines}\n`);
}

function summary(
  faults: Fault[],
  written: Written[],
  calls: Call[],
  judged: Record<'sent' | 'pins' | 'routed', { excused: number }> & { shown: number },
  tookMs: number,
): string {
  const kinds = new Map<string, number>();
  for (const { kind } of faults) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
  return [
    `faults: ${faults.length} (${[...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ')})`,
    `updates: ${sum(written.map(({ taken }) => taken.length))} taken by the platform, ${sum(written.map(({ perhaps }) => perhaps.length))} perhaps`,
    `delivered: ${Object.entries(books)
      .map(([name, book]) => `${name} ${book.count()} (${book.duplicates()} twice)`)
      .join(', ')}`,
    `calls: ${calls.length}, ${calls.filter(({ outcome }) => outcome === 'made').length} answered; messages of bots at the platform: ${judged.shown}`,
    `not kept, as documented: ${judged.sent.excused} sent, ${judged.pins.excused} pins, ${judged.routed.excused} routed`,
    `whole again after ${Math.round(tookMs / 1000)} s`,
  ].join('\n');
}
