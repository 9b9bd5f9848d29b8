import { setTimeout as delay } from 'node:timers/promises';
import { WHOLE_BOT } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import { reserveForProgram } from '@flotilla/domain/delivery/outbox/pace.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { Context } from '../../context.ts';

/** The times at which a bot sends, which all processes and the outbox share. A process asks for one after the other. */
export type SharedPace = {
  /** Resolves when the call may go on. Never rejects: while Redis is away, calls only keep a distance. */
  take(bot: Bot, signal: AbortSignal): Promise<TakenTime>;
  close(): void;
};

/** `waited`: others send as well, or much is sent. */
export type TakenTime = { taken: boolean; waited: boolean };

/** Of a bot that takes times: how many a second, since when, and when it last took one. Times of performance.now(). */
type Rate = { perSecond: number; sinceMs: number; usedAtMs: number };

const NONE: TakenTime = { taken: false, waited: false };
const WITHOUT_REDIS_MS = 25;
/** That of the platform for most bots (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this). */
const USUAL_PER_SECOND = 30;
/** A flood at this rate makes it slower; one message more is tried when there was none for so long. */
const SLOWER = 0.9;
const FASTER_AFTER_MS = 10_000;
const FORGOTTEN_AFTER_MS = 30_000;

export function sharedPace({ redis, floods, log }: Pick<Context, 'redis' | 'floods' | 'log'>): SharedPace {
  const lines = new Map<number, Promise<TakenTime>>();
  const rates = new Map<number, Rate>();
  const warn = throttledLog((reason: string, leftOut) =>
    log.warn({ reason, leftOut }, 'times of the pace of a bot could not be reserved'),
  );
  const rateOf = (bot: Bot): number => {
    const nowMs = performance.now();
    const fastest = Math.max(bot.pace.per_second, USUAL_PER_SECOND);
    const rate = rates.get(bot.id) ?? { perSecond: fastest, sinceMs: nowMs, usedAtMs: nowMs };
    if (nowMs - rate.sinceMs > FASTER_AFTER_MS) Object.assign(rate, { perSecond: rate.perSecond + 1, sinceMs: nowMs });
    rate.perSecond = Math.min(rate.perSecond, fastest);
    rate.usedAtMs = nowMs;
    rates.set(bot.id, rate);
    return rate.perSecond;
  };
  const stop = floods.onChange(({ botId, place, untilMs }) => {
    const nowMs = performance.now();
    for (const [id, { usedAtMs }] of rates) if (nowMs - usedAtMs > FORGOTTEN_AFTER_MS) rates.delete(id);
    const rate = rates.get(botId);
    if (rate === undefined || place !== WHOLE_BOT || untilMs !== null) return;
    rate.perSecond = Math.max(1, Math.floor(rate.perSecond * SLOWER));
    rate.sinceMs = nowMs;
  });
  const takeTime = async (bot: Bot, signal: AbortSignal): Promise<TakenTime> => {
    for (let waited = false; !signal.aborted; waited = true) {
      const { reserved, waitMs } = await reserveForProgram({ redis }, bot, rateOf(bot));
      if (waitMs > 0) await delay(waitMs);
      if (reserved) return { taken: true, waited: waited || waitMs > 0 };
    }
    return NONE;
  };
  return {
    take: async (bot, signal) => {
      const before = lines.get(bot.id) ?? Promise.resolve();
      const taking = before
        .then(() => takeTime(bot, signal))
        .catch(async (error: unknown) => {
          warn(String(error));
          await delay(WITHOUT_REDIS_MS);
          return NONE;
        });
      lines.set(bot.id, taking);
      const time = await taking;
      if (lines.get(bot.id) === taking) lines.delete(bot.id);
      return time;
    },
    close: stop,
  };
}
