import type { ProgramCredential } from '@flotilla/domain/bots/program-credential.ts';
import { encodeToken } from '@flotilla/telegram/token-text.ts';
import { NO_SUCH_METHOD } from '../answer.ts';
import { fail, type MethodCall, pass, type RunningProxy, refuse } from '../call.ts';
import { teeOf } from '../call-tee.ts';
import { hasBody } from '../headers.ts';
import type { BodyGuard } from '../pass-through.ts';
import { judgeChats, repliesWithin } from './judge-chats.ts';
import { notAllowed, recordRefusal, refuseToken } from './refuse-token.ts';
import { type HiddenSecret, hiddenSecret } from './secret-mask.ts';
import { formGuard, type Seen, seeParameters } from './see-parameters.ts';

/** A token that every server reads in the same way, as it stands in a path. */
const PLAIN_TOKEN = /^(?:[\w:-]|%3a)+$/i;
/** The path behind the token; a program's call is passed on in no other form. */
const PLAIN_REST = /^\/(?:test\/)?\w+$/;

/** What all calls of a token have in common. */
type Way = { start: string; secret: HiddenSecret; chats: ReadonlySet<number> | null };

/** Passes a call on with the bot's token, if it stays within the chats of the program's token. */
export function passForProgram(proxy: RunningProxy, call: MethodCall, found: ProgramCredential): void {
  const way = wayOf(found, call.path.token);
  // Client libraries begin with getMe, which touches no chat.
  if (way.chats === null || call.method === 'getme') send(proxy, call, found, null);
  // What came with the headers is parsed by then, and most bodies are whole.
  else if (hasBody(call.req)) process.nextTick(passWithinChats, proxy, call, found, way.chats);
  else passWithinChats(proxy, call, found, way.chats);
}

// A changed bot or token is a new credential, so what is kept here is never out of date.
const known = new WeakMap<ProgramCredential, Way>();

function wayOf(found: ProgramCredential, programToken: string): Way {
  const before = known.get(found);
  if (before !== undefined) return before;
  const { bot, token } = found;
  const way = {
    start: `/bot${encodeToken(bot.token)}`,
    secret: hiddenSecret(bot.token, programToken),
    chats: token.chats === null ? null : new Set(token.chats),
  };
  known.set(found, way);
  return way;
}

function send(proxy: RunningProxy, call: MethodCall, found: ProgramCredential, guard: BodyGuard | null): void {
  const { upstreamPath, token, query } = call.path;
  const rest = plainRest(upstreamPath, token);
  if (rest === null) {
    refuseToken(proxy, call, found, { reason: 'method', refusal: NO_SUCH_METHOD });
    return;
  }
  const { start, secret } = wayOf(found, token);
  const path = query === '' ? start + rest : `${start}${rest}?${query}`;
  pass(proxy, call, teeOf(proxy, call, found.bot), { path, guard, secret, isFile: false });
}

/** The path behind the token without its query string; null if another server might read token or method in it. */
function plainRest(upstreamPath: string, token: string): string | null {
  const restAt = upstreamPath.indexOf('/', 1);
  const spelled = upstreamPath.slice('/bot'.length, restAt);
  if (spelled !== token && !PLAIN_TOKEN.test(spelled)) return null;
  const queryAt = upstreamPath.indexOf('?', restAt);
  const rest = queryAt === -1 ? upstreamPath.slice(restAt) : upstreamPath.slice(restAt, queryAt);
  return PLAIN_REST.test(rest) ? rest : null;
}

function passWithinChats(
  proxy: RunningProxy,
  call: MethodCall,
  found: ProgramCredential,
  chats: ReadonlySet<number>,
): void {
  try {
    const seen = seeParameters(proxy.context.bodies, call);
    if (seen instanceof Promise) {
      seen.then((later) => judge(proxy, call, found, chats, later)).catch((error) => fail(proxy, call, error));
    } else judge(proxy, call, found, chats, seen);
  } catch (error) {
    fail(proxy, call, error);
  }
}

function judge(
  proxy: RunningProxy,
  call: MethodCall,
  found: ProgramCredential,
  chats: ReadonlySet<number>,
  seen: Seen,
): void {
  const notSo = (why: string) => notAllowed('chat', call.method, why);
  switch (seen.outcome) {
    case 'aborted':
      proxy.metrics.call('refused', call.method, 499, call.begunAtMs);
      return;
    case 'refused':
      refuse(proxy, call, seen.refusal);
      return;
    case 'unreadable':
      refuseToken(proxy, call, found, notSo(seen.reason));
      return;
  }
  const judged = judgeChats(chats, call.method, seen.parameters);
  if (judged.outcome === 'refused') {
    seen.whole?.release();
    refuseToken(proxy, call, found, { ...notSo(judged.reason), chatId: judged.chatId });
    return;
  }
  const query = call.path.query === '' ? judged.pinned : `${judged.pinned}&${call.path.query}`;
  const guard = seen.boundary === null ? null : guardReplies(proxy, call, found, chats, seen.boundary);
  send(proxy, { ...call, path: { ...call.path, query }, whole: seen.whole ?? call.whole }, found, guard);
}

/** Watches a form whose rest is streamed, for a reply to another chat, which the query string cannot overrule. */
function guardReplies(
  { context }: RunningProxy,
  { method }: MethodCall,
  found: ProgramCredential,
  chats: ReadonlySet<number>,
  boundary: string,
): BodyGuard {
  const refused = notAllowed('chat', method, 'reply_parameters name another chat');
  const isSound = formGuard(boundary, (reply) => repliesWithin(chats, reply));
  return {
    allows: (chunk) => {
      if (isSound(chunk)) return true;
      recordRefusal(context, method, found, refused);
      return false;
    },
    refusal: refused.refusal,
  };
}
