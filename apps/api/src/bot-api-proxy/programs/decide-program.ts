import { hasRate } from '@flotilla/domain/delivery/programs/count-call.ts';
import { isMethodAllowed } from '@flotilla/domain/delivery/programs/token-methods.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import { confirmedCredential, credentialOf, isValid, mayStillAct, senderOf } from '../../auth/program-credential.ts';
import { noteKnownSender } from '../../http/known-sender.ts';
import { DISABLED, forbidden, UNAUTHORIZED } from '../answer.ts';
import { fail, isVerbOfCalls, type MethodCall, type RunningProxy, refuse } from '../call.ts';
import { answerIntercepted } from '../intercept/answer-intercepted.ts';
import { passForProgram } from './pass-for-program.ts';
import { answeredForProgram } from './program-answers.ts';
import { notAllowed, type Refused, recordRefusal, refusalByRate, refuseToken } from './refuse-token.ts';

const FORBIDDEN = 403;

/**
 * Decides about a call with a program's token. What concerns updates and webhooks is answered here, for the program
 * alone; the rest goes on with the bot's token, if the token's limits allow it. Most calls are decided at once.
 */
export function decideProgram(proxy: RunningProxy, call: MethodCall): void {
  try {
    const found = confirmedCredential(proxy.context.directory, call.path.token);
    if (found !== undefined) decideFound(proxy, call, found);
    else decideUnseen(proxy, call).catch((error) => fail(proxy, call, error));
  } catch (error) {
    fail(proxy, call, error);
  }
}

async function decideUnseen(proxy: RunningProxy, call: MethodCall): Promise<void> {
  const found = await credentialOf(proxy.context.directory, call.path.token);
  if (found === undefined) refuse(proxy, call, UNAUTHORIZED);
  else decideFound(proxy, call, found);
}

function decideFound(proxy: RunningProxy, given: MethodCall, found: ProgramCredential): void {
  const { context } = proxy;
  const call = { ...given, program: found.program };
  if (!isValid(context, found)) {
    refuseToken(proxy, call, found, { reason: 'expired', refusal: UNAUTHORIZED });
    return;
  }
  noteKnownSender(call.req, senderOf(found));
  context.recordTokenUse(found.token.id);
  const refused = refusedByState(call.method, found);
  if (refused !== null) refuseToken(proxy, call, found, refused);
  else if (hasRate(found.token)) serveWithinRate(proxy, call, found).catch((error) => fail(proxy, call, error));
  else serve(proxy, call, found);
}

async function serveWithinRate(proxy: RunningProxy, call: MethodCall, found: ProgramCredential): Promise<void> {
  const refusal = await refusalByRate(proxy.context, found.token);
  if (refusal !== null) refuseToken(proxy, call, found, { reason: 'rate', refusal });
  else serve(proxy, call, found);
}

function serve(proxy: RunningProxy, call: MethodCall, found: ProgramCredential): void {
  if (!isVerbOfCalls(proxy, call)) return;
  const answered = answeredForProgram(call.method, found.token);
  if (answered === null) {
    passForProgram(proxy, call, found);
    return;
  }
  const { context } = proxy;
  const {
    method,
    path: { token },
  } = call;
  // A waiting poll keeps what is used here in memory, so it is not the call.
  void answerIntercepted(proxy, call, async (read) => {
    // The body may have taken minutes.
    if (!(await mayStillAct(context, token))) return UNAUTHORIZED;
    const answer = await answered(context, { ...read, ...found });
    if (!answer.ok && answer.code === FORBIDDEN)
      recordRefusal(context, method, found, { reason: 'method', refusal: answer });
    // A poll may wait longer than its token lives.
    return isValid(context, context.directory.byProgramToken(token)) ? answer : UNAUTHORIZED;
  });
}

/** A poll passes: for a disabled bot or a paused program it is held and answered empty, as with the bot's own token. */
export function refusedByState(method: string, { bot, program, token }: ProgramCredential): Refused | null {
  if (!isMethodAllowed(token, method)) return notAllowed('method', method, null);
  if (method === 'getupdates') return null;
  if (bot.disabled) return { reason: 'paused', refusal: DISABLED };
  return program.enabled ? null : { reason: 'paused', refusal: forbidden('the program is paused') };
}
