import type { FloodedCall } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import { retryAfter } from '@flotilla/domain/delivery/flood/honour-floods.ts';
import { finish, type MethodCall, type RunningProxy } from '../call.ts';

const FLOOD_SHIELD = 'flood-shield';

/** Answers a call as the platform would while a flood lasts, with a header that says so. */
export function answerInstead(proxy: RunningProxy, call: MethodCall, flooded: FloodedCall): void {
  const { floods, apiMetrics } = proxy.context;
  const { seconds: retryAfterS, description } = retryAfter(floods.leftMs(flooded));
  apiMetrics.shielded.inc();
  // The rest is read and dropped, so that its sender sees the answer.
  if (call.req.isPaused()) call.req.resume();
  finish(proxy, call, { ok: false, code: 429, description, retryAfterS, answeredBy: FLOOD_SHIELD });
}
