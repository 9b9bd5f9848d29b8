import type { ProgramCredential } from '@flotilla/domain/bots/program-credential.ts';
import { programStates } from '@flotilla/domain/programs/program-states.ts';
import { readProgramUpdates } from '@flotilla/domain/programs/read-program-updates.ts';
import { switchParameter } from '@flotilla/telegram/parameters/parameters.ts';
import type { Context } from '../../context.ts';
import { type BotApiAnswer, forbidden } from '../answer.ts';
import { readRequest } from '../intercept/get-updates.ts';
import { type ReadCall, storedKinds } from '../intercept/intercepted-call.ts';

type ProgramCall = ReadCall & ProgramCredential;
type AnswerProgram = (context: Context, call: ProgramCall) => Promise<BotApiAnswer>;

/** The least wait of a poll that cannot be served: its client would ask again at once. */
const RESTING_MS = 3000;

const ANSWERED: ReadonlyMap<string, AnswerProgram> = new Map([
  ['getupdates', getUpdates],
  ['setwebhook', setWebhook],
  ['deletewebhook', deleteWebhook],
  ['getwebhookinfo', getWebhookInfo],
]);

/** How a method is answered for a program alone; null for one that goes to the platform. */
export function answeredForProgram(lowerCaseMethod: string): AnswerProgram | null {
  return ANSWERED.get(lowerCaseMethod) ?? null;
}

async function getUpdates(context: Context, { bot, program, parameters, signal }: ProgramCall): Promise<BotApiAnswer> {
  const { timeoutMs, ...request } = readRequest(parameters);
  const rests = bot.disabled || !program.enabled;
  const updates = await readProgramUpdates(context, bot, program, {
    ...request,
    timeoutMs: rests ? Math.max(timeoutMs, RESTING_MS) : timeoutMs,
    kinds: storedKinds(parameters) ?? null,
    throttle: false,
    signal,
  });
  context.apiMetrics.pulled.of('get_updates').inc(updates.length);
  return { ok: true, result: `[${updates.join(',\n')}]` };
}

async function setWebhook(context: Context, call: ProgramCall): Promise<BotApiAnswer> {
  if ((call.parameters.values.get('url') ?? '') === '') return deleteWebhook(context, call);
  return forbidden('this token may not call setWebhook: its program asks for its updates');
}

/** A program has no webhook. It may still want to skip what waits for it. */
async function deleteWebhook(context: Context, call: ProgramCall): Promise<BotApiAnswer> {
  if (switchParameter(call.parameters, 'drop_pending_updates')) await skipPending(context, call);
  return { ok: true, result: 'true', description: 'Webhook is already deleted' };
}

async function skipPending(context: Context, { bot, program, signal }: ProgramCall): Promise<void> {
  const request = { limit: 1, timeoutMs: 0, kinds: null, throttle: false, signal };
  const [newest] = await readProgramUpdates(context, bot, program, { ...request, offset: -1 });
  if (newest === undefined) return;
  const { update_id: id } = JSON.parse(newest) as { update_id: number };
  await readProgramUpdates(context, bot, program, { ...request, offset: id + 1 });
}

async function getWebhookInfo(context: Context, { bot, program }: ProgramCall): Promise<BotApiAnswer> {
  const stateOf = await programStates(context, bot);
  const info = { url: '', has_custom_certificate: false, pending_update_count: stateOf(program.id).pending };
  const kinds = program.kinds.length === 0 ? {} : { allowed_updates: program.kinds };
  return { ok: true, result: JSON.stringify({ ...info, ...kinds }) };
}
