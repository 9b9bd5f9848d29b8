import { placeOf } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import { checkCall, LIMITS_OF_MANAGED, toRead } from '@flotilla/domain/delivery/programs/check-call.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { encodeToken } from '@flotilla/telegram/token-text.ts';
import { NO_SUCH_METHOD } from '../answer.ts';
import { fail, isVerbOfCalls, type MethodCall, type RunningProxy, refuse } from '../call.ts';
import { passOfBot } from '../idempotency/pass-of-bot.ts';
import { plainRest, streamedForm } from './pass-for-program.ts';
import { notAllowed } from './refuse-token.ts';
import { hiddenSecret } from './secret-mask.ts';
import { seeParameters } from './see-parameters.ts';
import { parametersAsJson } from './write-parameters.ts';

/**
 * Passes a call with the own token of a bot that another one manages. Whoever made the bot has that token, and must not read the
 * disk of a Bot API server: a call that could name a file is written anew from what was understood, as those of programs are.
 */
export function passOfManaged(proxy: RunningProxy, call: MethodCall, bot: Bot): void {
  if (!isVerbOfCalls(proxy, call)) return;
  const rest = plainRest(call.path.upstreamPath, call.path.token);
  if (rest === null) refuse(proxy, call, NO_SUCH_METHOD);
  else if (toRead(LIMITS_OF_MANAGED, call.method) === 'nothing') passOfBot(proxy, { call, bot, asProgram: null });
  else {
    passChecked(proxy, call, bot, rest).catch((error) => {
      call.req.resume();
      fail(proxy, call, error);
    });
  }
}

async function passChecked(proxy: RunningProxy, call: MethodCall, bot: Bot, rest: string): Promise<void> {
  const seen = await seeParameters(proxy.context.bodies, call);
  switch (seen.outcome) {
    case 'aborted':
      return proxy.metrics.call('refused', call.method, 499, call.begunAtMs);
    case 'refused':
      return refuse(proxy, call, seen.refusal);
    case 'unreadable':
      return refuseCall(proxy, call, seen.reason);
  }
  const checked = checkCall(LIMITS_OF_MANAGED, call.method, seen.parameters);
  if (checked.outcome === 'refused') return refuseCall(proxy, call, checked.why);
  const { parameters } = checked;
  const body =
    seen.form === null
      ? { type: 'application/json', content: parametersAsJson(parameters) }
      : streamedForm(proxy, call, seen.form, {
          first: parameters,
          limits: LIMITS_OF_MANAGED,
          refuse: ({ why }) => refusalOf(call.method, why),
        });
  const path = `/bot${encodeToken(bot.token)}${rest}`;
  const asProgram = { path, body, secret: hiddenSecret(bot.token, bot.token), isFile: false };
  passOfBot(proxy, { call, bot, asProgram, place: placeOf(parameters.get.bind(parameters)) });
}

/** The rest of a form is read and dropped, so that its sender sees the answer. */
function refuseCall(proxy: RunningProxy, call: MethodCall, why: string): void {
  call.req.resume();
  refuse(proxy, call, refusalOf(call.method, why));
}

function refusalOf(method: string, why: string) {
  return notAllowed('method', method, why).refusal;
}
