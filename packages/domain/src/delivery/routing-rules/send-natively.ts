import { paceKeys } from '@flotilla/redis/call-keys.ts';
import { SHARED_CHATS_BELOW } from '@flotilla/telegram/group-move.ts';
import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Destination } from './destination.ts';
import type { RoutingDeps } from './routing-deps.ts';
import { readSendOutcome, type SendOutcome } from './send-outcome.ts';

type NativeDeps = Pick<RoutingDeps, 'platform' | 'redis'>;

const UNSHARED_KEPT_S = 600;

/**
 * True if the platform itself can forward or copy the messages: the target bot sees them, and nothing has to be added.
 */
export async function canSendNatively(
  { redis }: NativeDeps,
  source: Bot,
  to: Destination,
  messages: Fields[],
): Promise<boolean> {
  const [first = {}] = messages;
  if (to.businessConnectionId !== '' || readText(first, 'business_connection_id') !== null) return false;
  if (first.has_protected_content === true) return false;
  // Forwarding, and copying several messages, cannot reply. A copied die is thrown again.
  if (to.replyTo !== null && (to.showsSource || messages.length > 1)) return false;
  if (!to.showsSource && first.dice !== undefined) return false;
  if (to.target.id === source.id) return true;
  const chatId = chatIdOf(first);
  if (!(chatId < SHARED_CHATS_BELOW)) return false;
  return (await redis.commands.exists(paceKeys(to.target.id).unshared(chatId))) === 0;
}

/** Lets the target bot forward or copy the messages. After `refused`, send them anew. Throws only when Redis fails. */
export async function sendNatively(
  { platform, redis }: NativeDeps,
  source: Bot,
  to: Destination,
  messages: Fields[],
): Promise<SendOutcome> {
  const [first = {}] = messages;
  const sourceIds = messages.map((message) => Number(message.message_id));
  const verb = to.showsSource ? 'forward' : 'copy';
  const method = messages.length === 1 ? `${verb}Message` : `${verb}Messages`;
  const params = {
    chat_id: to.chatId,
    from_chat_id: chatIdOf(first),
    ...(sourceIds.length === 1 ? { message_id: sourceIds[0] } : { message_ids: sourceIds }),
    ...(to.replyTo === null ? {} : { reply_parameters: { message_id: to.replyTo, allow_sending_without_reply: true } }),
  };
  const outcome = readSendOutcome(await platform.call(to.target.token, method, params), { method, params, sourceIds });
  // Of the two chats it may be the source that moved. A new message names only the target.
  if (outcome.outcome === 'moved') return { outcome: 'refused', reason: 'a chat became a supergroup', status: 400 };
  if (outcome.outcome === 'refused' && to.target.id !== source.id) {
    await redis.commands.set(paceKeys(to.target.id).unshared(chatIdOf(first)), '1', 'EX', UNSHARED_KEPT_S);
  }
  return outcome;
}

function chatIdOf(message: Fields): number {
  return Number(readObject(message, 'chat')?.id);
}
