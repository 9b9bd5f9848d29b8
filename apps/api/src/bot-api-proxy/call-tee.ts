import type { IncomingMessage } from 'node:http';
import { ANSWER_CALLBACK_QUERY } from '@flotilla/domain/delivery/readers/answered-callbacks.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import type { GroupFollower } from '@flotilla/domain/records/moved-groups/group-follower.ts';
import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { MOST_PARAMETERS } from '@flotilla/telegram/parameters/collect-parameters.ts';
import {
  type ParameterReader,
  type Parameters,
  parameterReader,
  parametersOf,
} from '@flotilla/telegram/parameters/parameters.ts';
import { auditedActor, botActor, type MethodCall, type RunningProxy } from './call.ts';
import { callbackTee } from './callback-tee.ts';
import { ANSWER_BYTES, type Capture, readEncoding, type TeedCall } from './capture.ts';
import type { Tee } from './forward.ts';
import { bodyCoding, contentType, hasBody, headerOf } from './headers.ts';

/** `by` is null if neither the audit log nor the history says who made the call. */
type Call = Pick<TeedCall, 'bot' | 'by' | 'method' | 'captured' | 'isPaced'> & { query: string };

const NO_ROOM = 'too many calls whose clients have gone still wait for answers';
const TOO_LONG = 'its answer is longer than 1 MiB';
/** Shared, because nothing is read into it. */
const NO_PARAMETERS = parametersOf('');
const KEYBOARD = 'keyboard';
const UNDERSCORE = 0x5f;
/** A longer refusal is not one that names a supergroup. */
const REFUSAL_BYTES = 4096;
const LIMITS = { parameterBytes: 64 * 1024, fileBytes: 0 };
/** The longest text of a message fits in. The parameters of a longer body are read while it passes, so that nothing of a file is held. */
const HEAD_BYTES = 32 * 1024;
const COMPRESSED = 'the body is compressed';
const TOO_MANY = `the parameters are longer than 64 KiB, or more than ${MOST_PARAMETERS}`;
const MALFORMED = 'the body is malformed';

/**
 * Watches a call of a registered bot for the history: the small parameters that are needed, and up to 1 MiB of a
 * successful answer. It ignores files. A longer answer counts as lost. Null if the history keeps nothing of the call.
 * `ownType`: the Content-Type of a body that is sent in place of query string and body.
 */
export function teeOf(proxy: RunningProxy, call: MethodCall, bot: Bot, ownType: string | null = null): Tee | null {
  const { method, path, req } = call;
  if (method === ANSWER_CALLBACK_QUERY) return callbackTee(proxy, call, bot);
  const captured = capturedMethod(method);
  if (captured === undefined) return null;
  // For a bot without a history we only remember which posts are its own, and learn its name.
  if (!bot.manage_enabled && (captured.effect === 'audit' || captured.effect === 'deletion')) return null;
  if (!proxy.capture.hasRoom()) {
    if (captured.effect !== 'identity') proxy.capture.countLost(bot.id, method, 'too many calls wait');
    return null;
  }
  const isAudited = captured.effect === 'audit' || captured.effect === 'deletion';
  // The id must be known before the head of the answer goes out. Of others, the history names the program.
  const by = isAudited ? { ...auditedActor(proxy, call) } : call.program === null ? null : botActor(proxy, call);
  const query = ownType === null ? path.query : '';
  return new CallTee(proxy, { bot, by, method, captured, query, isPaced: call.isPaced }, req, ownType);
}

/** A class, since closures would take more memory: 20,000 are made a second. */
class CallTee implements Tee {
  readonly #capture: Capture;
  readonly #call: Call;
  #parameters: Parameters;
  /** True if the parameters cannot be read. */
  readonly #isCompressed: boolean;
  #reader: ParameterReader | null;
  readonly #answer = new GrowingBytes(ANSWER_BYTES);
  readonly #groups: GroupFollower;
  readonly #req: IncomingMessage;
  readonly #ownType: string | null;
  /** Where the parameters are not read yet: the beginning of the body, which the request to the platform holds, too. */
  #head: Buffer[] = [];
  #headBytes = 0;
  #bytes = 0;
  #encoding = '';
  /** A call that the platform refuses changes nothing. */
  #refused = false;
  #isBadRequest = false;
  /** True after the client left. From then on the bytes of the answer are counted. */
  #abandoned = false;
  #abandonedBytes = 0;
  #noRoom = false;

  constructor(
    proxy: Pick<RunningProxy, 'capture' | 'context'>,
    call: Call,
    req: IncomingMessage,
    ownType: string | null,
  ) {
    const needsParameters = call.captured.effect !== 'messages';
    this.#capture = proxy.capture;
    this.#groups = proxy.context.groupFollower;
    this.#req = req;
    this.#ownType = ownType;
    this.#call = call;
    this.#parameters = needsParameters ? parametersOf(call.query) : NO_PARAMETERS;
    this.#isCompressed = needsParameters && ownType === null && hasBody(req) && bodyCoding(req) !== 'none';
    this.#reader = needsParameters ? requestReader(req, this.#parameters, ownType) : null;
  }

  onRequestChunk(chunk: Buffer): void {
    if (this.#reader !== null) this.#reader.write(chunk);
    if (this.#reader !== null || this.#headBytes > HEAD_BYTES) return;
    this.#headBytes += chunk.length;
    this.#head.push(chunk);
    if (this.#headBytes > HEAD_BYTES) this.#readHead();
  }

  onResponseStart(status: number, headers: string[]): boolean {
    this.#refused = status !== 200;
    this.#isBadRequest = status === 400;
    this.#encoding = readEncoding(headerOf(headers, 'content-encoding'));
    return this.#isWanted();
  }

  onResponseChunk(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#abandoned) {
      this.#abandonedBytes += chunk.length;
      if (!this.#capture.abandoned.hold(chunk.length)) this.#noRoom = true;
    }
    const isWanted = this.#isWanted();
    if (isWanted || this.#isShortRefusal()) this.#answer.write(chunk);
    return isWanted;
  }

  onResponseEnd(): void {
    this.#endAbandoned();
    if (this.#refused) {
      if (this.#isShortRefusal()) this.#seeRefusal();
      return;
    }
    if (!this.#isWanted()) {
      this.#countLost(TOO_LONG);
      return;
    }
    const { bot, by, method, captured, isPaced } = this.#call;
    if (captured.effect === 'messages' && this.#hasKeyboard()) this.#readHead();
    this.#reader?.end();
    const answer = { body: this.#answer.bytes(), encoding: this.#encoding };
    const call = {
      bot,
      by,
      method,
      captured,
      isPaced,
      parameters: this.#parameters,
      incomplete: this.#whyIncomplete(),
    };
    this.#capture.keep({ ...call, answer });
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

  #isShortRefusal(): boolean {
    return this.#isBadRequest && this.#bytes <= REFUSAL_BYTES && this.#encoding === '';
  }

  /** A group that became a supergroup shows in the refusal alone, which does not name the group. */
  #seeRefusal(): void {
    if (!this.#answer.bytes().includes('migrate_to_chat_id')) return;
    this.#readHead();
    this.#reader?.end();
    void this.#groups.seeRefusal(this.#call.bot, Object.fromEntries(this.#parameters.values));
  }

  /** Few sends have a reply keyboard, and only their parameters are read. Other names of switches have `_keyboard`. */
  #hasKeyboard(): boolean {
    if (this.#call.query.includes(KEYBOARD)) return true;
    const [first, ...others] = this.#head;
    if (first === undefined) return false;
    const body = others.length === 0 ? first : Buffer.concat(this.#head);
    let at = body.indexOf(KEYBOARD);
    while (at > 0 && body[at - 1] === UNDERSCORE) at = body.indexOf(KEYBOARD, at + KEYBOARD.length);
    return at >= 0;
  }

  /** Reads the parameters that were not needed until now. What still comes of the body is read, too. */
  #readHead(): void {
    if (this.#reader !== null || this.#parameters !== NO_PARAMETERS) return;
    this.#parameters = parametersOf(this.#call.query);
    this.#reader = requestReader(this.#req, this.#parameters, this.#ownType);
    for (const chunk of this.#head) this.#reader?.write(chunk);
    this.#head = [];
  }

  #whyIncomplete(): string | null {
    if (this.#call.captured.effect === 'messages') return null;
    if (this.#isCompressed) return COMPRESSED;
    if (this.#parameters.overflow) return TOO_MANY;
    return this.#parameters.fault === null ? null : MALFORMED;
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

/** Null for a body that is compressed; the audit log says that it was not read. */
function requestReader(req: IncomingMessage, parameters: Parameters, ownType: string | null): ParameterReader | null {
  if (ownType !== null) return parameterReader(ownType, parameters, LIMITS);
  return hasBody(req) && bodyCoding(req) === 'none' ? parameterReader(contentType(req), parameters, LIMITS) : null;
}
