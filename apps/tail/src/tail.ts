import { setTimeout as delay } from 'node:timers/promises';
import { chatLanes } from './chat-lanes.ts';
import { printable, showBot, type WatchedBot } from './flotilla-client.ts';
import { type Follower, followBot } from './follow-bot.ts';
import { type PostEnd, postUpdate, type TailedUpdate } from './post-update.ts';
import type { TailOptions } from './tail-options.ts';

/** Enough for a program that is restarted, and for one that is stopped at a breakpoint for a while. */
const LIMITS = { atOnce: 16, updates: 20_000, bytes: 128 * 1024 * 1024 };
const RETRY_MS = 250;
const LONGEST_RETRY_MS = 3_000;
/** How secrets look to callers who may not see them. */
const MASK = '****';

type Print = (line: string) => void;

/** Tails a bot until `stopping` aborts, or after one update; prints a line for each, and at the end the totals. */
export async function tail(options: TailOptions, print: Print, stopping: AbortSignal): Promise<void> {
  const bot = await showBot(options, options.botId, stopping);
  const secret = secretOf(options, bot, print);
  const done = new AbortController();
  const signal = AbortSignal.any([stopping, done.signal]);
  const totals = { taken: 0, delivered: 0, refused: 0 };
  const program = localProgram({ to: options.to, secret }, print, signal);
  const lanes = chatLanes(LIMITS, async (update) => {
    if (signal.aborted) return;
    const end = await program.post(update);
    if (end === null) return;
    totals[end.status < 300 ? 'delivered' : 'refused'] += 1;
    print(lineOf(update, end));
    if (options.once) done.abort();
  });
  print(`The updates of ${printable(bot.name)} (@${printable(bot.username)}) go to ${options.to}. Ctrl-C ends it.`);
  const take = (update: TailedUpdate) => {
    if (options.once && totals.taken > 0) return;
    totals.taken += 1;
    lanes.add(update);
  };
  try {
    await followBot(options, followerOf(options, { take, room: lanes.room }, print, signal), signal);
  } catch (error) {
    if (signal.aborted) return;
    if (lanes.waiting() > 0) print(`! The stream has ended. ${lanes.waiting()} updates are still posted.`);
    throw error;
  } finally {
    await lanes.empty();
    const { taken, delivered, refused } = totals;
    print(`${delivered} delivered, ${refused} refused, ${taken - delivered - refused} left.`);
  }
}

function secretOf({ secret }: TailOptions, bot: WatchedBot, print: Print): string | null {
  if (secret !== null) return secret;
  if (bot.secret_token !== MASK) return bot.secret_token || null;
  print('! This key does not show the secret token of the bot. Updates go without one; --secret names it.');
  return null;
}

function followerOf(
  { kinds }: TailOptions,
  updates: { take(update: TailedUpdate): void; room(): Promise<void> },
  print: Print,
  signal: AbortSignal,
): Follower {
  let away = false;
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  return {
    onUpdate: async (update) => {
      if (kinds !== null && !kinds.has(update.kind)) return;
      updates.take(update);
      await Promise.race([updates.room(), ended]);
    },
    onReconnect: (reason) => {
      if (!away) print(`! Flotilla is away (${printable(reason)}); trying again.`);
      away = true;
    },
    onConnected: () => {
      if (away) print('Connected again.');
      away = false;
    },
    onLeftOut: (count) =>
      print(`! ${count} updates or calls are too large for a live stream (32 KiB), and are left out.`),
    onGap: (after, before) => {
      const where = [...(after === null ? [] : [`after ${after}`]), ...(before === null ? [] : [`before ${before}`])];
      const place = where.length === 0 ? 'here' : where.join(' and ');
      print(`! Updates may be missing ${place}: Flotilla keeps them for 30 s for a tail that was away or full.`);
    },
  };
}

type Answered = Extract<PostEnd, { outcome: 'answered' }>;

/** Posts an update until the program answers; null when `signal` aborts. */
function localProgram(target: { to: string; secret: string | null }, print: Print, signal: AbortSignal) {
  let away = false;
  const post = async (update: TailedUpdate): Promise<Answered | null> => {
    for (let retryMs = RETRY_MS; !signal.aborted; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
      const end = await postUpdate(target, update, signal).catch(() => null);
      if (end === null) return null;
      if (end.outcome === 'answered') {
        if (away) print(`${target.to} answers again.`);
        away = false;
        return end;
      }
      if (!away) print(`! ${target.to} is not there (${end.reason}); update ${update.id} and others wait for it.`);
      away = true;
      await delay(retryMs, null, { signal }).catch(() => undefined);
    }
    return null;
  };
  return { post };
}

function lineOf({ id, kind, chatId }: TailedUpdate, { status, ms, call }: Answered): string {
  const time = new Date().toTimeString().slice(0, 8);
  const chat = chatId === null ? '' : `chat ${chatId}`;
  const asked = call === null ? '' : `  (its call of ${call} is not made: the tail only shows updates)`;
  return `${time}  ${id}  ${kind.padEnd(14)}  ${chat.padEnd(19)}  ${status}  ${ms} ms${asked}`;
}
