import type { ClaimedKey } from '@flotilla/domain/delivery/idempotency/idempotency-keys.ts';
import { isIdempotencyKey, KEY_FORM, KEY_HEADER } from '@flotilla/domain/delivery/idempotency/key-header.ts';
import type { Claim } from '@flotilla/domain/delivery/idempotency/open-claims.ts';
import { isHeldByMove } from '@flotilla/domain/fleet/upstreams/hold-while-moving.ts';
import { shareOf } from '../../http/collect-body.ts';
import { untilGone } from '../../http/until-gone.ts';
import { badRequest, KEYS_BUSY, type Refusal, tooManyKeys, UNKNOWN_OUTCOME, whileMoving } from '../answer.ts';
import { fail, type MethodCall, pass, type RunningProxy, refuse } from '../call.ts';
import { teeOf } from '../call-tee.ts';
import { whyNotAsBot } from '../flood/hold.ts';
import { unlessFlooded } from '../flood/unless-flooded.ts';
import type { Keyed } from '../forward.ts';
import { bodyCoding, contentType } from '../headers.ts';
import { CallHash } from './call-hash.ts';
import { KeyedCall } from './keyed-call.ts';
import { type CallOfBot, leaveGone, refuseKey } from './refuse-key.ts';
import { replay } from './replay.ts';

const BAD_KEY = badRequest(`Idempotency-Key ${KEY_FORM}`);

/**
 * Passes a call of a registered bot on, unless it is held back; one with an Idempotency-Key only if it is the first with that key.
 */
export function passOfBot(proxy: RunningProxy, of: CallOfBot): void {
  const { req } = of.call;
  const key = req.headers[KEY_HEADER];
  if (key === undefined || req.method !== 'POST') passUnlessFlooded(proxy, of, NO_KEY);
  else {
    passWithKey(proxy, of, key).catch((error) => {
      req.resume();
      fail(proxy, of.call, error);
    });
  }
}

const NO_KEY = (): null => null;

function passUnlessFlooded(proxy: RunningProxy, of: CallOfBot, follow: (read: MethodCall) => Keyed | null): void {
  const { call, bot, asProgram, place, whyNot } = of;
  const body = asProgram?.body ?? null;
  unlessFlooded(proxy, call, bot, {
    pass: (_, read) => {
      // The call may have been held, and the bot be elsewhere since.
      const { directory } = proxy.context;
      const now = (directory.ready() && directory.byId(bot.id)) || bot;
      if (isHeldByMove(directory, now)) return refuse(proxy, read, whileMoving(now));
      const tee = teeOf(proxy, read, now, body?.type ?? null);
      pass(proxy, read, now, { tee, asProgram, keyed: follow(read) });
    },
    ...(place === undefined ? {} : { place }),
    ...(whyNot === undefined ? {} : { whyNot }),
    ...(body !== null && 'content' in body ? { bytes: body.content.length } : {}),
  });
}

async function passWithKey(proxy: RunningProxy, of: CallOfBot, key: string | string[]): Promise<void> {
  const { call, bot } = of;
  if (!isIdempotencyKey(key)) return refuseKey(proxy, call, BAD_KEY);
  const { idempotency, stopping } = proxy.context;
  const author = call.program === null ? 'token' : `program:${call.program.id}`;
  const claimed = await untilGone([stopping], call.res, (signal) =>
    idempotency.claim({ botId: bot.id, scope: author, author, key }, signal),
  );
  if (claimed.outcome === 'claimed') return passFirst(proxy, of, claimed.claim);
  if (claimed.outcome === 'ended') return replay(proxy, of, hashOf(of), claimed);
  refuseKey(proxy, call, refusalOf(claimed));
}

/** An answer that is not the platform's, such as that of the flood shield, frees the key. */
async function passFirst(proxy: RunningProxy, of: CallOfBot, claim: Claim): Promise<void> {
  const { call, bot, asProgram, whyNot = whyNotAsBot } = of;
  try {
    // It may have waited for minutes.
    const refusal = await whyNot(proxy, call, bot);
    if (refusal !== null || call.res.closed) {
      claim.free();
      if (refusal === null) leaveGone(proxy, call);
      else refuseKey(proxy, call, refusal);
      return;
    }
    call.res.once('close', claim.free);
    passUnlessFlooded(proxy, of, (read) => {
      call.res.off('close', claim.free);
      const share = shareOf(proxy.context.bodies, call.res);
      return new KeyedCall({ claim, hash: hashOf({ ...of, call: read }), asProgram, holds: share.growTo });
    });
  } catch (error) {
    claim.free();
    throw error;
  }
}

function hashOf({ call, asProgram }: CallOfBot): CallHash {
  const ownType = asProgram?.body?.type;
  return new CallHash({
    method: call.method,
    path: asProgram?.path ?? call.path.upstreamPath,
    contentType: ownType ?? contentType(call.req),
    isPacked: ownType === undefined && bodyCoding(call.req) !== 'none',
  });
}

function refusalOf(claimed: Exclude<ClaimedKey, { outcome: 'claimed' | 'ended' }>): Refusal {
  switch (claimed.outcome) {
    case 'unknown':
      return UNKNOWN_OUTCOME;
    case 'full':
      return tooManyKeys(claimed.retryAfterS);
    case 'busy':
    case 'aborted':
      return KEYS_BUSY;
  }
}
