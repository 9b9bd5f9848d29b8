import type { BotDirectory } from '@flotilla/domain/bots/bot-directory.ts';
import type { ProgramCredential } from '@flotilla/domain/bots/program-credential.ts';
import { isMethodAllowed } from '@flotilla/domain/bots/token-methods.ts';
import { encodeToken } from '@flotilla/telegram/token-text.ts';
import type { Context } from '../../context.ts';
import { DISABLED, describeError, forbidden, NO_SUCH_METHOD, UNAUTHORIZED } from '../answer.ts';
import { teeOf } from '../call-tee.ts';
import { isVerbOfCalls, pass, refuse } from '../end-call.ts';
import { hasBody } from '../headers.ts';
import { answerIntercepted } from '../intercept/answer-intercepted.ts';
import type { MethodCall, RunningProxy } from '../running-proxy.ts';
import { answeredForProgram } from './answer-program.ts';
import { judgeChats, repliesWithin } from './judge-chats.ts';
import { refusalByRate } from './refuse-by-rate.ts';
import { notAllowed, type Refused, recordRefusal, refuseToken } from './refuse-token.ts';
import { formGuard, seeParameters } from './see-parameters.ts';
import { tokenCutter } from './token-cutter.ts';

const FORBIDDEN = 403;
/** The part of a plain path before and after the token; a program's call is passed on in no other form. */
const PLAIN_PATH = /^\/bot(?:[\w:-]|%3a)+(\/(?:test\/)?\w+)(?:\?|$)/i;

/**
 * Decides about a call with a program's token. What concerns updates and webhooks is answered here, for the program
 * alone; the rest goes on with the bot's token, if the token's limits allow it. Never rejects.
 */
export async function decideProgram(proxy: RunningProxy, unnamed: MethodCall): Promise<void> {
  const { context } = proxy;
  try {
    const found = await credentialOf(context.directory, unnamed.path.token);
    if (found === undefined) return refuse(proxy, unnamed, UNAUTHORIZED);
    const call = { ...unnamed, program: found.program };
    if (!isValid(context, found)) return refuseToken(proxy, call, found, { reason: 'expired', refusal: UNAUTHORIZED });
    context.recordTokenUse(found.token.id);
    const refused = refusedByState(call.method, found);
    if (refused !== null) return refuseToken(proxy, call, found, refused);
    const refusal = await refusalByRate(context, found.token);
    if (refusal !== null) return refuseToken(proxy, call, found, { reason: 'rate', refusal });
    if (!isVerbOfCalls(proxy, call)) return;
    const answered = answeredForProgram(call.method, found.token);
    if (answered === null) return await passOn(proxy, call, found);
    await answerIntercepted(proxy, call, 'known', async (read) => {
      const answer = await answered(context, { ...read, ...found });
      if (!answer.ok && answer.code === FORBIDDEN)
        recordRefusal(context, call.method, found, { reason: 'method', refusal: answer });
      // A poll may wait longer than its token lives.
      return isValid(context, context.directory.byProgramToken(call.path.token)) ? answer : UNAUTHORIZED;
    });
  } catch (error) {
    refuse(proxy, unnamed, describeError(context.log, error));
  }
}

/** Another replica may just have made an unknown token. Throws FlotillaError if the directory cannot be read. */
export async function credentialOf(directory: BotDirectory, token: string): Promise<ProgramCredential | undefined> {
  const found = directory.byProgramToken(token);
  if (found !== undefined) return found;
  await directory.refresh();
  return directory.byProgramToken(token);
}

export function isValid({ clock }: Context, found: ProgramCredential | undefined): found is ProgramCredential {
  return found !== undefined && (found.token.expiresAtMs ?? Number.POSITIVE_INFINITY) > clock.nowMs();
}

/** A poll of a bot or a program that rests is held and answered empty, like any other poll of such a bot. */
export function refusedByState(method: string, { bot, program, token }: ProgramCredential): Refused | null {
  if (!isMethodAllowed(token, method)) return notAllowed('method', method, null);
  if (method === 'getupdates') return null;
  if (bot.disabled) return { reason: 'paused', refusal: DISABLED };
  return program.enabled ? null : { reason: 'paused', refusal: forbidden('the program is paused') };
}

async function passOn(proxy: RunningProxy, call: MethodCall, found: ProgramCredential): Promise<void> {
  const { bot, token } = found;
  const path = PLAIN_PATH.exec(call.path.upstreamPath)?.[1];
  if (path === undefined) return refuseToken(proxy, call, found, { reason: 'method', refusal: NO_SUCH_METHOD });
  const base = `/bot${encodeToken(bot.token)}${path}`;
  const cutter = tokenCutter(bot.token, call.path.token);
  const notSo = (why: string) => notAllowed('chat', call.method, why);
  const ofReply = notSo('reply_parameters name another chat');
  const refuseRest = (): false => {
    recordRefusal(proxy.context, call.method, found, ofReply);
    return false;
  };
  const send = (sent: MethodCall, allows: ((chunk: Buffer) => boolean) | null): void => {
    const { query } = sent.path;
    const guard = allows === null ? null : (chunk: Buffer) => allows(chunk) || refuseRest();
    const asProgram = { path: query === '' ? base : `${base}?${query}`, guard, refusal: ofReply.refusal, cutter };
    pass(proxy, sent, teeOf(proxy, sent, bot), asProgram);
  };
  // Client libraries begin with getMe, which touches no chat.
  if (token.chats === null || call.method === 'getme') return send(call, null);
  const chats = new Set(token.chats);
  const seen = await seeParameters(proxy.context.bodies, call);
  switch (seen.outcome) {
    case 'aborted':
      proxy.metrics.call('refused', call.method, 499, call.begunAtMs);
      return;
    case 'refused':
      return refuse(proxy, call, seen.refusal);
    case 'unreadable':
      return refuseToken(proxy, call, found, notSo(seen.reason));
  }
  const judged = judgeChats(chats, call.method, seen.parameters);
  if (judged.outcome === 'refused') {
    seen.whole?.release();
    return refuseToken(proxy, call, found, { ...notSo(judged.reason), chatId: judged.chatId });
  }
  const query = call.path.query === '' ? judged.pinned : `${judged.pinned}&${call.path.query}`;
  const { boundary } = seen;
  const guard = boundary === null ? null : formGuard(boundary, (reply) => repliesWithin(chats, reply));
  send({ ...call, path: { ...call.path, query }, whole: seen.whole ?? call.whole }, hasBody(call.req) ? guard : null);
}
