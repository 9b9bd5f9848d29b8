import { parametersWith } from '@flotilla/contract/bot-api/parameters.ts';
import { placeOf } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import {
  type CallLimits,
  checkCall,
  limitsOf,
  type RefusedParameter,
  toRead,
} from '@flotilla/domain/delivery/programs/check-call.ts';
import type { NamedMessage } from '@flotilla/domain/delivery/programs/check-topics.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import { uploadsAt } from '@flotilla/domain/fleet/upstreams/server-of-name.ts';
import { encodeToken } from '@flotilla/telegram/token-text.ts';
import { mayStillAct } from '../../auth/program-credential.ts';
import { shareOf } from '../../http/collect-body.ts';
import { DISABLED, NO_SUCH_METHOD, UNAUTHORIZED } from '../answer.ts';
import { fail, type MethodCall, type RunningProxy, refuse } from '../call.ts';
import type { OwnBody } from '../forward.ts';
import { hasBody, hasWholeBody } from '../headers.ts';
import { passOfBot } from '../idempotency/pass-of-bot.ts';
import { notAllowed, type Refused, recordRefusal, refuseToken } from './refuse-token.ts';
import { type HiddenSecret, hiddenSecret } from './secret-mask.ts';
import { type BegunForm, type Seen, seeParameters } from './see-parameters.ts';
import { type FormOptions, parametersAsJson, rewrittenForm } from './write-parameters.ts';

/** A token that every server reads in the same way, as it stands in a path. */
const PLAIN_TOKEN = /^(?:[\w:-]|%3a)+$/i;
/** The path behind the token; a program's call is passed on in no other form. */
const PLAIN_REST = /^\/(?:test\/)?\w+$/;
/**
 * A token may not spend Stars. The platform takes the first of a name, and the query string before the body, so empty prices in the
 * query string overrule those of a body that is not read.
 */
const NO_PRICES = parametersWith('spending')
  .map((name) => `${name}=`)
  .join('&');

const EXPIRED: Refused = { reason: 'expired', refusal: UNAUTHORIZED };

/** Common to all calls of a token. */
type Way = { start: string; secret: HiddenSecret; limits: CallLimits };
/** Sent in place of the client's query string and body. */
type Own = { query: string; body: OwnBody | null };

/**
 * Passes a call on with the bot's token, if it stays within the limits of the program's token. A call that has to be read
 * is written anew from what was understood, so that no other reading of it can matter.
 */
export function passForProgram(proxy: RunningProxy, call: MethodCall, found: ProgramCredential): void {
  const { limits } = wayOf(proxy, found, call.path.token);
  const read = toRead(limits, call.method);
  if (read === 'nothing') send(proxy, call, found, { query: call.path.query, body: null });
  else {
    const next = read === 'prices' ? passUnread : passWithinLimits;
    // The bytes that came with the headers are parsed by then, and most bodies are whole.
    if (hasBody(call.req)) process.nextTick(next, proxy, call, found, limits);
    else next(proxy, call, found, limits);
  }
}

// A changed bot or token is a new credential, so what is kept here is never out of date.
const known = new WeakMap<ProgramCredential, Way>();

function wayOf({ context }: RunningProxy, found: ProgramCredential, programToken: string): Way {
  const before = known.get(found);
  if (before !== undefined) return before;
  const { bot, token } = found;
  const way = {
    start: `/bot${encodeToken(bot.token)}`,
    secret: hiddenSecret(bot.token, programToken),
    limits: limitsOf(token, uploadsAt(context.servers, bot)),
  };
  known.set(found, way);
  return way;
}

function send(
  proxy: RunningProxy,
  call: MethodCall,
  found: ProgramCredential,
  { query, body }: Own,
  place?: string | null,
): void {
  const { upstreamPath, token } = call.path;
  const rest = plainRest(upstreamPath, token);
  if (rest === null) {
    refuseToken(proxy, call, found, { reason: 'method', refusal: NO_SUCH_METHOD });
    return;
  }
  const { start, secret } = wayOf(proxy, found, token);
  const path = query === '' ? start + rest : `${start}${rest}?${query}`;
  passOfBot(proxy, {
    ...{ call, bot: found.bot, asProgram: { path, body, secret, isFile: false } },
    ...(place === undefined ? {} : { place }),
    whyNot: async () => {
      if (!(await mayStillAct(proxy.context, token))) return UNAUTHORIZED;
      return proxy.context.directory.byProgramToken(token)?.bot.disabled === true ? DISABLED : null;
    },
  });
}

/** The path behind the token without its query string; null if another server might read token or method in it. */
export function plainRest(upstreamPath: string, token: string): string | null {
  const restAt = upstreamPath.indexOf('/', 1);
  const spelled = upstreamPath.slice('/bot'.length, restAt);
  if (spelled !== token && !PLAIN_TOKEN.test(spelled)) return null;
  const queryAt = upstreamPath.indexOf('?', restAt);
  const rest = queryAt === -1 ? upstreamPath.slice(restAt) : upstreamPath.slice(restAt, queryAt);
  return PLAIN_REST.test(rest) ? rest : null;
}

/**
 * Passes a call as it came, with empty prices in its query string. It is read only if it names a price, to be refused, or if its
 * body has not come yet.
 */
function passUnread(proxy: RunningProxy, call: MethodCall, found: ProgramCredential, limits: CallLimits): void {
  const { req, path } = call;
  if (!hasBody(req)) {
    if (namesPrice(path.query)) passWithinLimits(proxy, call, found, limits);
    else sendUnpaid(proxy, call, found);
    return;
  }
  if (!hasWholeBody(req)) {
    passWithinLimits(proxy, call, found, limits);
    return;
  }
  const bytes = (req.read() as Buffer | null) ?? Buffer.alloc(0);
  const read = { ...call, whole: { bytes, release: () => undefined } };
  if (namesPrice(path.query) || namesPrice(bytes)) passWithinLimits(proxy, read, found, limits);
  else sendUnpaid(proxy, read, found);
}

function sendUnpaid(proxy: RunningProxy, call: MethodCall, found: ProgramCredential): void {
  const { query } = call.path;
  send(proxy, call, found, { query: query === '' ? NO_PRICES : `${NO_PRICES}&${query}`, body: null });
}

/** In their usual spelling; in any other, they are overruled. */
function namesPrice(text: string | Buffer): boolean {
  return text.includes('allow_paid_broadcast') || text.includes('suggested_post_parameters');
}

function passWithinLimits(proxy: RunningProxy, call: MethodCall, found: ProgramCredential, limits: CallLimits): void {
  try {
    const seen = seeParameters(proxy.context.bodies, call);
    if (seen instanceof Promise) {
      checkLater(proxy, call, found, limits, seen).catch((error) => {
        call.req.resume();
        fail(proxy, call, error);
      });
    } else check(proxy, call, found, limits, seen);
  } catch (error) {
    fail(proxy, call, error);
  }
}

/** The body may have taken minutes, in which the token may have been revoked. */
async function checkLater(
  proxy: RunningProxy,
  call: MethodCall,
  found: ProgramCredential,
  limits: CallLimits,
  seeing: Promise<Seen>,
): Promise<void> {
  const seen = await seeing;
  if (seen.outcome !== 'seen' || (await mayStillAct(proxy.context, call.path.token))) {
    check(proxy, call, found, limits, seen);
    return;
  }
  call.req.resume();
  refuseToken(proxy, call, found, EXPIRED);
}

function notSo(method: string, { about, why, chatId }: Omit<RefusedParameter, 'outcome'>): Refused {
  return { ...notAllowed(about, method, why), chatId };
}

function check(proxy: RunningProxy, call: MethodCall, found: ProgramCredential, limits: CallLimits, seen: Seen): void {
  switch (seen.outcome) {
    case 'aborted':
      proxy.metrics.call('refused', call.method, 499, call.begunAtMs);
      return;
    case 'refused':
      refuse(proxy, call, seen.refusal);
      return;
    case 'unreadable': {
      call.req.resume();
      const about = limits.chats === null ? 'method' : 'chat';
      refuseToken(proxy, call, found, notSo(call.method, { about, why: seen.reason, chatId: null }));
      return;
    }
  }
  const checked = checkCall(limits, call.method, seen.parameters);
  if (checked.outcome === 'refused') {
    // The rest of a form is read and dropped, so that its sender sees the answer.
    call.req.resume();
    refuseToken(proxy, call, found, notSo(call.method, checked));
    return;
  }
  const { parameters, messages } = checked;
  if (messages.length === 0) sendChecked(proxy, call, found, limits, seen.form, parameters);
  else {
    sendWithinTopics(proxy, call, found, { limits, form: seen.form, parameters, messages }).catch((error) => {
      call.req.resume();
      fail(proxy, call, error);
    });
  }
}

type Checked = {
  limits: CallLimits;
  form: BegunForm | null;
  parameters: Map<string, string>;
  messages: NamedMessage[];
};

/** The history tells in which topics the messages are that a call changes, takes or answers. */
async function sendWithinTopics(
  proxy: RunningProxy,
  call: MethodCall,
  found: ProgramCredential,
  { limits, form, parameters, messages }: Checked,
): Promise<void> {
  const { messageTopics } = proxy.context;
  const why = await messageTopics.whyOutside(found.bot, limits.threads ?? new Set(), messages);
  if (why === null && (await mayStillAct(proxy.context, call.path.token))) {
    sendChecked(proxy, call, found, limits, form, parameters);
    return;
  }
  call.req.resume();
  const refused = why === null ? EXPIRED : notAllowed('chat', call.method, why);
  refuseToken(proxy, call, found, refused);
}

/** `form`: its files are still to come. */
function sendChecked(
  proxy: RunningProxy,
  call: MethodCall,
  found: ProgramCredential,
  limits: CallLimits,
  form: BegunForm | null,
  parameters: Map<string, string>,
): void {
  // A function here that named the parameters would keep them for as long as the upload takes.
  const place = placeOf(parameters.get.bind(parameters));
  if (form === null) {
    const body = { type: 'application/json', content: parametersAsJson(parameters) };
    send(proxy, call, found, { query: '', body }, place);
    return;
  }
  const body = streamedForm(proxy, call, form, {
    first: parameters,
    limits,
    refuse: (refused) => {
      const shown = notSo(call.method, refused);
      recordRefusal(proxy.context, call.method, found, shown);
      return shown.refusal;
    },
  });
  send(proxy, call, found, { query: '', body }, place);
}

/** A form whose files are still to come. */
export function streamedForm(
  { context }: RunningProxy,
  { method, res }: MethodCall,
  { boundary, release }: BegunForm,
  checked: Pick<FormOptions, 'first' | 'limits' | 'refuse'>,
): OwnBody {
  const share = shareOf(context.bodies, res);
  const holds = (bytes: number) => {
    // The call goes on, and with it the part that was held.
    release();
    return share.growTo(bytes);
  };
  return rewrittenForm({ ...checked, boundary, method, holds });
}
