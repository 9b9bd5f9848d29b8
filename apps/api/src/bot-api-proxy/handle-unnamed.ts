import { parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import type { Sender } from '../http/body-budget.ts';
import { type Refusal, sendAnswer, sendEmpty } from './answer.ts';
import { hidesAnsweredMethod } from './answered-methods.ts';
import { describeError } from './describe-error.ts';
import { hasBody } from './framing-fault.ts';
import { handleMethod } from './handle-method.ts';
import { namedInBody } from './named-in-body.ts';
import type { ProxyDeps } from './proxy-deps.ts';
import { AMBIGUOUS, UNAUTHORIZED } from './refusals.ts';
import type { MethodCall, RunningProxy } from './running-proxy.ts';

/**
 * Handles a call whose path names no method: the platform takes it from the parameter `method`, so that we have to look
 * there too, or a getUpdates would slip past us. Nothing of a body is read before it is known whose token this is.
 */
export async function handleUnnamed(proxy: RunningProxy, call: MethodCall): Promise<void> {
  const inQuery = parametersOf(call.path.query).values.get('method');
  if (inQuery !== undefined || !hasBody(call.req)) return handleNamed(proxy, call, (inQuery ?? '').toLowerCase());
  let sender: Sender;
  try {
    sender = await senderOf(proxy.deps, call.path.token);
  } catch (error) {
    return refuse(proxy, call, describeError(proxy.deps.log, error));
  }
  const { unknownBots, autoRegisterBots } = proxy.deps.proxy;
  const isRefused = sender === 'stranger' && unknownBots === 'reject' && !autoRegisterBots;
  if (isRefused) return refuse(proxy, call, UNAUTHORIZED);
  const named = await namedInBody(proxy.deps.bodies, sender, call);
  switch (named.outcome) {
    case 'named':
      return handleNamed(proxy, { ...call, whole: named.whole }, named.method);
    case 'refused':
      return refuse(proxy, call, named.refusal);
    case 'unknown-encoding':
      sendEmpty(call.res, 415);
      proxy.metrics.call('refused', null, 415, call.begunAtMs);
      return;
    case 'aborted':
      proxy.metrics.call('refused', null, 499, call.begunAtMs);
  }
}

function handleNamed(proxy: RunningProxy, call: MethodCall, method: string): void {
  if (hidesAnsweredMethod(method)) refuse(proxy, call, AMBIGUOUS);
  else handleMethod(proxy, { ...call, method });
}

/** Another replica may have registered the bot a moment ago. Throws FlotillaError when nobody can tell. */
async function senderOf({ directory }: ProxyDeps, token: string): Promise<Sender> {
  if (directory.byToken(token) !== undefined) return 'known';
  await directory.refresh();
  return directory.byToken(token) === undefined ? 'stranger' : 'known';
}

function refuse(proxy: RunningProxy, { res, begunAtMs }: MethodCall, refusal: Refusal): void {
  sendAnswer(res, refusal);
  proxy.metrics.call('refused', null, refusal.code, begunAtMs);
}
