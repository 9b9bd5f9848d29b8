import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { CLIENT_GONE } from '../http/observe-request.ts';
import { answerBody, COMPRESSED_ANSWER, describeUpstreamError, type Refusal, sendAnswer } from './answer.ts';
import { bodyLength, maskOf, shownHeaders, shownText } from './answer-head.ts';
import { flooding, keptHead, learnOfSuccess } from './flood/learn-of-flood.ts';
import type { Forward, SeenCall } from './forward.ts';
import { bodyAtHand, hasBody, isCompressed, withoutHeader } from './headers.ts';
import type { SecretMask } from './programs/secret-mask.ts';
import { nextOfBody, requestOf, wholeBody } from './sent-request.ts';
import { beginCall, endCall, RequestBody, type Upstream } from './upstream.ts';

const ANSWERED = { ok: true, result: 'true' } as const;
/** Headers of longer answers are sent at once; shorter answers are sent in one piece. */
const SMALL_ANSWER_BYTES = 64 * 1024;
/** The id in the audit log is ours, whatever a server before the platform adds. */
const REQUEST_ID = 'x-request-id';

/**
 * Streams a request to the platform and its answer back, both with backpressure. The request is sent once: a later
 * failure is an error to the client, never a second attempt.
 */
export function passThrough(upstream: Upstream, req: IncomingMessage, res: ServerResponse, forward: Forward): void {
  const exchange = new Exchange(upstream, req, res, forward);
  const own = forward.asProgram?.body ?? null;
  if (own !== null && 'content' in own) exchange.dispatch(own.content);
  else if (forward.body !== null || !hasBody(req)) exchange.dispatch(forward.body);
  // The bytes that came with the headers are parsed by then, and most bodies are whole.
  else process.nextTick(dispatchWithBody, exchange, req);
}

function dispatchWithBody(exchange: Exchange, req: IncomingMessage): void {
  exchange.dispatch(bodyAtHand(req));
}

type HeldRefusal = { statusText: string; headers: string[]; pieces: Buffer[] };
type WithExchange = ServerResponse & { exchange?: Exchange };

/** One call in flight. It is a class, because that allocates nothing per event: 20,000 calls a second pass here. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #forward: Forward;
  #controller: Dispatcher.DispatchController | null = null;
  #body: RequestBody | null = null;
  #mask: SecretMask | null = null;
  #remaining = -1;
  #status = 0;
  #sentWhole = false;
  /** Of a streamed body that goes on as it came, if its length is known. */
  #leftBytes = Number.NaN;
  #clientGone = false;
  #readingOn: NodeJS.Timeout | null = null;
  /** Why we broke the call off ourselves. */
  #refusal: Refusal | null = null;
  #held: HeldRefusal | null = null;
  /** The beginning of what was sent, which names the chat if the answer is a 429. */
  #head: Buffer | null = null;
  #sentBytes = 0;
  #flooding: ReturnType<typeof flooding> | null = null;

  constructor(upstream: Upstream, req: IncomingMessage, res: WithExchange, forward: Forward) {
    this.#upstream = upstream;
    this.#req = req;
    this.#res = res;
    this.#forward = forward;
    res.exchange = this;
    res.on('close', onResponseClose);
  }

  dispatch(body: Buffer | 'stream' | null): void {
    if (this.#clientGone) {
      this.#forward.keyed?.onFailed(false);
      return;
    }
    const sent = Buffer.isBuffer(body) ? wholeBody(this.#forward, body) : null;
    if (sent !== null && !Buffer.isBuffer(sent)) {
      sendAnswer(this.#res, sent);
      this.#forward.keyed?.onFailed(false);
      this.#forward.onDone(sent.code);
      return;
    }
    if (sent !== null) this.#keep(sent);
    const refusal = beginCall(this.#upstream, this.#forward.botId);
    if (refusal !== null) {
      sendAnswer(this.#res, refusal);
      this.#forward.keyed?.onFailed(false);
      this.#forward.onDone(refusal.code);
      return;
    }
    if (body === 'stream') this.#leftBytes = Number(this.#req.headers['content-length'] ?? Number.NaN);
    if (body === 'stream') this.#body = new RequestBody(this.#req, (chunk) => this.#sentOf(chunk));
    const request = requestOf(this.#upstream, this.#req, this.#forward, this.#body ?? sent);
    this.#upstream.dispatcher.dispatch(request, this);
  }

  /** The bytes of a streamed body that go on for its next chunk, or for its end. */
  #sentOf(chunk: Buffer | null): Buffer | null {
    const sent = nextOfBody(this.#forward, chunk);
    if (Buffer.isBuffer(sent)) this.#keep(sent);
    if (sent === null || Buffer.isBuffer(sent)) {
      // The platform may carry a call out before we are told that all of it was written.
      this.#leftBytes -= sent?.length ?? 0;
      if (this.#leftBytes === 0) this.#sentWhole = true;
      return sent;
    }
    this.#breakOff(sent);
    return null;
  }

  #keep(sent: Buffer): void {
    if (this.#forward.seen === null || sent.length === 0) return;
    this.#sentBytes += sent.length;
    this.#head ??= keptHead(sent);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#clientGone || this.#refusal !== null) controller.abort(new Error('broken off'));
  }

  onRequestSent(): void {
    this.#sentWhole = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    parsed: Record<string, string | string[] | undefined>,
    statusText = '',
  ): void {
    if (status < 200) return;
    const { asProgram } = this.#forward;
    this.#mask = maskOf(asProgram, status);
    if (this.#mask !== null && isCompressed(parsed['content-encoding'])) {
      this.#breakOff(COMPRESSED_ANSWER);
      return;
    }
    let headers = shownHeaders(asProgram, controller.rawHeaders as Buffer[]);
    if (this.#res.hasHeader(REQUEST_ID)) headers = withoutHeader(headers, REQUEST_ID);
    this.#status = status;
    if (this.#forward.seen !== null) this.#learn(this.#forward.seen, headers);
    this.#forward.keyed?.onAnswerStart(status, headers);
    const wanted = this.#forward.tee?.onResponseStart(status, headers) ?? false;
    if (this.#clientGone) {
      if (!wanted && !this.#isKeyWanted()) this.#abort();
      return;
    }
    this.#remaining = bodyLength(parsed['content-length']);
    this.#res.sendDate = false;
    const text = shownText(asProgram, statusText);
    if (this.#forward.tee?.holdsRefusal?.(status, this.#remaining) === true) {
      this.#held = { statusText: text, headers, pieces: [] };
      return;
    }
    this.#res.writeHead(status, text, headers);
    if (this.#remaining > SMALL_ANSWER_BYTES || this.#remaining === -1) this.#res.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#forward.keyed?.onAnswerChunk(chunk);
    const wanted = this.#forward.tee?.onResponseChunk(chunk) ?? false;
    this.#flooding?.add(chunk);
    if (this.#clientGone) {
      if (!wanted && !this.#isKeyWanted()) this.#abort();
      return;
    }
    if (this.#held !== null) {
      this.#held.pieces.push(chunk);
      return;
    }
    this.#remaining -= chunk.length;
    if (this.#remaining === 0) {
      this.#end(chunk);
      return;
    }
    const shown = this.#mask === null ? chunk : this.#mask.write(chunk);
    if (shown.length > 0 && !this.#res.write(shown)) {
      controller.pause();
      this.#res.once('drain', onResponseDrain);
    }
  }

  onResponseEnd(): void {
    endCall(this.#upstream, this.#forward.botId);
    this.#endReadingOn();
    this.#flooding?.end();
    if (this.#held !== null) {
      void this.#endHeld(this.#held);
      return;
    }
    this.#forward.keyed?.onAnswered(this.#sentWhole);
    if (!this.#clientGone && !this.#res.writableEnded) this.#end(null);
    this.#forward.tee?.onResponseEnd();
    this.#forward.onDone(this.#clientGone ? CLIENT_GONE : this.#status);
  }

  /** Costs one look into a map while the bot has no flood. */
  #learn(seen: SeenCall, headers: string[]): void {
    const passedFlood = this.#status === 200 && seen.floods.ofBot(seen.botId) !== undefined;
    if (!passedFlood && this.#status !== 429) return;
    const isWhole = this.#sentWhole && this.#sentBytes === (this.#head?.length ?? 0);
    const sent = { req: this.#req, asProgram: this.#forward.asProgram, head: this.#head, isWhole };
    if (passedFlood) learnOfSuccess(seen, sent);
    else this.#flooding = flooding(seen, sent, headers);
  }

  async #endHeld({ statusText, headers, pieces }: HeldRefusal): Promise<void> {
    const refusal = Buffer.concat(pieces);
    const isReplaced = await this.#forward.tee?.replacesRefusal?.(refusal).catch(() => false);
    if (isReplaced) this.#forward.keyed?.onReplaced(Buffer.from(answerBody(ANSWERED)));
    else this.#forward.keyed?.onAnswered(this.#sentWhole);
    if (this.#clientGone) this.#forward.onDone(CLIENT_GONE);
    else if (isReplaced) {
      sendAnswer(this.#res, ANSWERED);
      this.#forward.onDone(200);
    } else {
      this.#res.writeHead(this.#status, statusText, headers);
      this.#end(refusal);
      this.#forward.onDone(this.#status);
    }
  }

  #end(last: Buffer | null): void {
    const bytes = this.#mask === null ? last : this.#mask.end(last);
    if (bytes === null) this.#res.end();
    else this.#res.end(bytes.toString('latin1'), 'latin1');
  }

  #breakOff(refusal: Refusal): void {
    this.#refusal = refusal;
    this.#body?.destroy();
    this.#controller?.abort(new Error('broken off'));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    endCall(this.#upstream, this.#forward.botId);
    this.#endReadingOn();
    this.#body?.destroy();
    if (this.#sentWhole) this.#forward.tee?.onAnswerLost();
    this.#forward.keyed?.onFailed(this.#sentWhole);
    if (this.#clientGone) {
      this.#forward.onDone(CLIENT_GONE);
      return;
    }
    // The client must see that the answer is cut off.
    if (this.#res.headersSent) {
      this.#res.destroy();
      this.#forward.onDone(502);
      return;
    }
    this.#upstream.noteFailure(error);
    const refusal = this.#refusal ?? describeUpstreamError(error, this.#sentWhole);
    this.#forward.onDone(refusal.code);
    if (this.#forward.errorDelayMs === 0) sendAnswer(this.#res, refusal);
    else setTimeout(sendAnswer, this.#forward.errorDelayMs, this.#res, refusal);
  }

  resumeUpstream(): void {
    this.#controller?.resume();
  }

  /** The platform may have carried out a call that it got whole, and only its answer tells the tee, or the next call with its key. */
  clientLeft(): void {
    if (this.#res.writableEnded) return;
    this.#clientGone = true;
    const wanted = this.#sentWhole && (this.#forward.tee?.onClientGone() ?? false);
    if (wanted || (this.#sentWhole && this.#isKeyWanted())) this.#readOn();
    else this.#abort();
  }

  #isKeyWanted(): boolean {
    return this.#forward.keyed?.isWanted() ?? false;
  }

  #readOn(): void {
    this.#readingOn = setTimeout(() => this.#abort(), this.#upstream.readOnMs);
    // The answer may be paused, because the client did not read it.
    this.#controller?.resume();
  }

  #endReadingOn(): void {
    if (this.#readingOn !== null) clearTimeout(this.#readingOn);
  }

  #abort(): void {
    this.#body?.destroy();
    this.#controller?.abort(new Error('client gone'));
  }
}

function onResponseClose(this: WithExchange): void {
  this.exchange?.clientLeft();
}

function onResponseDrain(this: WithExchange): void {
  this.exchange?.resumeUpstream();
}
