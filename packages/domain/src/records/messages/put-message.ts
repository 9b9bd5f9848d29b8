import { randomUUID } from 'node:crypto';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { isMessage } from '@flotilla/telegram/message-facts.ts';
import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { readInteger, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import { keyboardParam } from '@flotilla/telegram/reply-keyboard.ts';
import type { UploadedFile } from '@flotilla/telegram/uploaded-file.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import { requireAbleToAct } from '../../fleet/bots/require-managed.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { connectionParam } from '../chats/conversation.ts';
import type { HistoryEffect } from '../history/effects/history-effect.ts';
import { messageEffects } from '../history/effects/message-effects.ts';
import { rememberOwnPosts } from '../history/own-posts.ts';
import { originOf, storeOwnMessage } from '../history/store-own-message.ts';
import type { CallBuffer } from '../history/stream/call-buffer.ts';
import { callActor } from '../history/stream/captured-call.ts';
import type { Message } from './message-store.ts';

export type PutDeps = Pick<BotDeps, 'db' | 'redis' | 'platform' | 'clock' | 'log'> & {
  calls: Pick<CallBuffer, 'keep'>;
};

/** Longer than any file may take to come. */
const UPLOAD_WITHIN_MS = 900_000;

/** A call that sends or edits one message. */
export interface MessageCall {
  action: 'send' | 'edit';
  /** A method of the Bot API that answers the message. */
  method: string;
  params: Record<string, unknown>;
  /** Streamed to the platform. If its stream fails, so does the call, with the same error. */
  file?: UploadedFile | undefined;
}

/**
 * Sends or edits a message as the bot, and stores it with its audit entry before it returns. Throws 'bad_request' for a
 * bot that is disabled or not managed, the platform's refusal, or 'unavailable' before anything is sent.
 */
export async function putMessage(deps: PutDeps, bot: Bot, by: Actor, wanted: MessageCall): Promise<Message> {
  requireAbleToAct(bot);
  // If the store is away, the call must fail before sending, because a retry would send twice.
  await requireAuditable(deps.db);
  const put = await callPlatform(deps, bot, wanted);
  const auditKey = `rest:${randomUUID()}`;
  const atMs = deps.clock.nowMs();
  const reply_markup = wanted.params.reply_markup;
  const call = {
    method: wanted.method.toLowerCase(),
    params: {
      chat_id: String(readInteger(readObject(put, 'chat') ?? {}, 'id')),
      ...connectionParam(readText(put, 'business_connection_id') ?? ''),
      ...keyboardParam(reply_markup),
    },
    result: JSON.stringify(put),
    actor: callActor(by, auditKey),
    atMs,
  };
  await rememberOwnPosts(deps, [call]).catch((err) =>
    deps.log.warn({ botId: bot.id, err }, 'an own post could not be remembered, so rules may apply to it'),
  );
  try {
    return await storeOwnMessage(deps.db, { action: wanted.action, reply_markup, by, auditKey, atMs }, bot.id, put);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    deps.calls.keep(bot, call);
    return unstored(bot, wanted, put, atMs);
  }
}

async function callPlatform(deps: PutDeps, bot: Bot, call: MessageCall): Promise<Record<string, unknown>> {
  const { platform } = deps;
  const { method, params, file } = call;
  const result = resultOf(
    file === undefined ? await platform.call(bot.token, method, params) : await upload(platform, bot, call, file),
  );
  if (!isMessage(result)) throw new FlotillaError('platform_failed', 'The answer of the platform contains no message');
  return result;
}

/** The file comes from the network, so its failure is not one of the platform: it aborts the call, and is thrown. */
async function upload(
  platform: PlatformClient,
  bot: Bot,
  { method, params }: MessageCall,
  file: UploadedFile,
): Promise<PlatformAnswer> {
  if (file.stream.errored) throw file.stream.errored;
  const broken = new AbortController();
  file.stream.once('error', (error) => broken.abort(error));
  const options = { timeoutMs: UPLOAD_WITHIN_MS, signal: broken.signal };
  const answer = await platform.upload(bot.token, method, params, [file], options);
  if (answer.outcome === 'unreachable' && broken.signal.aborted) throw broken.signal.reason;
  return answer;
}

/** The message as the history will store it. */
function unstored(bot: Bot, { action, params }: MessageCall, put: Record<string, unknown>, atMs: number): Message {
  const effects = messageEffects(bot, put, { ...originOf(action, atMs), reply_markup: params.reply_markup });
  const found = effects.find((effect): effect is HistoryEffect & { type: 'message' } => effect.type === 'message');
  if (found === undefined) throw new FlotillaError('platform_failed', 'The answer of the platform contains no message');
  return { ...found.message, bot_id: bot.id, deleted_at: null, position: null };
}
