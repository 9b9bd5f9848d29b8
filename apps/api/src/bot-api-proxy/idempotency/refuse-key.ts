import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import type { Refusal } from '../answer.ts';
import { type MethodCall, type RunningProxy, refuse } from '../call.ts';
import type { Onward } from '../flood/hold.ts';
import type { AsProgram } from '../forward.ts';

/** A call of a registered bot that may go on: `asProgram` changes what a program's token needs changed. */
export type CallOfBot = Pick<Onward, 'place' | 'whyNot'> & { call: MethodCall; bot: Bot; asProgram: AsProgram | null };

/** The rest of the body is dropped, so that its sender sees the answer. */
export function refuseKey(proxy: RunningProxy, call: MethodCall, refusal: Refusal): void {
  call.req.resume();
  if (call.res.closed) leaveGone(proxy, call);
  else refuse(proxy, call, refusal);
}

export function leaveGone(proxy: RunningProxy, { method, begunAtMs }: MethodCall): void {
  proxy.metrics.call('refused', method, 499, begunAtMs);
}
