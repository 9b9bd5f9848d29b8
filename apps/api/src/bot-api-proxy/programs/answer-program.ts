import type { ProgramCredential } from '@flotilla/domain/bots/program-credential.ts';
import { programStates } from '@flotilla/domain/programs/program-states.ts';
import { readProgramUpdates } from '@flotilla/domain/programs/read-program-updates.ts';
import { switchParameter } from '@flotilla/telegram/parameters/parameters.ts';
import type { Context } from '../../context.ts';
import { type BotApiAnswer, forbidden } from '../answer.ts';
import { readRequest } from '../intercept/get-updates.ts';
import { type ReadCall, storedKinds } from '../intercept/intercepted-call.ts';
import { isUpdateWithin } from './judge-chats.ts';

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

async function getUpdates(context: Context, call: ProgramCall): Promise<BotApiAnswer> {
  const { timeoutMs, ...request } = readRequest(call.parameters);
  const rests = call.bot.disabled || !call.program.enabled;
  const kinds = storedKinds(call.parameters) ?? null;
  const waitMs = rests ? Math.max(timeoutMs, RESTING_MS) : timeoutMs;
  const updates = await readWithinChats(context, call, { ...request, timeoutMs: waitMs, kinds });
  context.apiMetrics.pulled.of('get_updates').inc(updates.length);
  return { ok: true, result: `[${updates.join(',\n')}]` };
}

type Read = { offset: number; limit: number; timeoutMs: number; kinds: string[] | null };

/** The next updates that the token may see. When there are only others, it passes over them and waits on. */
async function readWithinChats(context: Context, call: ProgramCall, request: Read): Promise<string[]> {
  const { bot, program, signal } = call;
  const chats = call.token.chats === null ? null : new Set(call.token.chats);
  const untilMs = performance.now() + request.timeoutMs;
  for (let { offset } = request; ; ) {
    const timeoutMs = Math.max(0, untilMs - performance.now());
    const read = { ...request, offset, timeoutMs, throttle: false, signal };
    const updates = await readProgramUpdates(context, bot, program, read);
    const shown = chats === null ? updates : updates.filter((raw) => isUpdateWithin(chats, raw));
    if (shown.length > 0 || updates.length === 0 || signal.aborted) return shown;
    offset = updateIdOf(updates.at(-1)!) + 1;
  }
}

function updateIdOf(raw: string): number {
  return (JSON.parse(raw) as { update_id: number }).update_id;
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
  await readProgramUpdates(context, bot, program, { ...request, offset: updateIdOf(newest) + 1 });
}

async function getWebhookInfo(context: Context, { bot, program }: ProgramCall): Promise<BotApiAnswer> {
  const stateOf = await programStates(context, bot);
  const info = { url: '', has_custom_certificate: false, pending_update_count: stateOf(program.id).pending };
  const kinds = program.kinds.length === 0 ? {} : { allowed_updates: program.kinds };
  return { ok: true, result: JSON.stringify({ ...info, ...kinds }) };
}
