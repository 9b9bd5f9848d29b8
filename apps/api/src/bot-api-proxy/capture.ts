import type { Actor } from '@flotilla/domain/audit/actor.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { callActor } from '@flotilla/domain/update-log/captured-call.ts';
import type { CapturedMethod } from '@flotilla/telegram/captured-methods.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import { type AbandonedCalls, abandonedCalls } from './abandoned-calls.ts';
import { readAnswer, type SeenAnswer } from './captured-answer.ts';
import { extractResult } from './extract-result.ts';
import type { ProxyDeps } from './proxy-deps.ts';

/** A call that the platform answered with success, as the tee saw it. */
export type SeenCall = {
  bot: Bot;
  /** null where nothing is audited. */
  by: Actor | null;
  method: string;
  captured: CapturedMethod;
  parameters: Parameters;
  answer: SeenAnswer;
};

export type Capture = {
  /** False while so much waits that further calls have to go by unseen. */
  hasRoom(): boolean;
  /** Keeps a call in the history; returns at once and never throws. */
  keep(call: SeenCall): void;
  /** Counts a call that the platform made, or may have made, and that is not kept. */
  lose(botId: number, method: string, reason: string): void;
  /** Counts a call of which nobody knows whether the platform made it: its answer did not come. */
  unanswered(): void;
  abandoned: AbandonedCalls;
  /** Resolves when all that was seen is stored or given up. */
  drain(): Promise<void>;
};

/** Long texts are in the result already; what parameters are read for is short. */
const VALUE_LIMIT = 4096;
/** Answers that are being decompressed. */
const PACKED_BYTES = 32 * 1024 * 1024;

/**
 * Hands what bots did through the proxy to the buffer for the history, per bot in the order of the answers. It works
 * beside the answers and never holds one up.
 */
export function captureCalls({ calls, metrics }: Pick<ProxyDeps, 'calls' | 'metrics'>): Capture {
  /** Of bots with an answer that is still being decompressed: what the next one has to wait for. */
  const tails = new Map<number, Promise<void>>();
  let packedBytes = 0;
  const abandoned = abandonedCalls();
  metrics.gauge({
    name: 'flotilla_proxy_abandoned_calls',
    help: 'Captured calls whose client has gone while the platform still answers.',
    collect() {
      this.set(abandoned.count());
    },
  });
  const lose = (botId: number, method: string, reason: string): void => calls.lose({ botId, method, reason });
  const keepText = (call: SeenCall, text: string): void => {
    const result = extractResult(text);
    if (result === null || !isKept(call.captured, result)) return;
    const { bot, by, method } = call;
    const actor = by === null ? {} : { actor: callActor(by) };
    calls.keep(bot, { method, params: keptParameters(call), result, ...actor });
  };
  const keepLater = async (call: SeenCall, previous: Promise<void> | undefined): Promise<void> => {
    const { bot, method, answer } = call;
    packedBytes += answer.body.length;
    try {
      const text = await readAnswer(answer);
      await previous;
      keepText(call, text);
    } catch (error) {
      lose(bot.id, method, String(error));
    } finally {
      packedBytes -= answer.body.length;
    }
  };

  return {
    hasRoom: () => calls.hasRoom() && packedBytes < PACKED_BYTES,
    keep: (call) => {
      const previous = tails.get(call.bot.id);
      if (previous === undefined && call.answer.encoding === '') {
        keepText(call, call.answer.body.toString('utf8'));
        return;
      }
      const keeping = keepLater(call, previous);
      tails.set(call.bot.id, keeping);
      keeping.then(() => {
        if (tails.get(call.bot.id) === keeping) tails.delete(call.bot.id);
      });
    },
    lose,
    unanswered: () => calls.unanswered(),
    abandoned,
    drain: async () => {
      await abandoned.drain();
      await Promise.all(tails.values());
      await calls.drain();
    },
  };
}

function isKept(captured: CapturedMethod, result: string): boolean {
  if (captured.effect === 'messages' || captured.effect === 'copies') return /^[{[]/.test(result);
  return result !== 'false';
}

function keptParameters({ captured, parameters }: SeenCall): Record<string, string> {
  if (captured.effect === 'messages') return {};
  return Object.fromEntries([...parameters.values].filter(([, value]) => value.length <= VALUE_LIMIT));
}
