import { postMessage, upcomingMessageId } from '../messages/post-message.ts';
import type { Simulator } from '../simulator.ts';
import type { Chat, Topic } from './chat.ts';
import type { User } from './user.ts';

/** Makes a topic of a forum or of a private chat, with the message that says so, whose id is that of the topic. */
export function openTopic(
  sim: Simulator,
  chat: Chat,
  creator: User,
  topic: Omit<Topic, 'message_thread_id' | 'isClosed'>,
): Topic {
  const threadId = upcomingMessageId(sim, chat);
  const thread = { message_thread_id: threadId, is_topic_message: true };
  const made: Topic = { ...topic, message_thread_id: threadId, isClosed: false };
  chat.topics[threadId] = made;
  postMessage(sim, chat, { user: creator }, { ...thread, forum_topic_created: topic });
  sim.storage.saveChat(chat);
  return made;
}
