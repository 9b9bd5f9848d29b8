import type { Delivery } from '@flotilla/contract/resources/delivery.ts';
import type { DeadLetter } from '@flotilla/domain/deliveries/dead-letter-store.ts';
import type { Retrying } from '@flotilla/domain/deliveries/list-retrying.ts';

export function presentRetrying(botId: number, update: Retrying): Delivery {
  return {
    bot_id: botId,
    update_id: update.updateId,
    state: 'retrying',
    reader: 'push',
    attempts: update.attempts,
    ...(update.lastStatus === null ? {} : { last_status: update.lastStatus }),
    last_error: update.lastError,
    first_failed_at: new Date(update.firstFailedAtMs).toISOString(),
    next_attempt_at: new Date(update.nextTryAtMs).toISOString(),
  };
}

export function presentDeadLetter(letter: DeadLetter): Delivery {
  return {
    id: letter.id,
    bot_id: letter.bot_id,
    update_id: letter.update_id,
    state: 'dead',
    reader: letter.reader as Delivery['reader'],
    attempts: letter.attempts,
    ...(letter.last_status === null ? {} : { last_status: letter.last_status }),
    last_error: letter.reason,
    dead_at: letter.created_at.toISOString(),
    payload: letter.payload,
  };
}
