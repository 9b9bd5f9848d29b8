import { randomUUID } from 'node:crypto';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { isMessage } from '@flotilla/telegram/message-facts.ts';
import { readInteger, readObject } from '@flotilla/telegram/platform-fields.ts';
import type { Actor } from '../audit/actor.ts';
import { requireAuditable } from '../audit/require-auditable.ts';
import type { Bot } from '../bots/bot.ts';
import type { BotDeps } from '../bots/bot-deps.ts';
import { requireAbleToAct } from '../bots/require-managed.ts';
import { resultOf } from '../bots/validate-token.ts';
import type { HistoryEffect } from '../history/effects/history-effect.ts';
import { messageEffects } from '../history/effects/message-effects.ts';
import { storeSentMessage } from '../history/store-sent-message.ts';
import type { CallBuffer } from '../history/stream/call-buffer.ts';
import { callActor } from '../history/stream/captured-call.ts';
import { rememberOwnPosts } from '../update-log/own-posts.ts';
import type { Message } from './message-store.ts';

export interface TextToSend {
  chatId: number;
  text: string;
  replyToMessageId?: number | undefined;
  parseMode?: string | undefined;
}

type SendDeps = Pick<BotDeps, 'db' | 'redis' | 'platform' | 'clock' | 'log'> & { calls: Pick<CallBuffer, 'keep'> };

/**
 * Sends a text as the bot, and stores it with its audit entry before it returns. Throws 'bad_request' for a bot that is
 * disabled or not managed, the platform's refusal, or 'unavailable' before anything is sent.
 */
export async function sendMessage(deps: SendDeps, bot: Bot, by: Actor, wanted: TextToSend): Promise<Message> {
  requireAbleToAct(bot);
  // If the store is away, the call must fail before sending, because a retry would send twice.
  await requireAuditable(deps.db);
  const params = paramsOf(wanted);
  const sent = resultOf(await deps.platform.call(bot.token, 'sendMessage', params));
  if (!isMessage(sent)) throw new FlotillaError('platform_failed', 'The platform answered no message');
  const auditKey = `rest:${randomUUID()}`;
  const call = {
    method: 'sendmessage',
    params: { chat_id: String(readInteger(readObject(sent, 'chat') ?? {}, 'id')) },
    result: JSON.stringify(sent),
    actor: callActor(by, auditKey),
  };
  await rememberOwnPosts(deps, [call]).catch((err) =>
    deps.log.warn({ botId: bot.id, err }, 'an own post could not be remembered, so rules may apply to it'),
  );
  try {
    return await storeSentMessage(deps, { by, auditKey }, bot.id, sent);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    deps.calls.keep(bot, call);
    return unstored(bot, sent);
  }
}

function paramsOf({ chatId, text, replyToMessageId, parseMode }: TextToSend): Record<string, unknown> {
  return {
    chat_id: chatId,
    text,
    ...(parseMode === undefined ? {} : { parse_mode: parseMode }),
    ...(replyToMessageId === undefined ? {} : { reply_parameters: { message_id: replyToMessageId } }),
  };
}

/** The message as the history will store it. */
function unstored(bot: Bot, sent: Record<string, unknown>): Message {
  const effects = messageEffects(bot, sent, { sent: true, editedAtS: null });
  const found = effects.find((effect): effect is HistoryEffect & { type: 'message' } => effect.type === 'message');
  if (found === undefined) throw new FlotillaError('platform_failed', 'The platform answered no message');
  return { ...found.message, bot_id: bot.id, deleted_at: null };
}
