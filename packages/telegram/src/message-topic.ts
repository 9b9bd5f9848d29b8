import { kindFacts } from '@flotilla/contract/bot-api/update-kinds.ts';
import { type Fields, readInteger, readObject, readText } from './platform-fields.ts';

/** In a list of topics: what is in none. */
export const OUTSIDE_TOPICS = 0;
/** The topic that every forum has. Its messages name no thread. */
export const GENERAL_TOPIC = 1;

/**
 * The topic of a Message, in a forum or in a private chat; null outside topics. A thread of answers in a group without topics is
 * none.
 */
export function topicOf(message: Fields): number | null {
  if (message.is_topic_message === true) return threadIdOf(message);
  return readObject(message, 'chat')?.is_forum === true && !isInaccessible(message) ? GENERAL_TOPIC : null;
}

/**
 * The topic in which an update of a kind happened: OUTSIDE_TOPICS for none, and null where the platform does not tell, as of a
 * reaction. Never throws.
 */
export function topicOfUpdate(payload: Fields, kind: string): number | null {
  const facts = kindFacts(kind);
  if (facts === undefined) return topicOfNewKind(payload);
  if (facts.message !== undefined) return topicOf(payload) ?? OUTSIDE_TOPICS;
  if (facts.topic === 'thread') return threadIdOf(payload) ?? OUTSIDE_TOPICS;
  const pressed = facts.topic === 'pressed' ? readObject(payload, 'message') : null;
  return pressed === null ? null : topicOfPressed(pressed);
}

function topicOfPressed(pressed: Fields): number | null {
  return topicOf(pressed) ?? (isInaccessible(pressed) ? null : OUTSIDE_TOPICS);
}

/** A kind that does not name a topic may still have happened in one. */
function topicOfNewKind(payload: Fields): number | null {
  const message = readObject(payload, 'message');
  return threadIdOf(payload) ?? (message === null ? null : topicOfPressed(message));
}

/**
 * True if a list of topics means this one of a chat. OUTSIDE_TOPICS in it also means General, whose messages name no topic. A private
 * chat has no General: there 1 may be the first message of its bot.
 */
export function isAmongTopics(topics: ReadonlySet<number>, topic: number, chatId: number): boolean {
  return topics.has(topic) || (topic === GENERAL_TOPIC && chatId < 0 && topics.has(OUTSIDE_TOPICS));
}

function threadIdOf({ message_thread_id: id }: Fields): number | null {
  return Number.isSafeInteger(id) && (id as number) > 0 ? (id as number) : null;
}

/** Of such a message the platform gives the chat and the id alone. */
function isInaccessible(message: Fields): boolean {
  return message.date === 0;
}

/** The known fields of a topic. Undefined: nothing; an icon of '' is none. */
export interface TopicFacts {
  name?: string | undefined;
  iconColor?: number | undefined;
  iconEmoji?: string | undefined;
  closed?: boolean | undefined;
  deleted?: boolean | undefined;
}

export interface MessageTopic {
  threadId: number;
  /** How the topic was made. It holds unless a change is known. */
  made: TopicFacts;
  /** The change by the message; null for none. */
  changed: TopicFacts | null;
}

/** The topic of a Message; null outside topics. */
export function readMessageTopic(message: Fields): MessageTopic | null {
  const threadId = topicOf(message);
  if (threadId === null) return null;
  // A message of a topic that answers none names the message that made the topic.
  const created =
    readObject(message, 'forum_topic_created') ??
    readObject(readObject(message, 'reply_to_message') ?? {}, 'forum_topic_created');
  return {
    threadId,
    // The first message of a bot may be the topic 1 of a private chat.
    made: message.is_topic_message !== true ? { name: 'General' } : created === null ? {} : readTopic(created),
    changed: readChange(message),
  };
}

/** A ForumTopic, or what a service message says of one. */
export function readTopic(topic: Fields): TopicFacts {
  return {
    name: readText(topic, 'name') || undefined,
    iconColor: readInteger(topic, 'icon_color') ?? undefined,
    iconEmoji: readText(topic, 'icon_custom_emoji_id') ?? undefined,
  };
}

// A topic is closed when it is hidden, and stays so when it is shown again.
function readChange(message: Fields): TopicFacts | null {
  const edited = readObject(message, 'forum_topic_edited');
  if (edited !== null) return readTopic(edited);
  if (message.forum_topic_closed !== undefined || message.general_forum_topic_hidden !== undefined) {
    return { closed: true };
  }
  return message.forum_topic_reopened === undefined ? null : { closed: false };
}
