import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { callCounts } from '@flotilla/runtime/call-counts.ts';
import { isMessage } from '@flotilla/telegram/message-facts.ts';
import { isAmongTopics, OUTSIDE_TOPICS, topicOf } from '@flotilla/telegram/message-topic.ts';
import { readObject } from '@flotilla/telegram/platform-fields.ts';
import { sql } from 'kysely';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { NamedMessage } from './check-topics.ts';

/** Tells whether messages are in topics, as the history has it. A message never changes its topic. */
export type MessageTopics = {
  /** Remembers the topics of messages that a program just sent: a Message, or a list of them. */
  note(botId: number, sent: unknown): void;
  /**
   * Null if all of these messages are in these topics; else why not. A message that was sent through another process may not be
   * stored yet, so it is waited for, for up to 5 s. Rejects if Postgres is away.
   */
  whyOutside(
    bot: Pick<Bot, 'id' | 'manage_enabled'>,
    topics: ReadonlySet<number>,
    messages: readonly NamedMessage[],
  ): Promise<string | null>;
};

/** Calls for the same messages come again and again: an answer that is edited while it is written. */
const KEPT = 10_000;
/** After so many milliseconds each, a message that is on its way to the history is looked for again. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1450, 2000];
/** A program may ask for ids that do not exist yet. Those with the same topics count as one caller. */
const WAITING_AT_MOST = { inAll: 100, ofBot: 40 };

const UNKNOWN = 'the topic of a message that it names is not known, because the history does not have this message';
const OTHER = 'a message that it names is in another topic';

/** The topics of messages that this process was asked for. */
export function messageTopics({ db }: { db: Database }): MessageTopics {
  const kept = new Map<string, number>();
  const waiting = callCounts(WAITING_AT_MOST);
  const keep = (key: string, topic: number) => {
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value as string);
    kept.set(key, topic);
  };
  const missingOf = async (botId: number, messages: readonly NamedMessage[]): Promise<NamedMessage[]> => {
    const missing = messages.filter((message) => !kept.has(keyOf(botId, message)));
    for (const { chat_id, id, topic } of missing.length === 0 ? [] : await findTopics(db, botId, missing)) {
      keep(keyOf(botId, { chat_id, id }), topic);
    }
    return missing.filter((message) => !kept.has(keyOf(botId, message)));
  };
  return {
    note: (botId, sent) => {
      for (const message of (Array.isArray(sent) ? sent : [sent]).filter(isMessage)) {
        const [chat_id, id] = [readObject(message, 'chat')?.id, message.message_id];
        if (typeof chat_id !== 'number' || typeof id !== 'number') continue;
        keep(keyOf(botId, { chat_id, id }), topicOf(message) ?? OUTSIDE_TOPICS);
      }
    },
    whyOutside: async ({ id: botId, manage_enabled }, topics, messages) => {
      let missing = await missingOf(botId, messages);
      const caller = { botId, scope: [...topics].join() };
      const mayCome = manage_enabled && waiting.hasRoom(caller);
      waiting.add(caller, 1);
      try {
        for (const pauseMs of mayCome ? PAUSES_MS : []) {
          if (missing.length === 0) break;
          const mayStillCome = await areNewer(db, botId, missing);
          if (mayStillCome) await sleep(pauseMs);
          // Also otherwise: it may have been stored since it was looked for.
          missing = await missingOf(botId, missing);
          if (!mayStillCome) break;
        }
      } finally {
        waiting.add(caller, -1);
      }
      if (missing.length > 0) return UNKNOWN;
      const isWithin = (message: NamedMessage) =>
        isAmongTopics(topics, kept.get(keyOf(botId, message)) ?? -1, message.chat_id);
      return messages.every(isWithin) ? null : OTHER;
    },
  };
}

function keyOf(botId: number, { chat_id, id }: NamedMessage): string {
  return `${botId} ${chat_id} ${id}`;
}

async function findTopics(
  db: Database,
  botId: number,
  messages: readonly NamedMessage[],
): Promise<(NamedMessage & { topic: number })[]> {
  const { rows } = await sql<NamedMessage & { topic: number }>`
    select m.chat_id, m.id, coalesce(m.thread_id, ${sql.lit(OUTSIDE_TOPICS)}) as topic
    from unnest(${messages.map(({ chat_id }) => chat_id)}::bigint[], ${messages.map(({ id }) => id)}::bigint[])
      as wanted (chat_id, id)
    join messages m on m.bot_id = ${botId} and m.business_connection_id = '' and m.chat_id = wanted.chat_id
      and m.id = wanted.id`.execute(db);
  return rows;
}

/** True if all of these messages are newer than what is stored of their chats. Ids rise within a chat. */
async function areNewer(db: Database, botId: number, messages: readonly NamedMessage[]): Promise<boolean> {
  const chatIds = [...new Set(messages.map(({ chat_id }) => chat_id))];
  const chats = db.selectFrom('chats').select(['id', 'last_id']).where('bot_id', '=', botId);
  const rows = await chats.where('id', 'in', chatIds).execute();
  const lastIds = new Map(rows.map(({ id, last_id }) => [id, last_id]));
  return messages.every(({ chat_id, id }) => id > (lastIds.get(chat_id) ?? 0));
}
