import { badRequest } from '../bot-api-error.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import { type Chat, isAdmin, type Message, type Topic } from './chat.ts';

/** The setting of a bot whose private chats have topics. */
const PRIVATE_TOPICS = 'topics';

export function hasPrivateTopics(bot: Pick<SimBot, 'settings'> | undefined): boolean {
  return bot?.settings[PRIVATE_TOPICS] === true;
}

export function allowPrivateTopics(bot: Pick<SimBot, 'settings'>, isOn = true): void {
  bot.settings[PRIVATE_TOPICS] = isOn;
}

/** The topic that a call names, or that of the message it answers; 0 for none. */
export function threadOf(named: number, reply: Record<string, unknown>): number {
  const answered = reply.reply_to_message as Partial<Message> | undefined;
  if (named > 0 || answered?.is_topic_message !== true) return named;
  return Number(answered.message_thread_id);
}

/** The topic of a message, as fields of it; none for the General topic, which messages do not name. */
export function topicFields(chat: Chat, threadId: number): Record<string, unknown> {
  if (threadId <= 0) return {};
  const topic = chat.topics[threadId];
  if (topic === undefined) return chat.isForum ? {} : { message_thread_id: threadId };
  // At the platform too, a message that is no reply replies to the message that made the topic.
  const created = chat.messages.get(threadId);
  return {
    message_thread_id: threadId,
    is_topic_message: true,
    ...(created !== undefined && { reply_to_message: created }),
  };
}

/** Throws if a member may not write in the topic; threadId 0 or 1 is the General topic of a forum. */
export function refuseClosedTopic(chat: Chat, threadId: number, userId: number): void {
  const isLost = chat.person !== null && threadId > 0 && chat.topics[threadId] === undefined;
  if (isLost) throw badRequest('message thread not found');
  if (!chat.isForum) return;
  const isGeneral = threadId === 0 || threadId === 1;
  const topic: Pick<Topic, 'isClosed'> | undefined = isGeneral ? chat.general : chat.topics[threadId];
  if (topic === undefined) throw badRequest('message thread not found');
  if (topic.isClosed && !isAdmin(chat.members.get(userId))) throw badRequest('TOPIC_CLOSED');
}
