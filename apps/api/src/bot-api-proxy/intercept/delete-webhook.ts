import { clearBackend } from '@flotilla/domain/bots/clear-backend.ts';
import { switchParameter } from '@flotilla/telegram/parameters/parameters.ts';
import type { Context } from '../../context.ts';
import type { BotApiAnswer } from '../answer.ts';
import { type InterceptedCall, storedKinds } from './intercepted-call.ts';

const DESCRIPTIONS = { deleted: 'Webhook was deleted', 'already-deleted': 'Webhook is already deleted' };

/** Removes the bot's backend and turns proxy mode off. */
export async function deleteWebhook(context: Context, { bot, by, parameters }: InterceptedCall): Promise<BotApiAnswer> {
  const allowedUpdates = storedKinds(parameters);
  const outcome = await clearBackend(context, by(), bot, {
    dropPending: switchParameter(parameters, 'drop_pending_updates'),
    ...(allowedUpdates === undefined ? {} : { allowedUpdates }),
  });
  return { ok: true, result: 'true', description: DESCRIPTIONS[outcome] };
}
