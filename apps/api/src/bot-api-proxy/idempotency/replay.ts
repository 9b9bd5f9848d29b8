import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClaimedKey } from '@flotilla/domain/delivery/idempotency/idempotency-keys.ts';
import type { KeptAnswer } from '@flotilla/domain/delivery/idempotency/kept-answer.ts';
import { REPLAYED_HEADER } from '@flotilla/domain/delivery/idempotency/key-header.ts';
import { shareOf } from '../../http/collect-body.ts';
import { ANSWER_NOT_KEPT, NO_ROOM, OTHER_CALL, type Refusal } from '../answer.ts';
import type { MethodCall, RunningProxy } from '../call.ts';
import type { AsProgram } from '../forward.ts';
import { hasBody, SANDBOXED } from '../headers.ts';
import { shownKept } from '../programs/secret-mask.ts';
import type { CallHash } from './call-hash.ts';
import { type CallOfBot, refuseKey } from './refuse-key.ts';

type Ended = Extract<ClaimedKey, { outcome: 'ended' }>;

/** Reads a call whose key was used before, and gives the answer of the first one again if both are the same call. */
export async function replay(
  proxy: RunningProxy,
  { call, asProgram }: CallOfBot,
  hash: CallHash,
  { params, answer }: Ended,
): Promise<void> {
  const refusal = await readAll(proxy, call, asProgram, hash);
  if (refusal !== null) return refuseKey(proxy, call, refusal);
  if (hash.digest() !== params) return refuseKey(proxy, call, OTHER_CALL);
  if (answer === null) return refuseKey(proxy, call, ANSWER_NOT_KEPT);
  const body = asProgram === null ? answer.body : shownKept(asProgram.secret, answer.body);
  sendAgain(call.res, { ...answer, body });
  proxy.metrics.call('replayed', call.method, call.res.destroyed ? 499 : answer.status, call.begunAtMs);
}

/** Feeds what the call would send to the hash. Null if it was read, or its client is gone. */
async function readAll(
  proxy: RunningProxy,
  call: MethodCall,
  asProgram: AsProgram | null,
  hash: CallHash,
): Promise<Refusal | null> {
  const { req, res, whole } = call;
  const own = asProgram?.body ?? null;
  const rewrite = own !== null && 'rewrite' in own ? own.rewrite : null;
  const share = shareOf(proxy.context.bodies, res);
  const take = (bytes: Buffer | Refusal): Refusal | null => {
    if (!Buffer.isBuffer(bytes)) return bytes;
    hash.write(bytes);
    return share.growTo(hash.heldBytes()) || res.closed ? null : NO_ROOM;
  };
  const takeSent = (chunk: Buffer) => take(rewrite === null ? chunk : rewrite.write(chunk));
  let refusal: Refusal | null = null;
  if (own !== null && 'content' in own) return take(own.content);
  if (whole !== null) refusal = takeSent(whole.bytes);
  else if (hasBody(req)) refusal = await readBody(req, res, takeSent);
  if (refusal !== null || rewrite === null || res.closed) return refusal;
  return take(rewrite.end());
}

function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  take: (chunk: Buffer) => Refusal | null,
): Promise<Refusal | null> {
  return new Promise((resolve) => {
    const finish = (refusal: Refusal | null) => {
      req.off('data', onData).off('end', onEnd).off('error', onEnd);
      res.off('close', onEnd);
      resolve(refusal);
    };
    const onData = (chunk: Buffer) => {
      const refusal = take(chunk);
      if (refusal !== null) finish(refusal);
    };
    const onEnd = () => finish(null);
    if (res.closed) return onEnd();
    res.on('close', onEnd);
    req.on('data', onData).on('end', onEnd).on('error', onEnd);
    // One that was read in part is paused.
    req.resume();
  });
}

function sendAgain(res: ServerResponse, { status, headers, body }: KeptAnswer): void {
  if (res.headersSent || res.destroyed) return;
  const own = [...Object.entries(SANDBOXED), [REPLAYED_HEADER, 'true'], ['Content-Length', String(body.length)]].flat();
  res.writeHead(status, [...headers, ...own]);
  res.end(body);
}
