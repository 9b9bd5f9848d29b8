import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { REFUSALS_KEPT, type Refusal } from './refusal.ts';

/** `token`: null if none made the call. */
type RefusedTo = { bot: { id: number }; program: { id: number }; token: { id: number } | null };

export type RefusalRecorder = {
  /** Returns at once; a write that fails is only logged. */
  record(of: RefusedTo, refused: Omit<Refusal, 'tokenId'>): void;
  close(): void;
};

type Waiting = { key: string; atMsByText: Map<string, number>; timer: NodeJS.Timeout; lastMs: number };

const KEPT_MS = 86_400_000;
const PAUSE_MS = 1000;

/**
 * Keeps the newest 20 different refusals of each program for a day. The same one again only changes its time, so that a
 * flood does not hide the others. A program is written at most once a second.
 */
export function refusalRecorder(deps: {
  redis: RedisHandles;
  clock: { nowMs(): number };
  log: Logger;
}): RefusalRecorder {
  const { redis, clock, log } = deps;
  const waiting = new Map<number, Waiting>();
  const warn = throttledLog((err: unknown) => log.warn({ err }, 'refusals of a program were not recorded'));
  const write = (programId: number): void => {
    const { key, atMsByText, timer } = waiting.get(programId)!;
    if (atMsByText.size === 0) {
      waiting.delete(programId);
      return;
    }
    const members = [...atMsByText].flatMap(([text, atMs]) => [atMs, text]);
    atMsByText.clear();
    timer.refresh();
    redis
      .runMany([
        ['zadd', key, ...members],
        ['zremrangebyrank', key, 0, -REFUSALS_KEPT - 1],
        ['pexpire', key, KEPT_MS],
      ])
      .catch(warn);
  };
  return {
    record({ bot, program, token }, { method, reason, description, chatId }) {
      const text = JSON.stringify({
        tokenId: token?.id ?? null,
        method,
        reason,
        description,
        chatId,
      } satisfies Refusal);
      const known = waiting.get(program.id);
      if (known !== undefined) {
        keepNewest(known, text, clock.nowMs());
        return;
      }
      const timer = setTimeout(write, PAUSE_MS, program.id).unref();
      const key = botKeys(bot.id).programRefusals(program.id);
      const nowMs = clock.nowMs();
      waiting.set(program.id, { key, timer, atMsByText: new Map([[text, nowMs]]), lastMs: nowMs });
      write(program.id);
    },
    close() {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}

function keepNewest(waiting: Waiting, text: string, nowMs: number): void {
  const { atMsByText, lastMs } = waiting;
  // Two of one millisecond keep their order.
  waiting.lastMs = nowMs > lastMs ? nowMs : lastMs + 0.001;
  atMsByText.delete(text);
  atMsByText.set(text, waiting.lastMs);
  const [oldest] = atMsByText.keys();
  if (atMsByText.size > REFUSALS_KEPT) atMsByText.delete(oldest!);
}
