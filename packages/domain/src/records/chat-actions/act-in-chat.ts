import { randomUUID } from 'node:crypto';
import type { Database } from '@flotilla/database/connect.ts';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import { requireAbleToAct } from '../../fleet/bots/require-managed.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { readAuditedCall } from '../history/effects/audited-call.ts';
import type { HistoryEffect } from '../history/effects/history-effect.ts';
import { lockBots } from '../history/lock-bots.ts';
import type { CallBuffer } from '../history/stream/call-buffer.ts';
import { callActor } from '../history/stream/captured-call.ts';
import { writeEffects } from '../history/write-batch.ts';

/** Dependencies of acting in a chat. */
export type ChatActionDeps = Pick<BotDeps, 'db' | 'redis' | 'platform' | 'clock' | 'log'> & {
  calls: Pick<CallBuffer, 'keep'>;
};

/** A message in a chat. */
export interface MessageOfChat {
  chat_id: number;
  message_id: number;
  /** Undefined: the only conversation of the chat; '': the chat of the bot itself. */
  business_connection_id?: string | undefined;
}

/** A user in a chat. */
export interface UserOfChat {
  chat_id: number;
  user_id: number;
}

/** A call that changes a chat. */
export interface ChatAction {
  /** A Bot API method with an action for the audit log. */
  method: string;
  chat_id: number;
  /** The parameters besides the chat. */
  params: Record<string, number | string | boolean>;
  /** Its changes of our own records. */
  effects?: HistoryEffect[];
}

/**
 * Acts in a chat as the bot, and stores the audit entry under the actor's name before it returns. Throws 'bad_request'
 * for a bot that is disabled or not managed, the platform's refusal, or 'unavailable' before anything is done.
 */
export async function actInChat(deps: ChatActionDeps, bot: Bot, by: Actor, action: ChatAction): Promise<void> {
  requireAbleToAct(bot);
  // If the store is away, the call must fail before the action, not after it, when it can no longer be recorded.
  await requireAuditable(deps.db);
  const params = { chat_id: action.chat_id, ...action.params };
  const result = resultOf(await deps.platform.call(bot.token, action.method, params));
  const auditKey = `rest:${randomUUID()}`;
  const atMs = deps.clock.nowMs();
  try {
    await record(deps.db, bot, by, action, { auditKey, atMs });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    // The action is done and must be recorded, so it goes with captured calls, which wait for Postgres. The key
    // prevents a second entry if the record above was stored and only its reply was lost.
    const method = action.method.toLowerCase();
    const actor = callActor(by, auditKey);
    deps.calls.keep(bot, { method, params: textsOf(params), result: JSON.stringify(result), actor, atMs });
  }
}

function record(
  db: Database,
  bot: Bot,
  by: Actor,
  action: ChatAction,
  { auditKey, atMs }: { auditKey: string; atMs: number },
): Promise<void> {
  const { method, chat_id, params, effects = [] } = action;
  const audited = readAuditedCall(method, textsOf(params));
  if (audited === null) throw new FlotillaError('internal', `${method} has no action for the audit log`);
  const business_connection_id = String(params.business_connection_id ?? '');
  const done = { ...audited, bot_id: bot.id, chat_id, business_connection_id };
  return db.transaction().execute(async (transaction) => {
    if (!(await lockBots(transaction, [bot.id])).has(bot.id)) throw new FlotillaError('not_found', 'Bot not found');
    await writeEffects(
      transaction,
      effects.map((effect) => ({ bot_id: bot.id, effect })),
    );
    await recordAction({ db: transaction, clock: { nowMs: () => atMs } }, by, done, auditKey);
  });
}

/** The parameters in the form of a captured call. */
function textsOf(params: ChatAction['params']): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
