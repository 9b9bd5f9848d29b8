import type { BotDirectory } from '@flotilla/domain/bots/bot-directory.ts';
import type { ProgramCredential } from '@flotilla/domain/bots/program-credential.ts';
import { encodeToken } from '@flotilla/telegram/token-text.ts';
import type { Context } from '../../context.ts';
import { DISABLED, describeError, forbidden, NO_SUCH_METHOD, type Refusal, UNAUTHORIZED } from '../answer.ts';
import { teeOf } from '../call-tee.ts';
import { isVerbOfCalls, pass, refuse } from '../end-call.ts';
import { hasBody } from '../headers.ts';
import { answerIntercepted } from '../intercept/answer-intercepted.ts';
import type { MethodCall, RunningProxy } from '../running-proxy.ts';
import { answeredForProgram } from './answer-program.ts';
import { judgeChats, repliesWithin } from './judge-chats.ts';
import { refusalByRate } from './refuse-by-rate.ts';
import { formGuard, seeParameters } from './see-parameters.ts';
import { tokenCutter } from './token-cutter.ts';
import { isMethodAllowed } from './token-methods.ts';

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
    if (!isValid(context, found)) return refuse(proxy, unnamed, UNAUTHORIZED);
    context.recordTokenUse(found.token.id);
    const call = { ...unnamed, program: found.program };
    const refusal = refusalByState(call, found) ?? (await refusalByRate(context, found.token));
    if (refusal !== null) return refuse(proxy, call, refusal);
    if (!isVerbOfCalls(proxy, call)) return;
    const answered = answeredForProgram(call.method);
    if (answered === null) return await passOn(proxy, call, found);
    await answerIntercepted(proxy, call, 'known', async (read) => {
      const answer = await answered(context, { ...read, ...found });
      // A poll may wait longer than its token lives.
      return isValid(context, context.directory.byProgramToken(call.path.token)) ? answer : UNAUTHORIZED;
    });
  } catch (error) {
    refuse(proxy, unnamed, describeError(context.log, error));
  }
}

/** Another replica may just have made an unknown token. Throws FlotillaError if the directory cannot be read. */
async function credentialOf(directory: BotDirectory, token: string): Promise<ProgramCredential | undefined> {
  const found = directory.byProgramToken(token);
  if (found !== undefined) return found;
  await directory.refresh();
  return directory.byProgramToken(token);
}

function isValid({ clock }: Context, found: ProgramCredential | undefined): found is ProgramCredential {
  return found !== undefined && (found.token.expiresAtMs ?? Number.POSITIVE_INFINITY) > clock.nowMs();
}

/** A poll of a bot or a program that rests is held and answered empty, like any other poll of such a bot. */
function refusalByState({ method }: MethodCall, { bot, program, token }: ProgramCredential): Refusal | null {
  if (!isMethodAllowed(token, method)) return forbidden(`this token may not call ${shown(method)}`);
  if (method === 'getupdates') return null;
  if (bot.disabled) return DISABLED;
  return program.enabled ? null : forbidden('the program is paused');
}

async function passOn(proxy: RunningProxy, call: MethodCall, { bot, token }: ProgramCredential): Promise<void> {
  const path = PLAIN_PATH.exec(call.path.upstreamPath)?.[1];
  if (path === undefined) return refuse(proxy, call, NO_SUCH_METHOD);
  const base = `/bot${encodeToken(bot.token)}${path}`;
  const cutter = tokenCutter(bot.token, call.path.token);
  const refusal = forbidden(`this token may not call ${shown(call.method)} so: reply_parameters name another chat`);
  const send = (sent: MethodCall, guard: ((chunk: Buffer) => boolean) | null): void => {
    const { query } = sent.path;
    const asProgram = { path: query === '' ? base : `${base}?${query}`, guard, refusal, cutter };
    pass(proxy, sent, teeOf(proxy, sent, bot), asProgram);
  };
  if (token.chats === null) return send(call, null);
  const chats = new Set(token.chats);
  const seen = await seeParameters(proxy.context.bodies, call);
  switch (seen.outcome) {
    case 'aborted':
      proxy.metrics.call('refused', call.method, 499, call.begunAtMs);
      return;
    case 'refused':
      return refuse(proxy, call, seen.refusal);
    case 'unreadable':
      return refuse(proxy, call, forbidden(`this token may not call ${shown(call.method)} so: ${seen.reason}`));
  }
  const judged = judgeChats(chats, call.method, seen.parameters);
  if (judged.outcome === 'refused') {
    seen.whole?.release();
    return refuse(proxy, call, forbidden(`this token may not call ${shown(call.method)} so: ${judged.reason}`));
  }
  const query = call.path.query === '' ? judged.pinned : `${judged.pinned}&${call.path.query}`;
  const { boundary } = seen;
  const guard = boundary === null ? null : formGuard(boundary, (reply) => repliesWithin(chats, reply));
  send({ ...call, path: { ...call.path, query }, whole: seen.whole ?? call.whole }, hasBody(call.req) ? guard : null);
}

/** A method name as a client may send it, which can be anything. */
function shown(method: string): string {
  return /^\w{1,64}$/.test(method) ? method : 'this method';
}
