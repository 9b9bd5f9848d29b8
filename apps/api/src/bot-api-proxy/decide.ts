import { DEFAULT_UPSTREAM } from '@flotilla/contract/upstreams.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import type { BotDirectory } from '@flotilla/domain/fleet/bots/bot-directory.ts';
import { isProgramToken } from '@flotilla/domain/fleet/bots/program-credential.ts';
import { isRead } from '@flotilla/domain/fleet/installation/only-reads.ts';
import type { Quarantine } from '@flotilla/domain/fleet/installation/quarantine.ts';
import { parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import { type KnownSender, knownSender, noteKnownSender } from '../http/known-sender.ts';
import {
  AMBIGUOUS,
  DISABLED,
  describeError,
  NO_SUCH_METHOD,
  NOT_FOUND,
  NOT_KNOWN_YET,
  QUARANTINED,
  sendEmpty,
  UNAUTHORIZED,
} from './answer.ts';
import {
  fail,
  finish,
  isVerbOfCalls,
  type MethodCall,
  pass,
  type RunningProxy,
  refuse,
  refuseRequest,
} from './call.ts';
import { hasBody } from './headers.ts';
import { passOfBot } from './idempotency/pass-of-bot.ts';
import { answerIntercepted } from './intercept/answer-intercepted.ts';
import { LEAVING, LEFT, recordLeaving } from './intercept/log-out.ts';
import { setWebhookOfStranger } from './intercept/webhook.ts';
import { hidesAnsweredMethod, isTestForm, namedPath } from './path.ts';
import { decideProgram } from './programs/decide-program.ts';
import { passOfManaged } from './programs/pass-of-managed.ts';
import { methodInBody } from './read-parameters.ts';
import { getServedFile, servesFiles } from './serve-file.ts';

/** They change what is stored of a bot. */
const SETTINGS: ReadonlySet<string> = new Set(['setwebhook', 'deletewebhook']);

const refusalIn = ({ reason }: Quarantine) => (reason === 'unknown' ? NOT_KNOWN_YET : QUARANTINED);

/** Decides if a call is answered here, refused, or passed on; a call that is passed on may be captured. */
export function decide(proxy: RunningProxy, call: MethodCall): void {
  const quarantine = proxy.context.installation.quarantine();
  // A poll confirms updates, which is no matter in a Redis of a copy's own.
  const polls = call.method === 'getupdates' && quarantine?.redisOfOthers === false;
  if (quarantine !== null && !isRead(call.method) && !polls) {
    refuse(proxy, call, refusalIn(quarantine));
    return;
  }
  if (LEAVING.has(call.method)) {
    if (!isVerbOfCalls(proxy, call)) return;
    void recordLeaving(proxy, call);
    finish(proxy, call, LEFT);
    return;
  }
  let bot: Bot | undefined;
  try {
    if (SETTINGS.has(call.method)) proxy.context.readOnly.requireWritable();
    bot = proxy.context.directory.byToken(call.path.token);
  } catch (error) {
    // Refused for maintenance, or because we cannot know if the bot is ours; a stranger's call would be passed on to the platform.
    fail(proxy, call, error);
    return;
  }
  if (bot !== undefined) decideKnown(proxy, call, bot);
  else if (isProgramToken(call.path.token)) decideProgram(proxy, call);
  else if (proxy.intercepts.has(call.method)) void lookAgain(proxy, call);
  else decideUnknown(proxy, call);
}

/** A name that every server reads in the same way. */
const PLAIN_NAME = /^\w{1,64}$/;

/**
 * Decides a call whose path names no method. The platform then takes it from the parameter `method`, so we must see a
 * getUpdates there. It goes on with the method that we read in its path, so that the platform can read no other one. No body
 * is read before we know whose token this is.
 */
export async function decideUnnamed(proxy: RunningProxy, call: MethodCall): Promise<void> {
  // A program's client always names the method in the path; what it may call is decided by that alone.
  if (isProgramToken(call.path.token)) return refuseRequest(proxy, call.res, NOT_FOUND, call.begunAtMs);
  const inQuery = parametersOf(call.path.query).values.get('method');
  if (inQuery !== undefined || !hasBody(call.req)) return decideNamed(proxy, call, inQuery ?? '');
  const { res, begunAtMs } = call;
  const { directory, log, bodies } = proxy.context;
  const { unknownBots, autoRegisterBots } = proxy.context.proxy;
  try {
    await noteSender(directory, call);
  } catch (error) {
    return refuseRequest(proxy, res, describeError(log, error), begunAtMs);
  }
  const isRefused = knownSender(call.req) === null && unknownBots === 'reject' && !autoRegisterBots;
  if (isRefused) return refuseRequest(proxy, res, UNAUTHORIZED, begunAtMs);
  const named = await methodInBody(bodies, call);
  switch (named.outcome) {
    case 'named':
      return decideNamed(proxy, { ...call, whole: named.whole }, named.method);
    case 'refused':
      return refuseRequest(proxy, res, named.refusal, begunAtMs);
    case 'unknown-encoding':
      sendEmpty(res, 415);
      proxy.metrics.call('refused', null, 415, begunAtMs);
      return;
    case 'aborted':
      proxy.metrics.call('refused', null, 499, begunAtMs);
  }
}

function decideNamed(proxy: RunningProxy, call: MethodCall, name: string): void {
  const method = name.toLowerCase();
  if (hidesAnsweredMethod(method)) refuseRequest(proxy, call.res, AMBIGUOUS, call.begunAtMs);
  else if (!PLAIN_NAME.test(name)) refuseRequest(proxy, call.res, NO_SUCH_METHOD, call.begunAtMs);
  else decide(proxy, { ...call, method, path: namedPath(call.path, method) });
}

/** Another replica may just have registered an unknown token. Throws FlotillaError if the directory cannot refresh. */
async function noteSender(directory: BotDirectory, { req, path: { token } }: MethodCall): Promise<void> {
  if (directory.byToken(token) === undefined) await directory.refresh();
  const bot = directory.byToken(token);
  if (bot !== undefined) noteKnownSender(req, senderWithToken(bot));
}

function senderWithToken({ id }: Bot): KnownSender {
  return { owner: `bot:${id}`, scope: 'token' };
}

/** Refreshes as `noteSender` does: a getUpdates of our bot, if passed on, would acknowledge updates we never stored. */
async function lookAgain(proxy: RunningProxy, call: MethodCall): Promise<void> {
  const { directory } = proxy.context;
  let bot: Bot | undefined;
  try {
    await directory.refresh();
    bot = directory.byToken(call.path.token);
  } catch (error) {
    fail(proxy, call, error);
    return;
  }
  if (bot === undefined) decideUnknown(proxy, call);
  else decideKnown(proxy, call, bot);
}

function decideKnown(proxy: RunningProxy, call: MethodCall, bot: Bot): void {
  noteKnownSender(call.req, senderWithToken(bot));
  if (bot.disabled && call.method !== 'getupdates') {
    refuse(proxy, call, DISABLED);
    return;
  }
  const isServed = call.method === 'getfile' && servesFiles(proxy.context, bot);
  const intercept = isServed ? getServedFile : proxy.intercepts.get(call.method);
  if (intercept === undefined) {
    if (bot.parent_bot_id === null) passOfBot(proxy, { call, bot, asProgram: null });
    else passOfManaged(proxy, call, bot);
  } else if (isVerbOfCalls(proxy, call)) {
    void answerIntercepted(proxy, call, (read) => intercept(proxy.context, { bot, ...read }));
  }
}

function decideUnknown(proxy: RunningProxy, call: MethodCall): void {
  const { autoRegisterBots, unknownBots } = proxy.context.proxy;
  const setsWebhook = call.method === 'setwebhook';
  const quarantine = proxy.context.installation.quarantine();
  if (setsWebhook && autoRegisterBots) {
    if (!isVerbOfCalls(proxy, call)) return;
    const { token } = call.path;
    const at = { upstream: DEFAULT_UPSTREAM, environment: isTestForm(call.path) ? 'test' : 'production' } as const;
    void answerIntercepted(proxy, call, (read) => setWebhookOfStranger(proxy.context, { token, at }, read));
  } else if (quarantine !== null && !isRead(call.method)) refuse(proxy, call, refusalIn(quarantine));
  else if (setsWebhook || unknownBots === 'reject') refuse(proxy, call, UNAUTHORIZED);
  else pass(proxy, call, null, { tee: null });
}
