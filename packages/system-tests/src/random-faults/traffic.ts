import { setTimeout as delay } from 'node:timers/promises';
import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import type { Ledger } from '../ledger.ts';
import { ADMIN_KEY, type Installation, type Life, type ServicePart } from './installation.ts';

export type Bot = { id: number; token: string; platformId: number };

/** An activity that continues until it is stopped. */
type Running = { stop(): Promise<void> };

/** Messages that a person wrote: accepted by the platform, or perhaps accepted, when its response was lost. */
export type Written = { bot: Bot; chat: number; taken: number[]; perhaps: number[] } & Running;

const WRITE_PAUSE_MS = 150;
/** A rule sends at most one message per second to a chat. */
export const ROUTED_PAUSE_MS = 2_000;

/** A person writes messages to a bot, one after the other; the text of each is its number. */
export function startWriting(control: ControlClient, bot: Bot, person: number, pauseMs = WRITE_PAUSE_MS): Written {
  const [taken, perhaps]: number[][] = [[], []];
  const running = repeat(pauseMs, async (at) => {
    const text = `u${at} @${Date.now()} of ${person}`;
    const answer = await control.sendMessage({ person, bot: bot.platformId, text }).catch(() => null);
    (answer === null ? perhaps : taken)!.push(at);
  });
  return { bot, chat: person, taken: taken!, perhaps: perhaps!, ...running };
}

type PollAnswer = { result: { update_id: number }[] };

const POLL_SECONDS = 10;
const POLL_GIVEN_UP_MS = (POLL_SECONDS + 5) * 1000;
const POLL_PAUSE_MS = 100;

/** A program that polls one api with its own offset, and the next api when that one fails or does not answer. */
export function startPolling(urls: string[], path: string, book: Ledger): Running {
  const stopped = new AbortController();
  let [offset, at] = [0, 0];
  const running = repeat(0, async () => {
    const query = `timeout=${POLL_SECONDS}&offset=${offset}`;
    const response = await fetch(`${urls[at % urls.length]}${path}${path.includes('?') ? '&' : '?'}${query}`, {
      headers: path.startsWith('/api/') ? { authorization: `Bearer ${ADMIN_KEY}` } : {},
      signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(POLL_GIVEN_UP_MS)]),
    }).catch(() => null);
    const answer = response?.ok ? ((await response.json().catch(() => null)) as PollAnswer | null) : null;
    if (answer === null) {
      at += 1;
      await delay(POLL_PAUSE_MS);
    }
    for (const update of answer?.result ?? []) {
      book.record(JSON.stringify(update));
      offset = update.update_id + 1;
    }
  });
  return {
    stop: async () => {
      stopped.abort();
      await running.stop();
    },
  };
}

/** A call that a bot's program made through the proxy. */
export type Call = {
  bot: Bot;
  chat: number;
  /** The text of a message, or the id of the pinned message. */
  what: { text: string } | { pins: number };
  /** The run of the process that received the call; null when another run took its port meanwhile. */
  life: Life | null;
  begunAtMs: number;
  endedAtMs: number;
  /** made: the call succeeded; refused: the proxy refused it before the platform saw it; perhaps: anything else. */
  outcome: 'made' | 'refused' | 'perhaps';
};

const SEND_PAUSE_MS = 100;
const GIVEN_UP_MS = 40_000;
/** The timeout of one call in seven, whose client leaves early. */
const IMPATIENT_MS = 300;

/** A bot's program that sends messages through an api one after the other, and pins every fifth. */
export function startSending(
  api: ServicePart,
  url: string,
  bot: Bot,
  chat: number,
  name: string,
): { calls: Call[] } & Running {
  const calls: Call[] = [];
  const make = async (what: Call['what'], query: Record<string, string>, waitMs: number) => {
    const method = 'text' in what ? 'sendMessage' : 'pinChatMessage';
    const life = api.lives.at(-1)!;
    const begunAtMs = Date.now();
    const parameters = new URLSearchParams({ chat_id: String(chat), ...query });
    const response = await fetch(`${url}/tgapi/bot${bot.token}/${method}`, {
      method: 'POST',
      body: parameters,
      signal: AbortSignal.timeout(waitMs),
    }).catch(() => null);
    const answer = (await response?.json().catch(() => null)) as { result: { message_id: number } } | null | undefined;
    const outcome = response?.ok && answer ? 'made' : response?.status === 503 ? 'refused' : 'perhaps';
    const same = api.lives.at(-1) === life;
    calls.push({ bot, chat, what, life: same ? life : null, begunAtMs, endedAtMs: Date.now(), outcome });
    return outcome === 'made' ? answer!.result : null;
  };
  const running = repeat(SEND_PAUSE_MS, async (at) => {
    const text = `${name} ${at}`;
    const sent = await make({ text }, { text }, at % 7 === 3 ? IMPATIENT_MS : GIVEN_UP_MS);
    if (sent !== null && at % 5 === 0) {
      const pins = sent.message_id;
      await make({ pins }, { message_id: String(pins), disable_notification: 'true' }, GIVEN_UP_MS);
    }
  });
  return { calls, ...running };
}

/**
 * Records when each process last had no call waiting for the history: calls it answered before that are stored, even if
 * it is killed the next moment.
 */
export function startWatchingBuffers({ apis, workers }: Installation): { storedUpToMs(life: Life): number } & Running {
  const storedUpTo = new Map<Life, number>();
  const running = [...apis, ...workers].map((part) =>
    repeat(100, async () => {
      const life = part.lives.at(-1)!;
      const askedAtMs = Date.now();
      const waiting = await Promise.race([
        readMetric(life.process, 'flotilla_captured_calls_waiting').catch(() => undefined),
        delay(1_000),
      ]);
      if (waiting === 0) storedUpTo.set(life, askedAtMs);
    }),
  );
  return {
    storedUpToMs: (life) => storedUpTo.get(life) ?? life.startedAtMs,
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}

/** Repeats an action with a pause between until it is stopped. */
function repeat(pauseMs: number, work: (at: number) => Promise<void>): Running {
  let stopped = false;
  const running = (async () => {
    for (let at = 0; !stopped; at += 1) {
      await work(at);
      await delay(pauseMs);
    }
  })();
  running.catch(() => {});
  return {
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}
