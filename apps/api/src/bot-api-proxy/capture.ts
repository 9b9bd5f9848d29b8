import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { gatherCalls } from '@flotilla/domain/update-log/append-calls.ts';
import { seldom } from '@flotilla/runtime/seldom.ts';
import type { CapturedMethod } from '@flotilla/telegram/captured-methods.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import { type AbandonedCalls, abandonedCalls } from './abandoned-calls.ts';
import { readAnswer, type SeenAnswer } from './captured-answer.ts';
import { extractResult } from './extract-result.ts';
import type { ProxyDeps } from './proxy-deps.ts';

/** A call that the platform answered with success, as the tee saw it. */
export type SeenCall = {
  bot: Bot;
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
/** Redis refuses within a second, so that these are reached only when it crawls. */
const WAITING_CALLS = 20_000;
const WAITING_BYTES = 32 * 1024 * 1024;

/**
 * Puts what bots did through the proxy on the history stream, per bot in the order of the answers. It works beside
 * the answers and never holds one up; what cannot be stored is counted and logged.
 */
export function captureCalls(deps: ProxyDeps): Capture {
  const outcomes = deps.metrics.quickCounter({
    name: 'flotilla_proxy_captured_calls_total',
    help: 'Calls to be kept in the history, by what became of them.',
    labelNames: ['outcome'],
  });
  const [stored, lost, unanswered] = [outcomes.of('stored'), outcomes.of('lost'), outcomes.of('unanswered')];
  const abandoned = abandonedCalls();
  deps.metrics.gauge({
    name: 'flotilla_proxy_abandoned_calls',
    help: 'Captured calls whose client has gone while the platform still answers.',
    collect() {
      this.set(abandoned.count());
    },
  });
  /** Of bots with an answer that is still being decompressed: what the next one has to wait for. */
  const tails = new Map<number, Promise<void>>();
  const waiting = { calls: 0, bytes: 0 };
  const append = gatherCalls(deps);
  const warnOfLoss = seldom((lost: { botId: number; method: string; err: unknown }, leftOut) =>
    deps.log.warn({ ...lost, leftOut }, 'a call could not be kept in the history'),
  );
  let drained: (() => void) | null = null;
  const lose = (botId: number, method: string, err: unknown) => {
    lost.inc();
    warnOfLoss({ botId, method, err });
  };
  const drainWaiting = async (): Promise<void> => {
    if (waiting.calls === 0) return;
    await new Promise<void>((resolve) => {
      drained = resolve;
    });
  };

  const store = async (call: SeenCall, previous: Promise<void> | undefined): Promise<void> => {
    const { bot, method, answer } = call;
    waiting.calls++;
    waiting.bytes += answer.body.length;
    try {
      const text = answer.encoding === '' ? answer.body.toString('utf8') : await readAnswer(answer);
      if (previous !== undefined) await previous;
      const result = extractResult(text);
      if (result === null || !isKept(call.captured, result)) return;
      await append(bot, { method, params: keptParameters(call), result });
      stored.inc();
    } catch (error) {
      lose(bot.id, method, error);
    } finally {
      waiting.bytes -= answer.body.length;
      if (--waiting.calls === 0) drained?.();
    }
  };

  return {
    hasRoom: () => {
      if (waiting.calls < WAITING_CALLS && waiting.bytes < WAITING_BYTES) return true;
      lost.inc();
      return false;
    },
    keep: (call) => {
      const previous = tails.get(call.bot.id);
      const storing = store(call, previous);
      // What needs no decompression is sent within this tick, in order on the one connection.
      if (previous === undefined && call.answer.encoding === '') return;
      tails.set(call.bot.id, storing);
      storing.then(() => {
        if (tails.get(call.bot.id) === storing) tails.delete(call.bot.id);
      });
    },
    lose,
    unanswered: () => unanswered.inc(),
    abandoned,
    drain: async () => {
      await abandoned.drain();
      await drainWaiting();
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
