import { setTimeout as delay } from 'node:timers/promises';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { type BotApiAnswer, type Refusal, sendAnswer, sendEmpty } from './answer.ts';
import { answerIntercepted } from './answer-intercepted.ts';
import { botActor } from './bot-actor.ts';
import { callTee } from './call-tee.ts';
import { describeError } from './describe-error.ts';
import { close } from './intercept/close.ts';
import { logOut } from './intercept/log-out.ts';
import { setWebhookOfStranger } from './intercept/set-webhook.ts';
import { passThrough, type Tee } from './pass-through.ts';
import { recordLogOut } from './record-log-out.ts';
import { DISABLED, UNAUTHORIZED } from './refusals.ts';
import type { MethodCall, RunningProxy } from './running-proxy.ts';

/** Answered here whoever asks. */
const FOR_ANY_TOKEN = new Map([
  ['logout', logOut],
  ['close', close],
]);

/** Decides what becomes of a call: answered here, refused, or passed on, and then perhaps captured. */
export function handleMethod(proxy: RunningProxy, call: MethodCall): void {
  const forAnyToken = FOR_ANY_TOKEN.get(call.method);
  if (forAnyToken !== undefined) {
    if (!isVerbOfCalls(proxy, call)) return;
    finish(proxy, call, forAnyToken());
    void recordLogOut(proxy, call);
    return;
  }
  let bot: Bot | undefined;
  try {
    bot = proxy.deps.directory.byToken(call.path.token);
  } catch (error) {
    // We cannot know whether the bot is ours, and a stranger's calls would go on to the platform.
    refuse(proxy, call, describeError(proxy.deps.log, error));
    return;
  }
  if (bot !== undefined) handleKnown(proxy, call, bot);
  else if (proxy.intercepts.has(call.method)) void lookAgain(proxy, call);
  else handleUnknown(proxy, call);
}

/** Another replica may have registered it a moment ago; passing its getUpdates on would acknowledge what nobody stored. */
async function lookAgain(proxy: RunningProxy, call: MethodCall): Promise<void> {
  const { directory, log } = proxy.deps;
  let bot: Bot | undefined;
  try {
    await directory.refresh();
    bot = directory.byToken(call.path.token);
  } catch (error) {
    refuse(proxy, call, describeError(log, error));
    return;
  }
  if (bot === undefined) handleUnknown(proxy, call);
  else handleKnown(proxy, call, bot);
}

function handleKnown(proxy: RunningProxy, call: MethodCall, bot: Bot): void {
  if (bot.disabled && call.method !== 'getupdates') {
    refuse(proxy, call, DISABLED);
    return;
  }
  const intercept = proxy.intercepts.get(call.method);
  if (intercept === undefined) pass(proxy, call, teeOf(proxy, call, bot));
  else if (isVerbOfCalls(proxy, call)) {
    void answerIntercepted(proxy, call, 'known', (read) => intercept(proxy.deps, { bot, ...read }));
  }
}

function handleUnknown(proxy: RunningProxy, call: MethodCall): void {
  const { autoRegisterBots, unknownBots } = proxy.deps.proxy;
  const setsWebhook = call.method === 'setwebhook';
  if (setsWebhook && autoRegisterBots) {
    if (!isVerbOfCalls(proxy, call)) return;
    const { token } = call.path;
    void answerIntercepted(proxy, call, 'stranger', (read) => setWebhookOfStranger(proxy.deps, token, read));
  } else if (setsWebhook || unknownBots === 'reject') refuse(proxy, call, UNAUTHORIZED);
  else pass(proxy, call, null);
}

/** Only GET and POST are calls; anything else is refused as the platform does, never passed on. */
function isVerbOfCalls(proxy: RunningProxy, { req, res, begunAtMs }: MethodCall): boolean {
  if (req.method === 'GET' || req.method === 'POST') return true;
  sendEmpty(res, 501);
  proxy.metrics.call('refused', null, 501, begunAtMs);
  return false;
}

function pass(proxy: RunningProxy, call: MethodCall, tee: Tee | null): void {
  const kind = tee === null ? 'passed' : 'captured';
  passThrough(proxy.upstream, call.req, call.res, {
    path: call.path.upstreamPath,
    tee,
    body: call.whole === null ? null : call.whole.bytes,
    errorDelayMs: call.method === 'getupdates' ? proxy.pollErrorDelayMs : 0,
    onDone: (status) => proxy.metrics.call(kind, call.method, status, call.begunAtMs),
  });
}

function teeOf(proxy: RunningProxy, call: MethodCall, bot: Bot): Tee | null {
  const captured = capturedMethod(call.method);
  if (captured === undefined) return null;
  // Of a bot without a history it is only remembered which posts are its own.
  if (!bot.manageEnabled && captured.effect !== 'messages' && captured.effect !== 'copies') return null;
  if (!proxy.capture.hasRoom()) {
    proxy.capture.lose(bot.id, call.method, 'too many calls wait');
    return null;
  }
  const isAudited = captured.effect === 'audit' || captured.effect === 'deletion';
  const by = isAudited ? botActor(proxy, call) : null;
  return callTee(proxy.capture, { bot, by, method: call.method, captured, query: call.path.query }, call.req);
}

function refuse(proxy: RunningProxy, call: MethodCall, refusal: Refusal): void {
  if (call.method !== 'getupdates') finish(proxy, call, refusal);
  else void delay(proxy.pollErrorDelayMs).then(() => finish(proxy, call, refusal));
}

function finish(proxy: RunningProxy, call: MethodCall, answer: BotApiAnswer): void {
  sendAnswer(call.res, answer);
  if (answer.ok) proxy.metrics.call('intercepted', call.method, 200, call.begunAtMs);
  else proxy.metrics.call('refused', call.method, answer.code, call.begunAtMs);
}
