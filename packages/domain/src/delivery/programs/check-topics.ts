import { methodFacts } from '@flotilla/contract/bot-api/methods.ts';
import { canonicalJson } from '@flotilla/telegram/canonical-json.ts';
import { GENERAL_TOPIC, isAmongTopics, OUTSIDE_TOPICS } from '@flotilla/telegram/message-topic.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';

/** A message whose topic must be one of those of a token; only the history tells it. */
export type NamedMessage = { chat_id: number; id: number };

export type TopicCheck = { outcome: 'allowed'; messages: NamedMessage[] } | { outcome: 'refused'; why: string };

/** Every value of each parameter, in the platform's order. */
type Seen = ReadonlyMap<string, readonly string[]>;

const ID = /^[1-9]\d{0,9}$/;
const LARGEST_ID = 2 ** 31 - 1;
const TOPIC_PARAMETER = 'message_thread_id';
/** A channel has direct messages in topics of another kind. */
const OF_DIRECT_MESSAGES = 'direct_messages_topic_id';
const MESSAGE_PARAMETERS = ['message_id', 'message_ids'];
const REPLY_PARAMETERS = ['reply_parameters', 'reply_to_message_id'];
const NOT_DECIDED = 'it may act in some topics only, and this method does not tell a topic';

/**
 * True if a call stays in these topics of its chat, as far as its parameters tell. Its chats are allowed already. Whatever cannot
 * be told is refused.
 */
export function checkTopics(topics: ReadonlySet<number>, lowerCaseMethod: string, seen: Seen): TopicCheck {
  const rule = methodFacts(lowerCaseMethod)?.topic;
  if (rule === 'people') return ALLOWED;
  if (rule === 'general') return topics.has(GENERAL_TOPIC) ? ALLOWED : refused('General is not one of its topics');
  if (rule === undefined) return refused(NOT_DECIDED);
  if (rule !== 'message') {
    const fault = topicFault(topics, rule, seen);
    if (fault !== null) return refused(fault);
  }
  if (given(seen, OF_DIRECT_MESSAGES).length > 0) return refused(`${OF_DIRECT_MESSAGES} leads out of its topics`);
  const messages = messagesNamed(seen);
  if (messages === null) return refused('the ids of its messages cannot be read');
  if (rule === 'message' && !MESSAGE_PARAMETERS.some((name) => seen.has(name))) {
    return refused('message_id is missing, or comes after the first file');
  }
  return { outcome: 'allowed', messages };
}

/** True for parameters by which the topic of a call is told. */
export function tellsTopic(name: string): boolean {
  return [...MESSAGE_PARAMETERS, ...REPLY_PARAMETERS, TOPIC_PARAMETER, OF_DIRECT_MESSAGES].includes(name);
}

/** Why the topic that a call names is not one of these; null if it is one. */
function topicFault(topics: ReadonlySet<number>, rule: 'sends' | 'topic', seen: Seen): string | null {
  const named = seen.get(TOPIC_PARAMETER) ?? [];
  const chatId = Number(seen.get('chat_id')?.[0]);
  const others = named.filter((value) => !isNone(value));
  if (others.some((value) => !isTopic(topics, value, chatId))) return 'message_thread_id is not one of its topics';
  // The platform takes the first value.
  if (named[0] !== undefined && !isNone(named[0])) return null;
  const mayBeOutside = topics.has(OUTSIDE_TOPICS) || (topics.has(GENERAL_TOPIC) && chatId < 0);
  return rule === 'sends' && mayBeOutside ? null : 'it must name one of its topics in message_thread_id';
}

/** The values of a parameter that the platform does not take for none. */
function given(seen: Seen, name: string): string[] {
  return (seen.get(name) ?? []).filter((value) => !isNone(value));
}

function isNone(value: string): boolean {
  return value === '' || value === '0';
}

function isTopic(topics: ReadonlySet<number>, value: string, chatId: number): boolean {
  return isId(value) && isAmongTopics(topics, Number(value), chatId);
}

/** The messages that a call names: to change, to take or to answer. Null if one cannot be read. */
function messagesNamed(seen: Seen): NamedMessage[] | null {
  const [to] = (seen.get('chat_id') ?? []).map(Number);
  const [from = to] = (seen.get('from_chat_id') ?? []).map(Number);
  if (to === undefined || from === undefined) return null;
  const found: NamedMessage[] = [];
  for (const value of seen.get('message_id') ?? []) {
    if (!isId(value)) return null;
    found.push({ chat_id: from, id: Number(value) });
  }
  for (const value of given(seen, 'reply_to_message_id')) {
    if (!isId(value)) return null;
    found.push({ chat_id: to, id: Number(value) });
  }
  for (const value of seen.get('message_ids') ?? []) {
    const ids = idsIn(value);
    if (ids === null) return null;
    found.push(...ids.map((id) => ({ chat_id: from, id })));
  }
  for (const value of given(seen, 'reply_parameters')) {
    const reply = replyIn(value, to);
    if (reply === null) return null;
    found.push(reply);
  }
  return found;
}

function idsIn(value: string): number[] | null {
  const ids: string[] = [];
  const written = canonicalJson(value, (name, one) => {
    if (name !== '') ids.push(String(one));
  });
  if (written === null || !written.startsWith('[') || ids.length === 0) return null;
  return ids.every(isId) ? ids.map(Number) : null;
}

/** Nobody keeps the topic of an ephemeral message, so a reply to one cannot be told. */
function replyIn(value: string, to: number): NamedMessage | null {
  const written = canonicalJson(value, () => undefined);
  if (written === null || !written.startsWith('{')) return null;
  // Only its own fields: a quote may have any others.
  const { message_id: id = '', chat_id = to, ephemeral_message_id: ephemeral } = JSON.parse(written) as Fields;
  return ephemeral === undefined && isId(String(id)) ? { chat_id: Number(chat_id), id: Number(id) } : null;
}

function isId(value: string): boolean {
  return ID.test(value) && Number(value) <= LARGEST_ID;
}

const ALLOWED: TopicCheck = { outcome: 'allowed', messages: [] };

function refused(why: string): TopicCheck {
  return { outcome: 'refused', why };
}
