import { type Delivery, type FailedDestination, reasonCode } from '@flotilla/contract/resources/delivery.ts';
import type { DeadLetter } from '@flotilla/domain/deliveries/dead-letter-store.ts';
import type { Retrying } from '@flotilla/domain/deliveries/list-retrying.ts';

export function presentRetrying(botId: number, update: Retrying): Delivery {
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

export function presentDeadLetter(letter: DeadLetter): Delivery {
  return {
    id: letter.id,
    bot_id: letter.bot_id,
    update_id: letter.update_id,
    state: 'dead',
    reader: letter.reader as Delivery['reader'],
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
