import { type Fields, readObject } from './platform-fields.ts';
import { NEW_MESSAGE_KINDS } from './update-kinds.ts';

/** The kinds about money, and those that belong to no chat. */
const PASSING_KINDS: readonly string[] = [
  ...['shipping_query', 'pre_checkout_query', 'purchased_paid_media', 'subscription'],
  ...['poll', 'poll_answer', 'inline_query', 'chosen_inline_result', 'business_connection', 'managed_bot'],
];

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
  if (PASSING_KINDS.includes(kind)) return true;
  if (!NEW_MESSAGE_KINDS.includes(kind)) return false;
  const message = readObject(update, kind) ?? {};
  return PASSING_FIELDS.some((field) => (message[field] ?? null) !== null);
}
