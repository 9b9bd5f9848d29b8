import { setTimeout as delay } from 'node:timers/promises';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import { type Bot, hasBackend } from '../../fleet/bots/bot.ts';

/** Who answers button presses: the backend in an answer, whoever has the bot's own token, or a program in either way. */
export type Answerer = 'backend' | 'token' | `program:${number}`;

export type AnsweredCallbacks = {
  /** Remembers an answer that the platform accepted. Returns at once. */
  note(bot: Bot, queryId: string, answerer: Answerer): void;
  /**
   * True if the platform refuses an answer because another reader of the bot has answered already. It waits for up to a
   * second, because that reader's answer may still be on its way through another process.
   */
  isAnsweredByOther(bot: Bot, queryId: string, answerer: Answerer, description: string): Promise<boolean>;
};

/** The counter of both kinds of processes. */
export function answeredBefore(metrics: Metrics) {
  return metrics.counter({
    name: 'flotilla_callbacks_answered_before_total',
    help: 'Answers to button presses that another reader of the bot had answered before; their callers got true.',
  });
}

/** How the list of a program's refusals says it. */
export const ANSWERED = 'True: another reader of the bot had answered this button press before';

export const ANSWER_CALLBACK_QUERY = 'answercallbackquery';

/** Longer than the platform takes an answer. */
const KEPT_MS = 600_000;
const LOOKS_AFTER_MS = [0, 100, 300, 600];
const QUERY_ID = /^[\w-]{1,64}$/;
/** The platform's words for a query that was answered, or that there never was. */
const TOO_OLD = /query is too old|query ID is invalid/;

export function answerer(program: { id: number } | null | undefined, otherwise: 'backend' | 'token'): Answerer {
  return program ? (programReaderName(program.id) as Answerer) : otherwise;
}

/** Only such bots can have a press answered twice by two readers; for others nothing is kept. */
export function hasSeveralReaders(bot: Bot): boolean {
  return bot.programs.some(({ enabled }) => enabled) || (hasBackend(bot) && bot.long_poll_enabled);
}

export function answeredCallbacks({ redis }: { redis: RedisHandles }, count: { inc(): void }): AnsweredCallbacks {
  return {
    note(bot, queryId, by) {
      if (!hasSeveralReaders(bot) || !QUERY_ID.test(queryId)) return;
      // Without it, a second reader only gets the platform's refusal.
      redis.commands.set(botKeys(bot.id).answeredCallback(queryId), by, 'PX', KEPT_MS, 'NX').catch(() => undefined);
    },
    async isAnsweredByOther(bot, queryId, by, description) {
      if (!hasSeveralReaders(bot) || !QUERY_ID.test(queryId) || !TOO_OLD.test(description)) return false;
      for (const afterMs of LOOKS_AFTER_MS) {
        if (afterMs > 0) await delay(afterMs);
        const first = await redis.commands.get(botKeys(bot.id).answeredCallback(queryId)).catch(() => by);
        if (first === null) continue;
        if (first === by) return false;
        count.inc();
        return true;
      }
      return false;
    },
  };
}
