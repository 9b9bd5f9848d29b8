import { createHash } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { ERROR_STATUS, type ErrorCode } from '@flotilla/contract/errors.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import {
  type ClaimedKey,
  type KeyOfCall,
  paramsDigest,
} from '@flotilla/domain/delivery/idempotency/idempotency-keys.ts';
import { KEPT_ANSWER_BYTES } from '@flotilla/domain/delivery/idempotency/kept-answer.ts';
import {
  isIdempotencyKey,
  KEY_FORM,
  KEY_HEADER,
  REPLAYED_HEADER,
} from '@flotilla/domain/delivery/idempotency/key-header.ts';
import type { Claim } from '@flotilla/domain/delivery/idempotency/open-claims.ts';
import { watchOutcome } from '@flotilla/domain/delivery/idempotency/watch-outcome.ts';
import { canonicalJson } from '@flotilla/runtime/canonical-json.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Request } from 'express';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { classifyError } from '../http/classify-error.ts';
import { errorText } from '../http/error-handler.ts';
import type { RawFields } from '../http/read-fields.ts';
import { sendJson } from '../http/send-answer.ts';
import { untilGone } from '../http/until-gone.ts';
import type { Call } from './handler.ts';

/** The store may have taken what it did not confirm. */
const MAY_BE_STORED: readonly ErrorCode[] = ['unavailable', 'internal'];

type AnyCall = Call<z.ZodObject>;

/** Runs a call with an Idempotency-Key if it is the first with that key, else gives the first one's answer again. */
export async function serveKeyed(
  context: Context,
  operation: Operation,
  call: AnyCall,
  run: (given: Context) => Promise<unknown>,
): Promise<void> {
  const key = call.request.headers[KEY_HEADER];
  if (key === undefined || !isIdempotencyKey(key)) throw refusedInput('Idempotency-Key', KEY_FORM);
  const of = { botId: Number(call.input.bot_id), ...authorOf(call), key };
  const claimed = await claimWhileAllowed(context, call, of);
  if (claimed.outcome === 'claimed') await runFirst(context, operation, call, claimed.claim, run);
  else if (claimed.outcome === 'ended') await answerAgain(operation, call, claimed);
  else throw refusalOf(claimed);
}

/** For an operation that keeps keys itself: its input `idempotency_key` may be the header. */
export function takeKeyAsInput({ headers }: Request, { values }: RawFields): void {
  const key = headers[KEY_HEADER];
  if (key !== undefined && !values.has('idempotency_key')) values.set('idempotency_key', key);
}

/** A call that waits for another one ends with its client and with its caller's right to it. */
async function claimWhileAllowed(context: Context, call: AnyCall, of: KeyOfCall): Promise<ClaimedKey> {
  let claimed: ClaimedKey | null = null;
  const wait = async (ends: AbortSignal[]): Promise<ClaimedKey> => {
    claimed = await untilGone([context.stopping, ...ends], call.response, (signal) =>
      context.idempotency.claim(of, signal),
    );
    return claimed;
  };
  try {
    return call.program === null ? await call.whileAllowed((ended) => wait([ended])) : await wait([]);
  } catch (error) {
    freeClaim(claimed);
    throw error;
  }
}

function freeClaim(claimed: ClaimedKey | null): void {
  if (claimed?.outcome === 'claimed') claimed.claim.free();
}

/** All keys of an account share its room. */
function authorOf({ caller, program }: AnyCall): { author: string; scope: string } {
  if (program !== null) return { author: `program:${program.program.id}`, scope: `program:${program.program.id}` };
  const scope = `account:${caller.account.id}`;
  return { author: caller.apiKey === null ? scope : `key:${caller.apiKey.id}`, scope };
}

async function runFirst(
  context: Context,
  operation: Operation,
  call: AnyCall,
  claim: Claim,
  run: (given: Context) => Promise<unknown>,
): Promise<void> {
  const watched = watchOutcome(context.platform);
  try {
    const text = JSON.stringify(await run({ ...context, platform: watched.platform }));
    keep(operation, call, claim, 200, text);
    sendJson(call.response, 200, text);
  } catch (thrown) {
    const error = classifyError(thrown);
    if (watched.mayBeDone() || (operation.keyed === 'stored' && MAY_BE_STORED.includes(error.code))) claim.lost();
    else if (error.code === 'platform_refused') {
      keep(operation, call, claim, ERROR_STATUS[error.code], errorText(error, call.request, call.response));
    } else claim.free();
    throw thrown;
  }
}

/** A refusal before the whole file came cannot be compared with another call, so the next one runs. */
function keep(operation: Operation, call: AnyCall, claim: Claim, status: number, text: string): void {
  const params = digestOf(operation, call);
  const body = Buffer.from(text);
  const headers = ['Content-Type', 'application/json; charset=utf-8'];
  if (params === null) {
    if (status === 200) claim.lost();
    else claim.free();
  } else claim.ended(params, body.length > KEPT_ANSWER_BYTES ? null : { status, headers, body });
}

async function answerAgain(
  operation: Operation,
  call: AnyCall,
  { params, answer }: Extract<ClaimedKey, { outcome: 'ended' }>,
): Promise<void> {
  const { file, response } = call;
  if (file !== null) await finished(file.resume());
  if (digestOf(operation, call) !== params) {
    throw new FlotillaError('idempotency_mismatch', 'This Idempotency-Key was used for another call');
  }
  if (answer === null) {
    throw new FlotillaError(
      'conflict',
      'The first call with this Idempotency-Key was answered, but its answer is not kept',
    );
  }
  response.setHeader(REPLAYED_HEADER, 'true');
  sendJson(response, answer.status, answer.body);
}

/** Null if the file of the call did not come as a whole. */
function digestOf({ paths }: Operation, { input, file }: AnyCall): string | null {
  const hash = createHash('sha256').update(canonicalJson([paths[0], input]));
  if (file === null) return paramsDigest(hash);
  const digest = file.digest();
  return digest === null ? null : paramsDigest(hash.update(JSON.stringify([file.fileName, file.mime, digest])));
}

function refusalOf(claimed: Exclude<ClaimedKey, { outcome: 'claimed' | 'ended' }>): FlotillaError {
  switch (claimed.outcome) {
    case 'unknown':
      return new FlotillaError('conflict', 'Nobody knows if the first call with this Idempotency-Key was carried out');
    case 'full':
      return new FlotillaError('too_many_requests', 'Too many Idempotency-Keys within 24 hours', {
        retryAfterS: claimed.retryAfterS,
      });
    case 'busy':
    case 'aborted':
      return new FlotillaError('unavailable', 'No call with an Idempotency-Key can be taken now; try again shortly', {
        retryAfterS: 1,
      });
  }
}
