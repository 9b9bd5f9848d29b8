import { NO_BACKEND, type ProgramChanges } from '@flotilla/domain/delivery/programs/program.ts';
import { programStates } from '@flotilla/domain/delivery/programs/program-states.ts';
import { namesMethod } from '@flotilla/domain/delivery/programs/token-methods.ts';
import { updateProgram } from '@flotilla/domain/delivery/programs/update-program.ts';
import { staysWithin } from '@flotilla/domain/delivery/programs/webhook-token.ts';
import { maskedBackendUrl } from '@flotilla/domain/fleet/bots/masked-backend-url.ts';
import type { ProgramCredential } from '@flotilla/domain/fleet/bots/program-credential.ts';
import type { BackendSettings } from '@flotilla/domain/fleet/bots/set-backend.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import { programKeys } from '@flotilla/redis/keys.ts';
import { switchParameter } from '@flotilla/telegram/parameters/parameters.ts';
import type { Context } from '../../context.ts';
import { type BotApiAnswer, forbidden, tooManyRequests } from '../answer.ts';
import type { ReadCall } from '../call.ts';
import { readWebhookSettings } from '../intercept/webhook.ts';
import { webhookInfo } from '../webhook-info.ts';

export type ProgramCall = ReadCall & ProgramCredential;

const ONCE_PER_MS = 1000;
const LEAVES_CHATS =
  'this token may not call setWebhook: it is limited to chats or topics, and its program is not (filter.chat_ids, filter.thread_ids) or has others';

/** Turns the program into one that pushes; without a URL it does what deleteWebhook does. */
export async function setWebhookOfProgram(context: Context, given: ProgramCall): Promise<BotApiAnswer> {
  const call = await withNewestProgram(context, given);
  const url = call.parameters.values.get('url') ?? '';
  if (url === '') return deleteWebhookOfProgram(context, call);
  if (!namesMethod(call.token, 'setwebhook')) return forbidden('this token may not call setWebhook');
  if (!staysWithin(call.program, call.token)) return forbidden(LEAVES_CHATS);
  const read = await readWebhookSettings(context, url, call.parameters);
  if ('refusal' in read) return read.refusal;
  const { settings } = read;
  const changes = changesOf(settings, call.program);
  if (!settings.dropPending && isSet(call, changes) && isSetForToken(call))
    return { ok: true, result: 'true', description: 'Webhook is already set' };
  const { recentSetWebhook } = programKeys(call.bot.id, call.program.id);
  if (!(await allowOnce(context.redis, recentSetWebhook, ONCE_PER_MS))) return tooManyRequests(1);
  const { dropPending } = settings;
  const wanted = { ...changes, webhook_token_id: call.token.id };
  await updateProgram(context, call.by, call.program.id, wanted, { dropPending });
  return { ok: true, result: 'true', description: 'Webhook was set' };
}

/** Turns the program into one that pulls, from the first update that its backend has not got. */
export async function deleteWebhookOfProgram(context: Context, given: ProgramCall): Promise<BotApiAnswer> {
  const call = await withNewestProgram(context, given);
  const { bot, program, token, parameters } = call;
  const had = program.mode === 'push';
  const dropPending = switchParameter(parameters, 'drop_pending_updates');
  if (had && !mayChangeWebhook(call)) {
    return forbidden('this token may not call deleteWebhook: its program has a backend');
  }
  if (dropPending && !mayChangeWebhook(call) && !namesMethod(token, 'getupdates')) {
    return forbidden('this token may not drop updates: it may not call getUpdates');
  }
  // Many clients drop at every start: without anything that waits, this must change and audit nothing.
  const drops = dropPending && (await programStates(context, bot))(program.id).pending > 0;
  if (had || drops) {
    await updateProgram(context, call.by, program.id, had ? NO_BACKEND : {}, { dropPending: drops });
  }
  return { ok: true, result: 'true', description: had ? 'Webhook was deleted' : 'Webhook is already deleted' };
}

/** A process that has not heard of the last change yet must not answer that there is nothing to change. */
async function withNewestProgram({ directory }: Context, call: ProgramCall): Promise<ProgramCall> {
  await directory.refresh().catch(() => undefined);
  const bot = directory.byProgram(call.program.id);
  const program = bot?.programs.find(({ id }) => id === call.program.id);
  return bot === undefined || program === undefined ? call : { ...call, bot, program };
}

/** Describes the backend as the platform does a webhook. Only the token that set the URL sees the secrets in it. */
export async function getWebhookInfoOfProgram(
  context: Context,
  { bot, program, token }: ProgramCall,
): Promise<BotApiAnswer> {
  const { pending, error, backendState } = (await programStates(context, bot))(program.id);
  if (program.mode !== 'push') return webhookInfo({ pending, allowed_updates: null, backend: null });
  const backend = {
    url: program.webhook_token_id === token.id ? program.backend_url : maskedBackendUrl(program),
    hasCertificate: program.backend_certificate !== '',
    ip_address: program.backend_ip_address,
    max_connections: program.max_connections,
    error,
    state: backendState,
  };
  return webhookInfo({ pending, allowed_updates: program.webhook_kinds, backend });
}

function mayChangeWebhook({ program, token }: ProgramCall): boolean {
  const isNamed = namesMethod(token, 'deletewebhook') || namesMethod(token, 'setwebhook');
  return isNamed && staysWithin(program, token);
}

/** At the platform too, a webhook that names no kinds keeps those of the one before it. */
function changesOf(settings: BackendSettings, { webhook_kinds }: ProgramCall['program']): ProgramChanges {
  const { url, secret_token, max_connections, certificate, ipAddress, allowed_updates = webhook_kinds } = settings;
  return {
    mode: 'push',
    backend_url: url,
    secret_token: secret_token ?? '',
    backend_certificate: certificate ?? '',
    backend_ip_address: ipAddress ?? '',
    max_connections,
    webhook_kinds: allowed_updates,
  };
}

/** A webhook ends with the token that set it, so a call with another token sets it again. */
function isSetForToken({ program: { webhook_token_id }, token }: ProgramCall): boolean {
  return webhook_token_id === null || webhook_token_id === token.id;
}

function isSet({ program }: ProgramCall, changes: ProgramChanges): boolean {
  const known: Record<string, unknown> = program;
  const same = ([name, value]: [string, unknown]) => JSON.stringify(known[name]) === JSON.stringify(value);
  return !changes.backend_certificate && Object.entries(changes).every(same);
}
