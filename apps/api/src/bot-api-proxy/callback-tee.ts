import type { IncomingMessage } from 'node:http';
import {
  ANSWERED,
  type Answerer,
  answerer,
  hasSeveralReaders,
} from '@flotilla/domain/delivery/readers/answered-callbacks.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { type ParameterReader, parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { MethodCall, RunningProxy } from './call.ts';
import { readAnswer, readEncoding } from './capture.ts';
import type { Tee } from './forward.ts';
import { bodyCoding, contentType, headerOf } from './headers.ts';

const LIMITS = { parameterBytes: 16 * 1024, fileBytes: 0 };
/** The platform's refusals are shorter. */
const REFUSAL_BYTES = 16 * 1024;

/** Watches an answerCallbackQuery of a bot with several readers, of which only the first one's is accepted. */
export function callbackTee(proxy: RunningProxy, call: MethodCall, bot: Bot): Tee | null {
  return hasSeveralReaders(bot) ? new CallbackTee(proxy, call, bot) : null;
}

class CallbackTee implements Tee {
  readonly #proxy: RunningProxy;
  readonly #call: MethodCall;
  readonly #bot: Bot;
  readonly #by: Answerer;
  readonly #parameters: ReturnType<typeof parametersOf>;
  readonly #reader: ParameterReader | null;
  #status = 0;
  #encoding = '';
  readonly onRequestChunk: Tee['onRequestChunk'];

  constructor(proxy: RunningProxy, call: MethodCall, bot: Bot) {
    this.#proxy = proxy;
    this.#call = call;
    this.#bot = bot;
    this.#by = answerer(call.program, 'token');
    this.#parameters = parametersOf(call.path.query);
    this.#reader = readerOf(call.req, this.#parameters);
    this.onRequestChunk = this.#reader === null ? null : this.#reader.write;
  }

  onResponseStart(status: number, headers: string[]): boolean {
    this.#status = status;
    this.#encoding = readEncoding(headerOf(headers, 'content-encoding'));
    return false;
  }

  onResponseChunk(): boolean {
    return false;
  }

  onResponseEnd(): void {
    if (this.#status === 200) this.#proxy.context.answeredCallbacks.note(this.#bot, this.#queryId(), this.#by);
  }

  holdsRefusal(status: number, bytes: number): boolean {
    return status === 400 && bytes >= 0 && bytes <= REFUSAL_BYTES;
  }

  async replacesRefusal(refusal: Buffer): Promise<boolean> {
    const { answeredCallbacks, programRefusals } = this.#proxy.context;
    const description = await readAnswer({ body: refusal, encoding: this.#encoding });
    if (!(await answeredCallbacks.isAnsweredByOther(this.#bot, this.#queryId(), this.#by, description))) return false;
    const { program, method } = this.#call;
    const refused = { method, reason: 'answered', description: ANSWERED, chatId: null } as const;
    if (program !== null) programRefusals.record({ bot: this.#bot, program, token: null }, refused);
    return true;
  }

  onClientGone(): boolean {
    return false;
  }

  onAnswerLost(): void {}

  #queryId(): string {
    this.#reader?.end();
    return this.#parameters.values.get('callback_query_id') ?? '';
  }
}

function readerOf(req: IncomingMessage, parameters: ReturnType<typeof parametersOf>): ParameterReader | null {
  if (bodyCoding(req) !== 'none') return null;
  return parameterReader(contentType(req), parameters, LIMITS);
}
