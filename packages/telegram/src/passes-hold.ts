import { kindFacts } from '@flotilla/contract/bot-api/update-kinds.ts';
import { type Fields, readObject } from './platform-fields.ts';

/** Messages with one of these fields: money that moved, and what a person handed over when the bot asked for it. */
const PASSING_FIELDS: readonly string[] = [
  ...['successful_payment', 'refunded_payment', 'gift', 'unique_gift', 'gift_upgrade_sent'],
  ...['suggested_post_paid', 'suggested_post_refunded'],
  ...['web_app_data', 'users_shared', 'chat_shared', 'write_access_allowed', 'connected_website', 'passport_data'],
  'managed_bot_created',
];

/**
 * True for an update that programs get even if a person has taken its chat over: the platform tells it once, and nobody can be asked
 * for it again.
 */
export function passesHold(kind: string, update: Fields): boolean {
  const facts = kindFacts(kind);
  if (facts?.passesHold === true) return true;
  if (facts?.message !== 'routed') return false;
  const message = readObject(update, kind) ?? {};
  return PASSING_FIELDS.some((field) => (message[field] ?? null) !== null);
}
