import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { learnUsername } from '@flotilla/domain/fleet/bots/learn-username.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { callActor } from '@flotilla/domain/records/history/stream/captured-call.ts';
import type { CapturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { scanMembers } from '@flotilla/telegram/json-text.ts';
import type { Parameters } from '@flotilla/telegram/parameters/parameters.ts';
import { keyboardParam } from '@flotilla/telegram/reply-keyboard.ts';
import type { Context } from '../context.ts';

/** A call that the platform answered with success, as the tee saw it. */
export type TeedCall = {
  bot: Bot;
  /** null if the call is not audited. */
  by: Actor | null;
  method: string;
  captured: CapturedMethod;
  isPaced: true | undefined;
  parameters: Parameters;
  /** Why parameters that the platform read are missing; null if none are. */
  incomplete: string | null;
  answer: TeedAnswer;
};

/** The body of an answer as it passed; `encoding` is '' if it is not compressed. */
export type TeedAnswer = { body: Buffer; encoding: string };

export type Capture = {
  /** False while the buffer is so full that no further calls are captured. */
  hasRoom(): boolean;
  /** Keeps a call in the history; returns at once and never throws. */
  keep(call: TeedCall): void;
  /** Counts a call that the platform carried out, or may have, and that the history does not keep. */
  countLost(botId: number, method: string, reason: string): void;
  /** Counts a call whose answer did not come, so that nobody knows if the platform carried it out. */
  countUnanswered(): void;
  abandoned: AbandonedCalls;
  /** Resolves when every captured call is stored or given up. */
  drain(): Promise<void>;
};

/** The largest answer that is kept, decompressed. */
export const ANSWER_BYTES = 1024 * 1024;
/** Longer values are not kept: long texts are in the result, and other parameters are short. */
const VALUE_LIMIT = 4096;
const LONG_PARAMETER = `a parameter is longer than ${VALUE_LIMIT} characters`;
/** The limit on all answers that are being decompressed. */
const COMPRESSED_BYTES = 32 * 1024 * 1024;
/** The limit on calls without a client; each holds a connection to the platform. */
const ABANDONED_CALLS = 1000;
const ABANDONED_BYTES = 32 * 1024 * 1024;

/**
 * Passes captured calls to the buffer for the history. The calls of a bot keep the order of their answers. It never
 * delays an answer.
 */
export function callCapture(context: Context): Capture {
  const { calls, metrics, messageTopics } = context;
  /** By bot id: the decompression that the bot's next answer must wait for. */
  const tails = new Map<number, Promise<void>>();
  let compressedBytes = 0;
  const abandoned = abandonedCalls();
  metrics.gauge({
    name: 'flotilla_proxy_abandoned_calls',
    help: 'Captured calls whose client has gone while the platform still answers.',
    collect() {
      this.set(abandoned.count());
    },
  });
  const countLost = (botId: number, method: string, reason: string): void => calls.countLost({ botId, method, reason });
  const keepText = (call: TeedCall, text: string): void => {
    const result = extractResult(text);
    if (result === null || !isKept(call.captured, result)) return;
    const { bot, by, method } = call;
    if (call.captured.effect === 'identity') {
      learn(bot, result);
      return;
    }
    if (call.captured.effect === 'messages' && hasTopics(bot, by)) messageTopics.note(bot.id, JSON.parse(result));
    const params = keptParameters(call);
    const incomplete = call.incomplete ?? whyLeftOut(call, params);
    const paced = call.isPaced && ('ofBot' as const);
    const kept = { method, params, result, paced, ...(incomplete === null ? {} : { incomplete }) };
    calls.keep(bot, by === null ? kept : { ...kept, actor: callActor(by) });
  };
  const learn = (bot: Bot, me: string): void => {
    learnUsername(context, bot, JSON.parse(me)).catch((error: unknown) => {
      context.log.debug(
        { bot: bot.id, reason: String(error) },
        'a username could not be stored; it is asked for daily',
      );
    });
  };
  const keepLater = async (call: TeedCall, previous: Promise<void> | undefined): Promise<void> => {
    const { bot, method, answer } = call;
    compressedBytes += answer.body.length;
    try {
      const text = await readAnswer(answer);
      await previous;
      keepText(call, text);
    } catch (error) {
      countLost(bot.id, method, String(error));
    } finally {
      compressedBytes -= answer.body.length;
    }
  };

  return {
    hasRoom: () => calls.hasRoom() && compressedBytes < COMPRESSED_BYTES,
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
    countLost,
    countUnanswered: () => calls.countUnanswered(),
    abandoned,
    drain: async () => {
      await abandoned.drain();
      await Promise.all(tails.values());
      await calls.drain();
    },
  };
}

/** True if a token of the program that made the call is limited to topics. */
function hasTopics({ programs }: Bot, by: Actor | null): boolean {
  const id = by?.kind === 'bot' ? by.program?.id : undefined;
  if (id === undefined) return false;
  return programs.some((program) => program.id === id && program.tokens.some(({ threads }) => threads !== null));
}

function isKept(captured: CapturedMethod, result: string): boolean {
  if (captured.effect === 'messages' || captured.effect === 'copies') return result[0] === '{' || result[0] === '[';
  return result !== 'false';
}

function keptParameters({ captured, parameters }: TeedCall): Record<string, string> {
  const { values } = parameters;
  // The message is in the result, but for its reply keyboard.
  if (captured.effect === 'messages') return keyboardParam(values.get('reply_markup'));
  return Object.fromEntries([...values].filter(([, value]) => value.length <= VALUE_LIMIT));
}

/** The parameters of an audited call are short, so a long one may hide what it does. */
function whyLeftOut({ captured, parameters }: TeedCall, kept: Record<string, string>): string | null {
  const isAudited = captured.effect === 'audit' || captured.effect === 'deletion';
  return isAudited && Object.keys(kept).length < parameters.values.size ? LONG_PARAMETER : null;
}

const DECODERS: Record<string, (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Turns a Content-Encoding header into the `encoding` of `TeedAnswer`. */
export function readEncoding(contentEncoding: string): string {
  const encoding = contentEncoding.trim().toLowerCase();
  return encoding === 'identity' ? '' : encoding;
}

/** The text of an answer, at most 1 MiB of it; rejects when it cannot be decompressed. */
export async function readAnswer({ body, encoding }: TeedAnswer): Promise<string> {
  if (encoding === '') return body.toString('utf8');
  const decode = DECODERS[encoding];
  if (decode === undefined) throw new Error(`the answer has the unknown encoding ${encoding}`);
  return (await decode(body, { maxOutputLength: ANSWER_BYTES })).toString('utf8');
}

/** The raw JSON of `result` in an answer of the platform; null unless the answer is complete and has `"ok":true`. */
export function extractResult(answer: string): string | null {
  let ok = false;
  let result: string | null = null;
  const whole = scanMembers(answer, (name, raw) => {
    if (name === 'ok') ok = raw === 'true';
    else if (name === 'result') result = raw;
  });
  return whole && ok ? result : null;
}

/** Counts captured calls whose client left before the platform answered, and the bytes that they hold. */
export type AbandonedCalls = {
  /** Adds a call that holds these bytes of its answer; false if that is too much. Call `end` in both cases. */
  begin(heldBytes: number): boolean;
  count(): number;
  /** Adds bytes that one of the calls holds; false if that is too much. */
  hold(bytes: number): boolean;
  end(heldBytes: number): void;
  /** Resolves when no such call is left. */
  drain(): Promise<void>;
};

export function abandonedCalls(): AbandonedCalls {
  let calls = 0;
  let bytes = 0;
  let drained: (() => void) | null = null;
  const hold = (more: number): boolean => {
    bytes += more;
    return calls <= ABANDONED_CALLS && bytes <= ABANDONED_BYTES;
  };
  return {
    begin: (heldBytes) => {
      calls += 1;
      return hold(heldBytes);
    },
    count: () => calls,
    hold,
    end: (heldBytes) => {
      bytes -= heldBytes;
      calls -= 1;
      if (calls === 0) drained?.();
    },
    drain: async () => {
      if (calls === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    },
  };
}
