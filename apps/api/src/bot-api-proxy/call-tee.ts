import type { IncomingMessage } from 'node:http';
import type { Actor } from '@flotilla/domain/audit/actor.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { type CapturedMethod, capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import {
  type ParameterReader,
  type Parameters,
  parameterReader,
  parametersOf,
} from '@flotilla/telegram/parameters/parameters.ts';
import { botActor, type MethodCall, type RunningProxy } from './call.ts';
import { ANSWER_BYTES, type Capture, readEncoding } from './capture.ts';
import type { Tee } from './pass-through.ts';

/** `by` is null if neither the audit log nor the history says who made the call. */
type Call = { bot: Bot; by: Actor | null; method: string; captured: CapturedMethod; query: string };

const NO_ROOM = 'too many calls whose clients have gone still wait for answers';
const TOO_LONG = 'its answer is longer than 1 MiB';
/** Shared, because nothing is read into it. */
const NO_PARAMETERS = parametersOf('');
const LIMITS = { parameterBytes: 64 * 1024, fileBytes: 0 };

/**
 * Watches a call of a registered bot for the history: the small parameters that are needed, and up to 1 MiB of a
 * successful answer. It ignores files. A longer answer counts as lost. Null if the history keeps nothing of the call.
 * `ownType`: the Content-Type of a body that is sent in place of query string and body.
 */
export function teeOf(proxy: RunningProxy, call: MethodCall, bot: Bot, ownType: string | null = null): Tee | null {
  const { method, path, req } = call;
  const captured = capturedMethod(method);
  if (captured === undefined) return null;
  // For a bot without a history we only remember which posts are its own.
  if (!bot.manageEnabled && captured.effect !== 'messages' && captured.effect !== 'copies') return null;
  if (!proxy.capture.hasRoom()) {
    proxy.capture.countLost(bot.id, method, 'too many calls wait');
    return null;
  }
  const isAudited = captured.effect === 'audit' || captured.effect === 'deletion';
  // The history names the program of a message.
  const by = isAudited || call.program !== null ? botActor(proxy, call) : null;
  const query = ownType === null ? path.query : '';
  return new CallTee(proxy.capture, { bot, by, method, captured, query }, req, ownType);
}

/** A class, since closures would take more memory: 20,000 are made a second. */
class CallTee implements Tee {
  readonly #capture: Capture;
  readonly #call: Call;
  readonly #parameters: Parameters;
  readonly #reader: ParameterReader | null;
  readonly #answer = new GrowingBytes(ANSWER_BYTES);
  #bytes = 0;
  #encoding = '';
  /** A call that the platform refuses changes nothing. */
  #refused = false;
  /** True after the client left. From then on the bytes of the answer are counted. */
  #abandoned = false;
  #abandonedBytes = 0;
  #noRoom = false;
  readonly onRequestChunk: Tee['onRequestChunk'];

  constructor(capture: Capture, call: Call, req: IncomingMessage, ownType: string | null) {
    const needsParameters = call.captured.effect !== 'messages';
    this.#capture = capture;
    this.#call = call;
    this.#parameters = needsParameters ? parametersOf(call.query) : NO_PARAMETERS;
    this.#reader = needsParameters ? requestReader(req, this.#parameters, ownType) : null;
    this.onRequestChunk = this.#reader === null ? null : this.#reader.write;
  }

  onResponseStart(status: number, headers: string[]): boolean {
    this.#refused = status !== 200;
    this.#encoding = readEncoding(headerOf(headers, 'content-encoding'));
    return this.#isWanted();
  }

  onResponseChunk(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#abandoned) {
      this.#abandonedBytes += chunk.length;
      if (!this.#capture.abandoned.hold(chunk.length)) this.#noRoom = true;
    }
    if (!this.#isWanted()) return false;
    this.#answer.write(chunk);
    return true;
  }

  onResponseEnd(): void {
    this.#endAbandoned();
    if (this.#refused) return;
    if (!this.#isWanted()) {
      this.#countLost(TOO_LONG);
      return;
    }
    this.#reader?.end();
    const { bot, by, method, captured } = this.#call;
    const answer = { body: this.#answer.bytes(), encoding: this.#encoding };
    this.#capture.keep({ bot, by, method, captured, parameters: this.#parameters, answer });
  }

  onClientGone(): boolean {
    if (!this.#isWanted()) return false;
    this.#abandoned = true;
    this.#abandonedBytes = this.#bytes;
    this.#noRoom = !this.#capture.abandoned.begin(this.#bytes);
    return this.#isWanted();
  }

  onAnswerLost(): void {
    this.#endAbandoned();
    if (this.#refused) return;
    if (this.#isWanted()) this.#capture.countUnanswered();
    else this.#countLost(this.#noRoom ? NO_ROOM : TOO_LONG);
  }

  #countLost(reason: string): void {
    this.#capture.countLost(this.#call.bot.id, this.#call.method, reason);
  }

  #isWanted(): boolean {
    return !this.#refused && !this.#noRoom && this.#bytes <= ANSWER_BYTES;
  }

  #endAbandoned(): void {
    if (this.#abandoned) this.#capture.abandoned.end(this.#abandonedBytes);
    this.#abandoned = false;
  }
}

function requestReader(req: IncomingMessage, parameters: Parameters, ownType: string | null): ParameterReader | null {
  if (ownType !== null) return parameterReader(ownType, parameters, LIMITS);
  // No client compresses its requests; the history would lack the parameters of one that did.
  if (req.headers['content-encoding'] !== undefined) return null;
  return parameterReader(req.headers['content-type'] ?? '', parameters, LIMITS);
}

function headerOf(headers: string[], lowerCaseName: string): string {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string;
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return headers[i + 1] as string;
  }
  return '';
}
