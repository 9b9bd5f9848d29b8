import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { gatherCalls } from '@flotilla/domain/update-log/append-calls.ts';
import { seldom } from '@flotilla/runtime/seldom.ts';
import type { CapturedMethod } from '@flotilla/telegram/captured-methods.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
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
  const [stored, lost] = [outcomes.of('stored'), outcomes.of('lost')];
  /** Of bots with an answer that is still being decompressed: what the next one has to wait for. */
  const tails = new Map<number, Promise<void>>();
  const waiting = { calls: 0, bytes: 0 };
  const append = gatherCalls(deps);
  const warnOfLoss = seldom((lost: { botId: number; method: string; err: unknown }, leftOut) =>
    deps.log.warn({ ...lost, leftOut }, 'a call could not be kept in the history'),
  );
  let drained: (() => void) | null = null;

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
      lost.inc();
      warnOfLoss({ botId: bot.id, method, err: error });
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
    drain: async () => {
      if (waiting.calls === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
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
