import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { readThreadPlace } from '../../fleet/bots/thread-place.ts';
import { chatTitles, titleKey } from '../../records/chats/chat-titles.ts';
import type { RoutingRule } from './routing-rule.ts';

/** The names of the chats and people that a rule has by their ids; null: not known. */
export type RuleNames = { condition: string | null; targetChat: string | null };

/** Names rules as their bots last saw what they name. */
export async function nameRules(
  { db }: { db: Database },
  rules: readonly RoutingRule[],
): Promise<ReadonlyMap<number, RuleNames>> {
  const places = rules.map((rule) => ({ rule, chat: conditionChat(rule), target: targetChat(rule) }));
  const chats = places.flatMap(({ chat, target }) => [chat, target].filter((one) => one !== null));
  const topics = places.flatMap(({ rule }) => topicOf(rule) ?? []);
  const people = rules.flatMap((rule) => personOf(rule) ?? []);
  const [titles, topicNames, names] = await Promise.all([
    chatTitles(db, chats),
    topicNamesOf(db, topics),
    namesOfPeople(db, people),
  ]);
  const titleOf = (chat: ChatOfBot | null) => (chat === null ? null : (titles.get(titleKey(chat)) ?? null));
  return new Map(
    places.map(({ rule, chat, target }) => {
      const [topic, person] = [topicOf(rule), personOf(rule)];
      const inTopic = topic === null ? null : (topicNames.get(keyOfTopic(topic)) ?? null);
      const ofChat = [titleOf(chat), inTopic].filter((name) => name !== null).join(' · ') || null;
      const ofPerson = person === null ? null : (names.get(keyOfPerson(person)) ?? null);
      return [rule.id, { condition: ofPerson ?? ofChat, targetChat: titleOf(target) }] as const;
    }),
  );
}

type Topic = ChatOfBot & { thread_id: number };
type Person = { bot_id: number; user_id: number };

function conditionChat({ source_bot_id, condition_type, condition_value }: RoutingRule): ChatOfBot | null {
  if (condition_type === 'chat_id') return { bot_id: source_bot_id, chat_id: Number(condition_value) };
  const place = condition_type === 'thread_id' ? readThreadPlace(condition_value) : null;
  return place === null ? null : { bot_id: source_bot_id, chat_id: place.chat_id };
}

function topicOf({ source_bot_id, condition_type, condition_value }: RoutingRule): Topic | null {
  const place = condition_type === 'thread_id' ? readThreadPlace(condition_value) : null;
  return place === null ? null : { bot_id: source_bot_id, chat_id: place.chat_id, thread_id: place.thread_id };
}

function personOf({ source_bot_id, condition_type, condition_value }: RoutingRule): Person | null {
  return condition_type === 'user_id' ? { bot_id: source_bot_id, user_id: Number(condition_value) } : null;
}

/** The chat of each message, and one that the router chooses a bot for, have no name. */
function targetChat({ target_bot_id, target_chat_id }: RoutingRule): ChatOfBot | null {
  return target_chat_id === null || target_chat_id === 0 || target_bot_id === 0
    ? null
    : { bot_id: target_bot_id, chat_id: target_chat_id };
}

const keyOfTopic = (topic: Topic) => `${topic.bot_id} ${topic.chat_id} ${topic.thread_id}`;
const keyOfPerson = (person: Person) => `${person.bot_id} ${person.user_id}`;

async function topicNamesOf(db: Database, topics: readonly Topic[]): Promise<Map<string, string>> {
  if (topics.length === 0) return new Map();
  const { rows } = await sql<Topic & { name: string }>`
    select t.bot_id, t.chat_id, t.thread_id, t.name
    from unnest(${topics.map((one) => one.bot_id)}::bigint[], ${topics.map((one) => one.chat_id)}::bigint[],
      ${topics.map((one) => one.thread_id)}::bigint[]) as wanted (bot, chat, thread)
    join topics t on t.bot_id = wanted.bot and t.chat_id = wanted.chat and t.thread_id = wanted.thread
    where t.name is not null`.execute(db);
  return new Map(rows.map((row) => [keyOfTopic(row), row.name]));
}

/** The names that the bot saw last, in any of its chats; a channel or group that writes as itself is a chat. */
async function namesOfPeople(db: Database, people: readonly Person[]): Promise<Map<string, string>> {
  if (people.length === 0) return new Map();
  const { rows } = await sql<Person & { name: string | null }>`
    select wanted.bot as bot_id, wanted.person as user_id, coalesce(
      (select coalesce(nullif(concat_ws(' ', u.first_name, u.last_name), ''), u.username) from chat_users u
       where u.user_id = wanted.person and u.bot_id = wanted.bot order by u.last_seen_at desc limit 1),
      (select coalesce(c.title, nullif(concat_ws(' ', c.first_name, c.last_name), ''), c.username) from chats c
       where c.bot_id = wanted.bot and c.id = wanted.person)) as name
    from unnest(${people.map((one) => one.bot_id)}::bigint[], ${people.map((one) => one.user_id)}::bigint[])
      as wanted (bot, person)`.execute(db);
  return new Map(rows.flatMap(({ name, ...person }) => (name === null ? [] : [[keyOfPerson(person), name] as const])));
}
