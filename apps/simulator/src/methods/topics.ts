import { badRequest } from '../bot-api-error.ts';
import type { Chat, Topic } from '../chats/chat.ts';
import { findGovernedChat } from '../chats/chat-admin.ts';
import { findOwnChat } from '../chats/find-chat.ts';
import { openTopic } from '../chats/open-topic.ts';
import { hasPrivateTopics } from '../chats/topic.ts';
import { integer, text } from '../http/params.ts';
import { forgetMessage } from '../messages/keep-message.ts';
import { type MessageFields, postMessage } from '../messages/post-message.ts';
import type { Call, Method } from './call.ts';

/** Methods of topics; the General topic is in every forum, and its messages name no thread. */
export const TOPICS: Record<string, Method> = {
  createForumTopic,
  editForumTopic,
  closeForumTopic,
  reopenForumTopic,
  deleteForumTopic,
  unpinAllForumTopicMessages,
  editGeneralForumTopic: (call) => {
    const chat = findForum(call);
    chat.general.name = readName(call);
    return say(call, chat, 0, { forum_topic_edited: { name: chat.general.name } });
  },
  closeGeneralForumTopic: (call) => close(call, findForum(call), findForum(call).general, true, 0),
  reopenGeneralForumTopic: (call) => close(call, findForum(call), findForum(call).general, false, 0),
  hideGeneralForumTopic: (call) => hide(call, true),
  unhideGeneralForumTopic: (call) => hide(call, false),
  unpinAllGeneralForumTopicMessages: (call) => unpin(call, findForum(call), (threadId) => threadId === undefined),
};

const COLORS = [7322096, 16766590, 13338331, 9367192, 16749490, 16478047];
const NO_RIGHTS = 'not enough rights to manage topics';

function createForumTopic(call: Call): unknown {
  const chat = findChatWithTopics(call);
  const name = readName(call);
  const icon_color = integer(call.params, 'icon_color', COLORS[0]!);
  if (!COLORS.includes(icon_color)) throw badRequest('wrong topic icon color specified');
  const emoji = text(call.params, 'icon_custom_emoji_id');
  const icon = { icon_color, ...(emoji && { icon_custom_emoji_id: emoji }) };
  const { message_thread_id } = openTopic(call.sim, chat, call.bot.user, { name, ...icon });
  return { message_thread_id, name, ...icon };
}

function editForumTopic(call: Call): true {
  const { chat, topic } = findTopic(call, findChatWithTopics(call));
  const name = text(call.params, 'name');
  const emoji = call.params.values.get('icon_custom_emoji_id');
  if (name !== '') topic.name = name.slice(0, 128);
  if (emoji !== undefined) topic.icon_custom_emoji_id = emoji;
  const edited = { ...(name && { name: topic.name }), ...(emoji !== undefined && { icon_custom_emoji_id: emoji }) };
  return say(call, chat, topic.message_thread_id, { forum_topic_edited: edited });
}

function closeForumTopic(call: Call): true {
  const { chat, topic } = findTopic(call);
  return close(call, chat, topic, true, topic.message_thread_id);
}

function reopenForumTopic(call: Call): true {
  const { chat, topic } = findTopic(call);
  return close(call, chat, topic, false, topic.message_thread_id);
}

function deleteForumTopic(call: Call): true {
  const { chat, topic } = findTopic(call, findChatWithTopics(call));
  delete chat.topics[topic.message_thread_id];
  for (const [id, message] of chat.messages) {
    if (message.message_thread_id === topic.message_thread_id) forgetMessage(call.sim, chat, id);
  }
  call.sim.storage.saveChat(chat);
  return true;
}

function unpinAllForumTopicMessages(call: Call): true {
  const { chat, topic } = findTopic(call, findChatWithTopics(call));
  return unpin(call, chat, (threadId) => threadId === topic.message_thread_id);
}

function close(call: Call, chat: Chat, topic: { isClosed: boolean }, isClosed: boolean, threadId: number): true {
  if (topic.isClosed === isClosed) throw badRequest('TOPIC_NOT_MODIFIED');
  topic.isClosed = isClosed;
  return say(call, chat, threadId, isClosed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} });
}

/** Hiding also closes the topic, as at the platform. */
function hide(call: Call, isHidden: boolean): true {
  const chat = findForum(call);
  if (chat.general.isHidden === isHidden) throw badRequest('TOPIC_NOT_MODIFIED');
  Object.assign(chat.general, { isHidden, isClosed: isHidden || chat.general.isClosed });
  return say(call, chat, 0, isHidden ? { general_forum_topic_hidden: {} } : { general_forum_topic_unhidden: {} });
}

function say(call: Call, chat: Chat, threadId: number, content: MessageFields): true {
  call.sim.storage.saveChat(chat);
  const thread = threadId > 0 ? { message_thread_id: threadId, is_topic_message: true } : {};
  postMessage(call.sim, chat, { user: call.bot.user }, { ...thread, ...content });
  return true;
}

function unpin(call: Call, chat: Chat, isOfTopic: (threadId: unknown) => boolean): true {
  chat.pinned = chat.pinned.filter((id) => !isOfTopic(chat.messages.get(id)?.message_thread_id));
  call.sim.storage.saveChat(chat);
  return true;
}

function readName({ params }: Call): string {
  const name = text(params, 'name').trim();
  if (name === '') throw badRequest('topic name must be non-empty');
  return name.slice(0, 128);
}

function findForum(call: Call): Chat {
  const chat = findGovernedChat(call, 'can_manage_topics', NO_RIGHTS);
  if (!chat.isForum) throw badRequest('the chat is not a forum');
  return chat;
}

/** A forum, or the private chat of a bot whose private chats have topics. */
function findChatWithTopics(call: Call): Chat {
  const chat = findOwnChat(call);
  if (chat.person === null) return findForum(call);
  if (!hasPrivateTopics(call.bot)) throw badRequest('the chat is not a forum');
  return chat;
}

function findTopic(call: Call, chat = findForum(call)): { chat: Chat; topic: Topic } {
  const topic = chat.topics[integer(call.params, 'message_thread_id', 0)];
  if (topic === undefined) throw badRequest('TOPIC_ID_INVALID');
  return { chat, topic };
}
