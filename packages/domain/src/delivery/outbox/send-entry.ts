import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { keyboardParam } from '@flotilla/telegram/reply-keyboard.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { rememberOwnPosts } from '../../records/history/own-posts.ts';
import type { CallBuffer } from '../../records/history/stream/call-buffer.ts';
import type { CapturedCall } from '../../records/history/stream/captured-call.ts';
import { type Outcome, readOutcome } from './send-outcome.ts';
import type { BegunEntry } from './turn-store.ts';

export type SendDeps = {
  redis: RedisHandles;
  platform: PlatformClient;
  calls: Pick<CallBuffer, 'keep'>;
  log: Logger;
};

/** Makes the request of an entry. What was sent goes into the history, with who handed it over. Never rejects. */
export async function sendEntry(deps: SendDeps, bot: Bot, entry: BegunEntry): Promise<Outcome> {
  // The chat may have got another id since.
  const params = { ...entry.params, chat_id: entry.chat_id };
  const answer = await deps.platform.call(bot.token, entry.method, params);
  if (answer.outcome === 'ok') {
    const call = capturedCall(entry, params, answer.result);
    deps.calls.keep(bot, call);
    await rememberOwnPosts(deps, [call]).catch((err) =>
      deps.log.warn({ botId: bot.id, err }, 'an own post could not be remembered, so rules may apply to it'),
    );
  }
  return readOutcome(entry, answer);
}

/** Of other methods the answer has the message, but for its reply keyboard. */
const WITH_PARAMETERS = /^(copy|forwardMessages|editEphemeral)/;

function capturedCall(entry: BegunEntry, params: Record<string, unknown>, result: unknown): CapturedCall {
  const { chat_id, reply_markup } = params as Record<string, unknown>;
  const named = WITH_PARAMETERS.test(entry.method) ? params : { chat_id, ...keyboardParam(reply_markup) };
  const texts = Object.entries(named).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return {
    method: entry.method.toLowerCase(),
    params: Object.fromEntries(texts),
    result: JSON.stringify(result),
    actor: entry.created_by,
    paced: true,
  };
}
