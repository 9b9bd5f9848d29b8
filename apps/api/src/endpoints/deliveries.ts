import {
  type DeliveryResource,
  type deliveryOperations,
  type FailedDestination,
  reasonCode,
} from '@flotilla/contract/deliveries.ts';
import { type DeadLetter, deadLetterStore } from '@flotilla/domain/deliveries/dead-letter-store.ts';
import { listAttempts } from '@flotilla/domain/deliveries/list-attempts.ts';
import { listRetrying, type Retrying } from '@flotilla/domain/deliveries/list-retrying.ts';
import { redriveDeliveries } from '@flotilla/domain/deliveries/redrive-deliveries.ts';
import { requireBot } from '../http/bot-of-call.ts';
import type { Handlers } from '../http/handler.ts';
import { cutPage, decodeCursor } from '../http/page.ts';

export const deliveryHandlers: Handlers<typeof deliveryOperations> = {
  async listDeliveries(context, { input }) {
    const { limit, offset, state } = input;
    const bot = requireBot(context, input.bot_id);
    const before = decodeCursor(input.before, ['number'])?.[0] ?? null;
    const store = deadLetterStore(context.db);
    const [waiting, buried] = await Promise.all([
      state === 'dead' ? [] : listRetrying(context, bot),
      state === 'retrying' ? 0 : store.count(bot.id),
    ]);
    // A cursor names a dead letter: deliveries being retried come first and have no stable order.
    const retrying = before === null ? waiting.slice(offset, offset + limit + 1) : [];
    const deadOffset = before === null ? Math.max(0, offset - waiting.length) : 0;
    const room = limit + 1 - retrying.length;
    const dead =
      state === 'retrying' || room <= 0 ? [] : await store.list(bot.id, { limit: room, offset: deadOffset, before });
    const rows = [...retrying.map((update) => presentRetrying(bot.id, update)), ...dead.map(presentDeadLetter)];
    const page = cutPage(rows, limit, waiting.length + buried, (row) => [row.id ?? 0]);
    return { ...page, next: page.next?.[0] === 0 ? null : page.next };
  },

  async listDeliveryAttempts(context, { input }) {
    return listAttempts(context, requireBot(context, input.bot_id));
  },

  async redriveDeliveries(context, { input, by }) {
    const redriven = await redriveDeliveries(context, by, requireBot(context, input.bot_id), input.ids);
    return { ok: true as const, redriven };
  },
};

function presentRetrying(botId: number, update: Retrying): DeliveryResource {
  return {
    bot_id: botId,
    update_id: update.updateId,
    state: 'retrying',
    reader: update.reader,
    attempts: update.attempts,
    ...(update.lastStatus === null ? {} : { last_status: update.lastStatus }),
    reason_code: update.reasonCode ?? 'unknown',
    last_error: update.lastError,
    first_failed_at: new Date(update.firstFailedAtMs).toISOString(),
    ...(update.lastFailedAtMs === undefined ? {} : { last_failed_at: new Date(update.lastFailedAtMs).toISOString() }),
    next_attempt_at: new Date(update.nextTryAtMs).toISOString(),
    ...(update.expiresAtMs === undefined ? {} : { expires_at: new Date(update.expiresAtMs).toISOString() }),
  };
}

function presentDeadLetter(letter: DeadLetter): DeliveryResource {
  return {
    id: letter.id,
    bot_id: letter.bot_id,
    update_id: letter.update_id,
    state: 'dead',
    reader: letter.reader as DeliveryResource['reader'],
    attempts: letter.attempts,
    ...(letter.last_status === null ? {} : { last_status: letter.last_status }),
    reason_code: reasonCode.catch('unknown').parse(letter.reason_code),
    last_error: letter.reason,
    ...(letter.first_failed_at === null ? {} : { first_failed_at: letter.first_failed_at.toISOString() }),
    ...(letter.last_failed_at === null ? {} : { last_failed_at: letter.last_failed_at.toISOString() }),
    dead_at: letter.created_at.toISOString(),
    ...(letter.destinations === null ? {} : { destinations: JSON.parse(letter.destinations) as FailedDestination[] }),
    payload: letter.payload,
  };
}
