import type { AttemptResource, deliveryAttemptOperations } from '@flotilla/contract/delivery-attempts.ts';
import { statusRange } from '@flotilla/domain/delivery/deliveries/delivery-filter.ts';
import { type ListedAttempt, listAttempts } from '@flotilla/domain/delivery/deliveries/list-attempts.ts';
import { listFailedAttempts } from '@flotilla/domain/delivery/deliveries/list-failed-attempts.ts';
import { parseReader } from '@flotilla/domain/delivery/deliveries/reader-name.ts';
import { withoutUnseenBots } from '@flotilla/domain/delivery/routing-rules/shown-bots.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { whileWanted } from '../operations/search-limit.ts';
import { seenBots } from './deliveries.ts';
import { withoutNulls } from './without-nulls.ts';

const NO_ANSWER = { from: 0, to: 0 };
const NONE_LISTED = { attempts: [], next: null };

export const deliveryAttemptHandlers: Handlers<typeof deliveryAttemptOperations> = {
  async listDeliveryAttempts(context, { input, caller, response }) {
    const { bot_id, reader, program_id, ok, status, limit } = input;
    const query = {
      ...{ reader, program_id, ok, chat_id: input.chat_id, update_id: input.update_id },
      status: status === undefined ? undefined : (statusRange(status) ?? NO_ANSWER),
      sinceMs: input.since === undefined ? undefined : input.since * 1000,
      untilMs: input.until === undefined ? undefined : input.until * 1000,
    };
    if (bot_id === undefined) {
      if (ok === true)
        throw refusedInput('ok', 'must not be true without bot_id: over all bots, failed attempts are listed');
      const before = decodeCursor(input.before, ['ms', 'platformId', 'text']);
      const { bots } = seenBots(context, caller, undefined);
      const { attempts, next } = await whileWanted(context, caller, response, NONE_LISTED, (signal) =>
        listFailedAttempts(context, bots, query, { limit, before }, signal),
      );
      return { rows: attempts.map((attempt) => presentAttempt(caller, attempt.botId, attempt)), total: null, next };
    }
    const before = decodeCursor(input.before, ['ms', 'text']);
    const bot = requireBot(context, bot_id);
    const { attempts, next } = await listAttempts(context, bot, query, { limit, before });
    return { rows: attempts.map((attempt) => presentAttempt(caller, bot.id, attempt)), total: null, next };
  },
};

export function presentAttempt(caller: Caller, botId: number, attempt: ListedAttempt): AttemptResource {
  const { id, atMs, updateId, outcome, status, durationMs, destination, error, call_error, call, request, excerpt } =
    attempt;
  const { reader, program_id } = parseReader(attempt.reader);
  return {
    id: withoutUnseenBots(caller, id),
    bot_id: botId,
    at: new Date(atMs).toISOString(),
    reader: reader as AttemptResource['reader'],
    ...withoutNulls({ program_id, program_name: attempt.program_name }),
    update_id: updateId,
    ...withoutNulls({ chat_id: attempt.chatId }),
    ok: outcome === 'delivered',
    status,
    duration_ms: durationMs,
    attempt: attempt.attempt,
    ...(attempt.replay === undefined ? {} : { replay: true as const }),
    ...(destination === undefined ? {} : { destination: withoutUnseenBots(caller, destination) }),
    ...(call === undefined ? {} : { call: call.method }),
    ...(error === undefined ? {} : { error }),
    ...(call_error === undefined ? {} : { call_error }),
    ...(request === null ? {} : { request }),
    ...(excerpt === null ? {} : { response_content_type: excerpt.type, response_excerpt: excerpt.text }),
  };
}
